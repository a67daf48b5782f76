/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp cuda: starts a program on libraries of ours in the place of CUDA's, and tells what has become of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "cuda_functions.h"
#include "cuda_page.h"
#include "fatbin/elf.h"
#include "file/in_file.h"

#define NAMES_MOST 1000u /* letters of the names of missing functions in one line */
#define PAGE_FILE  100   /* lowest number of the page's file: programs use the low ones */

/* Where the shell would find it. */
static int find_program(char path[CLI_PATH_BYTES], const char *name)
{
    const char *places = strchr(name, '/') != NULL ? "" : getenv("PATH");
    for (const char *at = places != NULL ? places : ""; at != NULL; at = strchr(at, ':') != NULL ? strchr(at, ':') + 1 : NULL) {
        const size_t length = strcspn(at, ":");
        snprintf(path, CLI_PATH_BYTES, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "", name);
        if (access(path, X_OK) == 0)
            return CLI_OK;
    }
    return cli_error(CLI_WRONG, "%s: %s", name, strerror(errno));
}

/* The folder of the libraries. */
static int find_libraries(char folder[CLI_PATH_BYTES])
{
    const int status = cli_place(folder, "lib/cowarp/cuda/libcuda.so.1");
    if (status == CLI_OK)
        *strrchr(folder, '/') = '\0';
    return status;
}

/* The program's functions of which `is` is true: their names in a row. Returns how many. */
static unsigned collect(char names[NAMES_MOST], const struct cw_elf *elf, bool (*is)(const char *))
{
    const char *name;
    unsigned cnt = 0;
    names[0] = '\0';
    for (uint32_t i = 0; (name = cw_elf_undefined(elf, i)) != NULL; i++) {
        if (!is(name))
            continue;
        const size_t used = strlen(names);
        if (used + strlen(name) + 3 < NAMES_MOST)
            snprintf(names + used, NAMES_MOST - used, "%s%s", used > 0 ? ", " : "", name);
        cnt++;
    }
    return cnt;
}

/* What the program calls and what is not there. */
static void tell_missing(const struct cw_elf *elf, const char *path)
{
    char names[NAMES_MOST];
    unsigned cnt = collect(names, elf, cw_cuda_is_missing);
    if (cnt > 0)
        fprintf(stderr, "cowarp: %s calls %u function%s that %s not there and answer%s cudaErrorNotSupported: %s\n", path, cnt,
                cnt == 1 ? "" : "s", cnt == 1 ? "is" : "are", cnt == 1 ? "s" : "", names);
    cnt = collect(names, elf, cw_cuda_is_unknown_of_library);
    if (cnt > 0)
        fprintf(stderr, "cowarp: %s calls %u function%s of libraries that %s not there; a call ends the program: %s\n", path, cnt,
                cnt == 1 ? "" : "s", cnt == 1 ? "is" : "are", names);
}

/* "libcudart.so.12": whether a program that needs it can be run. */
static bool is_known(const char *library)
{
    static const char *const known[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcuda.so.1"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(library, known[i]) == 0)
            return true;
    return false;
}

/* Whether the program asks NVRTC for machine code, in the place of which it is to get PTX (harness/cuda/nvrtc.c). */
static bool asks_for_cubin(const struct cw_elf *elf)
{
    const char *name;
    uint32_t i = 0;
    while ((name = cw_elf_undefined(elf, i)) != NULL && strcmp(name, "nvrtcGetCUBIN") != 0)
        i++;
    return name != NULL;
}

static int check_elf(const struct cw_elf *elf, const char *path)
{
    const char *library;
    const uint8_t *bytes;
    size_t length;
    bool dynamic = false;
    for (uint32_t i = 0; (library = cw_elf_needed(elf, i)) != NULL; i++) {
        const bool cuda = strncmp(library, "libcudart.so", 12) == 0 || strncmp(library, "libcuda.so", 10) == 0;
        if (cuda && !is_known(library))
            return cli_error(CLI_WRONG, "%s: needs %s; libcudart of CUDA 11, 12 and 13 is known", path, library);
        dynamic |= cuda;
    }
    if (!dynamic && cw_elf_section(elf, ".nv_fatbin", 0, &bytes, &length))
        return cli_error(CLI_WRONG,
                         "%s: the CUDA runtime is part of the program, and nothing can take its place; link it with nvcc -cudart shared "
                         "(CMake: CUDA_RUNTIME_LIBRARY Shared)",
                         path);
    return CLI_OK;
}

/* What can be said before it starts. A script that starts the program is run as it is. */
static int check_program(const char *path, bool quiet, bool *cubin)
{
    struct cw_error err;
    struct cw_elf elf;
    char *data;
    size_t length;
    int status = CLI_OK;
    *cubin = false;
    if (cw_in_file_read(&data, &length, path, &err) != CW_OK)
        return cli_error(CLI_WRONG, "%s", err.text);
    if (cw_elf_open(&elf, data, length)) {
        status = check_elf(&elf, path);
        *cubin = asks_for_cubin(&elf);
        if (status == CLI_OK && !quiet)
            tell_missing(&elf, path);
    }
    free(data);
    return status;
}

/* Whether the options are right, before a program starts that would meet them later. */
static int check_options(const struct cli_parsed *p)
{
    struct cli_session s;
    struct cowarp_config *config = NULL;
    int status = cli_session_read(&s, p, "cuda", cli_value(p, "system", "none"));
    if (status == CLI_OK && cowarp_config_create(&config, &s.options) != COWARP_OK)
        status = cli_error(CLI_WRONG, "%s", cowarp_config_error(config));
    cowarp_config_destroy(config);
    cli_session_close(&s);
    return status;
}

/* The options as the program's process takes them: "--name=value", each with its end. */
static char *join_options(const struct cli_parsed *p)
{
    size_t bytes = 1, used = 0;
    for (uint32_t i = 0; i < p->given_cnt; i++)
        bytes += strlen(p->given[i].option->name) + strlen(p->given[i].value) + 4;
    char *text = calloc(bytes, 1);
    for (uint32_t i = 0; text != NULL && i < p->given_cnt; i++) {
        const struct cli_given *g = &p->given[i];
        used += (size_t)snprintf(text + used, bytes - used, "--%s%s%s%c", g->option->name, g->value[0] != '\0' ? "=" : "", g->value,
                                 CW_CUDA_END);
    }
    return text;
}

/* Puts a word in front of what a variable has. */
static bool put_in_front(const char *variable, const char *word)
{
    const char *old = getenv(variable);
    char *all = NULL;
    const bool ok = asprintf(&all, "%s%s%s", word, old != NULL ? ":" : "", old != NULL ? old : "") >= 0 && setenv(variable, all, 1) == 0;
    free(all);
    return ok;
}

static int set_environment(const struct cli_parsed *p, const char *folder, bool cubin, int page_file)
{
    char *options = join_options(p), nvrtc[CLI_PATH_BYTES + 32], number[16];
    snprintf(number, sizeof number, "%d", page_file);
    snprintf(nvrtc, sizeof nvrtc, "%s/libcowarp_nvrtc.so", folder);
    const bool ok = options != NULL && setenv(CW_CUDA_OPTIONS, options, 1) == 0 && setenv(CW_CUDA_PAGE, number, 1) == 0 &&
                    put_in_front("LD_LIBRARY_PATH", folder) && (!cubin || put_in_front("LD_PRELOAD", nvrtc));
    free(options);
    return ok ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
}

static int open_page(struct cw_cuda_page **page, int *file)
{
    const int low = memfd_create("cowarp", 0);
    *file = low >= 0 ? fcntl(low, F_DUPFD, PAGE_FILE) : -1;
    if (low >= 0)
        close(low);
    if (*file < 0 || ftruncate(*file, sizeof **page) != 0)
        return cli_error(CLI_FAILED, "no page of shared memory: %s", strerror(errno));
    void *at = mmap(NULL, sizeof **page, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    *page = at;
    return at != MAP_FAILED ? CLI_OK : cli_error(CLI_FAILED, "no page of shared memory: %s", strerror(errno));
}

/* The program's exit status, unless it cannot know what was wrong: the machine, a file, what a check has found. */
static int outcome(const struct cw_cuda_page *page, int status, const char *path, const struct cli_parsed *p)
{
    const bool quiet = cli_has(p, "quiet"), tells = strcmp(cli_value(p, "findings", "fail"), "tell") == 0;
    if (WIFSIGNALED(status)) {
        cli_error(0, "%s was ended by signal %d (%s); no statistics were written", path, WTERMSIG(status), strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    if (page->loaded == 0 && !quiet)
        fprintf(stderr, "cowarp: %s has loaded neither libcudart nor libcuda, so nothing was simulated\n", path);
    if (page->broken != 0) /* which has been told, and whatever the program made of it */
        return CLI_WRONG;
    if (page->failed > 0) /* the program may mean it: then its own status says so */
        cli_error(0, "%s: %u launch%s failed", path, (unsigned)page->failed, page->failed == 1 ? " has" : "es have");
    if (WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    return page->denied != 0 || (page->unwell != 0 && !tells) ? CLI_FAILED : CLI_OK;
}

/* Who ends the command means the program. */
static volatile pid_t program;

static void pass_on(int number)
{
    kill(program, number);
}

static int start(const struct cli_parsed *p, const char *path, const struct cw_cuda_page *page)
{
    int status;
    sigset_t ends, before;
    fflush(NULL);
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before); /* until it is known whom they are for */
    const pid_t command = getpid(), child = fork();
    if (child < 0)
        return cli_error(CLI_FAILED, "no process: %s", strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* whatever ends the command, also SIGKILL, ends the program */
        if (getppid() != command)         /* and has done so already */
            _exit(128 + SIGTERM);
        sigprocmask(SIG_SETMASK, &before, NULL);
        char **argv = calloc(p->word_cnt + 1u, sizeof *argv);
        for (uint32_t i = 0; argv != NULL && i < p->word_cnt; i++)
            argv[i] = (char *)(uintptr_t)p->word[i];
        if (argv != NULL)
            execv(path, argv);
        _exit(cli_error(CLI_WRONG, "%s: %s", path, strerror(errno)));
    }
    signal(SIGINT, SIG_IGN); /* the terminal sends it to the program as well, whose end is waited for */
    signal(SIGQUIT, SIG_IGN);
    program = child;
    signal(SIGTERM, pass_on);
    if (signal(SIGHUP, pass_on) == SIG_IGN) /* nohup */
        signal(SIGHUP, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return cli_error(CLI_FAILED, "%s: %s", path, strerror(errno));
    return outcome(page, status, path, p);
}

static int run(const struct cli_parsed *p)
{
    char path[CLI_PATH_BYTES], folder[CLI_PATH_BYTES];
    struct cw_cuda_page *page = NULL;
    int file = -1;
    bool cubin = false;
    if (cli_has(p, "functions")) {
        if (p->word_cnt > 0)
            return cli_error(CLI_WRONG, "--functions lists functions and starts no program; leave '%s' out", p->word[0]);
        fputs(cw_cuda_there, stdout);
        return CLI_OK;
    }
    if (p->word_cnt == 0)
        return cli_error(CLI_WRONG, "cuda needs a program: cowarp cuda [OPTIONS] -- PROGRAM [ARGUMENT ...]");
    const char *findings = cli_value(p, "findings", "fail");
    if (strcmp(findings, "fail") != 0 && strcmp(findings, "tell") != 0)
        return cli_error(CLI_WRONG, "--findings '%s': is neither fail nor tell", findings);
    const char *libraries = cli_value(p, "libraries", "host");
    if (strcmp(libraries, "host") != 0 && strcmp(libraries, "refuse") != 0)
        return cli_error(CLI_WRONG, "--libraries '%s': is neither host nor refuse", libraries);
    int status = check_options(p);
    if (status == CLI_OK)
        status = find_program(path, p->word[0]);
    if (status == CLI_OK)
        status = check_program(path, cli_has(p, "quiet"), &cubin);
    if (status == CLI_OK)
        status = find_libraries(folder);
    if (status == CLI_OK)
        status = open_page(&page, &file);
    if (status == CLI_OK)
        status = set_environment(p, folder, cubin, file);
    return status == CLI_OK ? start(p, path, page) : status;
}

const struct cli_command cli_cuda = {
    .name = "cuda",
    .usage = "[OPTIONS] -- PROGRAM [ARGUMENT ...]",
    .what = "Runs a CUDA program, as it is, on the simulated GPU",
    .option = cli_cuda_own,
    .option_cnt = CLI_CUDA_OWN_CNT,
    .takes_machine = true,
    .notes =
        "The program is one that links libcudart or libcuda dynamically: nvcc -cudart shared. The exit status is the program's, and 1 when "
        "the\n"
        "machine cannot carry out a launch. The summary goes to standard error. Without --preset it is the oldest machine whose "
        "cores have the\n"
        "architecture and the shared memory that the program's kernels ask for. --functions lists the functions that are there.\n",
    .run = run,
};
