/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU of the process: made at the first call that needs it, from the options of `cowarp cuda`; ended when the process ends. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/process.h"

#define DYNAMIC_SHARED_BYTES UINT64_C(49152) /* that a CUDA device has for every block that does not ask for more */

/* Machines for programs that name none, from the oldest on. A machine of sm_20 runs PTX of any architecture, but a program that was compiled
 * for a newer one may count on the room that its cores have. nvcc 13 compiles for sm_75, if it is not told otherwise. */
static const struct {
    const char *name;
    uint64_t shared_bytes;
    uint32_t architecture;
} presets[] = {{"getm", 16384, 20},      {"gtx480", 49152, 20},   {"titanv", 98304, 70},
               {"rtx2080ti", 65536, 75}, {"rtx4070", 101376, 89}, {"h100", 232448, 90}};
#define PRESET_CNT (sizeof presets / sizeof presets[0])
#define UNSAID     3u /* of a program that has not said what its kernels need */

__attribute__((constructor)) static void find_page(void)
{
    const char *number = getenv(CW_CUDA_PAGE);
    if (number == NULL)
        return;
    void *page = mmap(NULL, sizeof(struct cw_cuda_page), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(number), 0);
    if (page != MAP_FAILED) {
        cw_cuda__process.page = page;
        __atomic_store_n(&cw_cuda__process.page->loaded, 1u, __ATOMIC_SEQ_CST);
    }
}

/* The options' words, as argv has them. */
static int read_words(struct cw_cuda_process *p, int *argc)
{
    const char *text = getenv(CW_CUDA_OPTIONS);
    int cnt = 0;
    p->words = strdup(text != NULL ? text : "");
    p->argv = p->words != NULL ? calloc(strlen(p->words) + 1, sizeof *p->argv) : NULL;
    if (p->argv == NULL)
        return CW_CUDA_NO_MEMORY;
    for (char *at = p->words, *end; (end = strchr(at, CW_CUDA_END)) != NULL; at = end + 1) {
        *end = '\0';
        p->argv[cnt++] = at;
    }
    *argc = cnt;
    return CW_CUDA_OK;
}

/* What the kernels of all images ask for, and the images that ask for the most. */
struct need {
    uint64_t shared_bytes;
    bool dynamic; /* some launch says how much shared memory there is */
    uint32_t architecture;
    const struct cw_cuda_image *by_shared, *by_architecture;
};

static struct need needs(const struct cw_cuda_process *p)
{
    struct need n = {0};
    for (const struct cw_cuda_image *i = p->images; i != NULL; i = i->next) {
        const uint64_t bytes = i->text != NULL ? cw_cuda__shared_need(i->text, &n.dynamic) : 0;
        if (bytes > n.shared_bytes) {
            n.shared_bytes = bytes;
            n.by_shared = i;
        }
        if (i->text != NULL && i->architecture > n.architecture) {
            n.architecture = i->architecture;
            n.by_architecture = i;
        }
    }
    return n;
}

/* The oldest machine whose cores have room for a block of each kernel, and are of the PTX's architecture or a newer one: that does not count
 * with a transactional system, whose machines are the older ones. Persistent memory is that of the machine that was published with it. */
static const char *choose_preset(const struct cw_cuda_process *p)
{
    const char *const other = "--preset NAME chooses another";
    struct need n = needs(p);
    if (strcmp(cli_value(&p->parsed, "persistency", "none"), "none") != 0) {
        cw_cuda__say("preset sbrp-near: the program's memory is persistent; %s", other);
        return "sbrp-near";
    }
    if (strcmp(cli_value(&p->parsed, "system", "none"), "none") != 0)
        n.architecture = 0;
    const uint64_t wanted = n.dynamic && n.shared_bytes < DYNAMIC_SHARED_BYTES ? DYNAMIC_SHARED_BYTES : n.shared_bytes;
    size_t k = p->images != NULL ? 0 : UNSAID;
    while (p->images != NULL && k + 1 < PRESET_CNT && (presets[k].shared_bytes < wanted || presets[k].architecture < n.architecture))
        k++;
    const char *name = presets[k].name;
    if (p->images == NULL)
        cw_cuda__say("preset %s: the program has not said yet what its kernels need; %s", name, other);
    else if (k > 0 && presets[k - 1].architecture < n.architecture)
        cw_cuda__say("preset %s: the PTX of %s is for sm_%u, and older machines are of sm_%u; %s", name, n.by_architecture->name,
                     (unsigned)n.architecture, (unsigned)presets[k - 1].architecture, other);
    else if (k > 0 && wanted > n.shared_bytes)
        cw_cuda__say("preset %s: a kernel has shared memory whose size its launch says, and CUDA allows %u KB; %s", name,
                     (unsigned)(DYNAMIC_SHARED_BYTES / 1024), other);
    else if (k > 0)
        cw_cuda__say("preset %s: a kernel of %s has %llu bytes of shared memory; %s", name, n.by_shared->name,
                     (unsigned long long)n.shared_bytes, other);
    return name;
}

/* A child process, or a second program that the first one has started, leaves the files to the first. */
static void drop_files(struct cli_session *s)
{
    s->stats = s->branches = s->profile = NULL;
    s->options.record_branches = s->options.record_profile = 0;
    s->options.sample_file = s->options.timeline_file = s->options.konata_file = s->options.wave_file = s->options.wave_on =
        s->options.record = NULL;
    s->options.bins_file = NULL;
    s->options.pm_file = NULL;
}

/* The program has ended: the summary, and the files that the options ask for. */
static void finish(void)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    cw_cuda__lock();
    const bool own = p->pid == getpid() || p->session.options.debug_socket != 0; /* a debugged run goes from process to process */
    if (p->state == CW_CUDA_OPEN && own)
        cw_cuda__settle();
    if (p->state == CW_CUDA_OPEN && own) {
        const struct cli_result r = {.workload = "cuda", .status = COWARP_OK};
        if (cli_session_end(&p->session, &r) != CLI_OK && p->page != NULL)
            p->page->unwell = 1;
        cli_session_close(&p->session);
    }
    p->state = CW_CUDA_CLOSED;
    cw_cuda__unlock();
}

static int open_gpu(struct cw_cuda_process *p)
{
    int argc = 0;
    const int code = read_words(p, &argc);
    if (code != CW_CUDA_OK)
        return code;
    if (cli_parse(&p->parsed, &cli_cuda_options, argc, p->argv) != CLI_OK)
        return CW_CUDA_INIT;
    if (cli_session_read(&p->session, &p->parsed, "cuda", cli_value(&p->parsed, "system", "none")) != CLI_OK)
        return CW_CUDA_INIT;
    p->session.guest = true;
    if (!cli_has(&p->parsed, "preset") && !cli_has(&p->parsed, "config"))
        p->session.options.preset = choose_preset(p);
    p->pid = getpid();
    if (p->page != NULL && __atomic_fetch_add(&p->page->opened, 1u, __ATOMIC_SEQ_CST) != 0)
        drop_files(&p->session);
    if (cli_session_start(&p->session, &p->parsed) != CLI_OK)
        return CW_CUDA_INIT;
    /* Not a destructor of this library: those of libraries that the GPU has loaded (waves, RTL) come before that one, and after this. What
     * destructors of the program ask for later is answered as by CUDA, whose runtime has ended by then. */
    return atexit(finish) == 0 ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
}

int cw_cuda__gpu_as_is(struct cowarp_gpu **gpu)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    if (p->state == CW_CUDA_NEW) {
        p->state = open_gpu(p) == CW_CUDA_OK ? CW_CUDA_OPEN : CW_CUDA_BROKEN;
        if (p->state == CW_CUDA_BROKEN && p->page != NULL)
            p->page->broken = 1;
    }
    *gpu = p->session.gpu;
    if (p->state == CW_CUDA_CLOSED)
        return CW_CUDA_UNLOADING;
    return p->state == CW_CUDA_BROKEN ? CW_CUDA_INIT : p->sticky;
}

int cw_cuda__gpu(struct cowarp_gpu **gpu)
{
    cw_cuda__settle();
    return cw_cuda__gpu_as_is(gpu);
}

int cw_cuda__failed(int status)
{
    if (status == COWARP_OK)
        return CW_CUDA_OK;
    if (status == COWARP_ENOMEM)
        return CW_CUDA_NO_MEMORY;
    return status == COWARP_EUNSUP ? CW_CUDA_NOT_SUPPORTED : CW_CUDA_INVALID_VALUE;
}
