/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp exec: one kernel of anyone's PTX, with arguments from the command line and from files; or a script of several launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adversary.h"
#include "argument.h"
#include "kernels.h"
#include "script.h"

struct request {
    const char *path;
    struct cw_fatbin_texts texts;    /* of path; none: it is a PTX file */
    const struct cw_fatbin_one *one; /* of texts, with the kernel */
    struct cowarp_launch launch;
    struct cli_argument *argument;
    uint32_t argument_cnt;
    struct cli_argument *symbol;
    uint32_t symbol_cnt;
};

/* NAME=FILE */
static int prepare_symbol(struct cli_argument *a)
{
    const char *equals = strchr(a->text, '=');
    if (equals == NULL || equals == a->text || equals[1] == '\0')
        return cli_error(CLI_WRONG, "%s: expected NAME=FILE", a->place);
    a->name = cli_text("%.*s", (int)(equals - a->text), a->text);
    a->path = cli_text("%s", equals + 1);
    if (a->name == NULL || a->path == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    return cli_argument_read(a);
}

/* All values of an option. */
static int list_arguments(const struct cli_parsed *p, const char *option, struct cli_argument **list, uint32_t *cnt)
{
    const char **texts = cli_values(p, option, 0);
    while (texts != NULL && texts[*cnt] != NULL)
        ++*cnt;
    *list = calloc(*cnt + 1u, sizeof **list);
    bool failed = texts == NULL || *list == NULL;
    for (uint32_t i = 0; !failed && i < *cnt; i++) {
        (*list)[i] = (struct cli_argument){.place = cli_text("--%s '%s'", option, texts[i]), .text = texts[i]};
        failed = (*list)[i].place == NULL;
    }
    free(texts);
    return failed ? cli_error(CLI_FAILED, "out of memory") : CLI_OK;
}

static int read_shape(const struct cli_parsed *p, const char *option, uint32_t shape[3])
{
    const char *text = cli_value(p, option, NULL);
    if (text == NULL)
        return cli_error(CLI_WRONG, "exec needs --%s X[,Y[,Z]]", option);
    char *place = cli_text("--%s '%s'", option, text);
    const int status = place != NULL ? cli_shape(place, text, shape) : cli_error(CLI_FAILED, "out of memory");
    free(place);
    return status;
}

static int read_request(struct request *q, const struct cli_parsed *p)
{
    uint32_t bytes = 0;
    if (p->word_cnt != 1)
        return cli_error(CLI_WRONG,
                         "exec needs one PTX file, fatbinary or program (- is standard input), or --script FILE; see 'cowarp help exec'");
    q->path = cli_input(p->word[0]);
    q->launch.size = sizeof q->launch;
    q->launch.kernel = cli_value(p, "kernel", NULL);
    if (q->launch.kernel == NULL)
        return cli_error(CLI_WRONG, "exec needs --kernel NAME; --list tells the kernels of a file");
    int status = cli_texts(&q->texts, q->path);
    if (status == CLI_OK)
        status = cli_text_of(&q->one, &q->texts, q->launch.kernel, q->path);
    if (status == CLI_OK)
        status = read_shape(p, "grid", q->launch.grid);
    if (status == CLI_OK)
        status = read_shape(p, "block", q->launch.block);
    if (status == CLI_OK && cli_has(p, "shared") && !cli_u32(cli_value(p, "shared", ""), &bytes))
        status = cli_error(CLI_WRONG, "--shared '%s': not a number of bytes", cli_value(p, "shared", ""));
    q->launch.dynamic_shared_bytes = bytes;
    q->launch.static_warps = cli_has(p, "static-warps");
    q->launch.baseline = cli_has(p, "baseline");
    q->launch.cooperative = cli_has(p, "cooperative");
    if (status == CLI_OK)
        status = list_arguments(p, "arg", &q->argument, &q->argument_cnt);
    if (status == CLI_OK)
        status = list_arguments(p, "symbol", &q->symbol, &q->symbol_cnt);
    for (uint32_t i = 0; status == CLI_OK && i < q->argument_cnt; i++)
        status = cli_argument_prepare(&q->argument[i]);
    for (uint32_t i = 0; status == CLI_OK && i < q->symbol_cnt; i++)
        status = prepare_symbol(&q->symbol[i]);
    return status;
}

/* The files that arguments and symbols are read from. */
static int note_inputs(const struct request *q, struct cowarp_gpu *gpu)
{
    int status = COWARP_OK;
    for (uint32_t i = 0; status == COWARP_OK && i < q->argument_cnt; i++)
        if (q->argument[i].reads)
            status = cowarp_manifest_file(gpu, "argument", q->argument[i].path);
    for (uint32_t i = 0; status == COWARP_OK && i < q->symbol_cnt; i++)
        status = cowarp_manifest_file(gpu, "symbol", q->symbol[i].path);
    return status;
}

/* Runs the kernel and reads the buffers back; a status of libcowarp. */
static int simulate(struct request *q, struct cowarp_gpu *gpu)
{
    struct cowarp_module *module;
    struct cowarp_arg *args = calloc(q->argument_cnt + 1, sizeof *args);
    int status = args != NULL ? note_inputs(q, gpu) : COWARP_ENOMEM;
    if (status == COWARP_OK)
        status = q->one != NULL ? cowarp_load(gpu, &module, q->one->text, q->one->length, q->one->name)
                                : cowarp_load_file(gpu, &module, q->path);
    for (uint32_t i = 0; status == COWARP_OK && i < q->symbol_cnt; i++)
        status = cowarp_symbol_write(gpu, module, q->symbol[i].name, 0, q->symbol[i].data, q->symbol[i].bytes);
    for (uint32_t i = 0; status == COWARP_OK && i < q->argument_cnt; i++) {
        status = cli_argument_bind(&q->argument[i], gpu);
        args[i] = q->argument[i].value;
    }
    q->launch.arg_count = q->argument_cnt;
    q->launch.args = args;
    if (status == COWARP_OK)
        status = cowarp_run(gpu, module, &q->launch);
    for (uint32_t i = 0; status == COWARP_OK && i < q->argument_cnt; i++)
        status = cli_argument_fetch(&q->argument[i], gpu);
    free(args);
    return status;
}

/* Only after the kernel has ended well. */
static int write_outputs(struct request *q)
{
    int status = CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < q->argument_cnt; i++)
        status = cli_argument_write(&q->argument[i]);
    return status;
}

/* Behind the summary. */
static void tell_outputs(const struct request *q, const struct cli_session *s)
{
    for (uint32_t i = 0; i < q->argument_cnt; i++)
        if (q->argument[i].written && !s->quiet && !s->to_stdout)
            printf("  written       %s\n", q->argument[i].path);
}

static int run_session(struct request *q, const struct cli_parsed *p)
{
    struct cli_session s;
    int status = cli_session_open(&s, p, q->launch.kernel, cli_value(p, "system", "none"));
    if (status == CLI_OK) {
        s.kernel = q->launch.kernel;
        const int outcome = simulate(q, s.gpu);
        const struct cli_result r = {.workload = q->launch.kernel, .status = outcome};
        const int written = outcome == COWARP_OK ? write_outputs(q) : CLI_OK;
        status = cli_session_end(&s, &r);
        tell_outputs(q, &s);
        if (status == CLI_OK)
            status = written;
    }
    cli_session_close(&s);
    return status;
}

/* ---- --adversary ---- */

struct repeated {
    struct request *q;
    struct cli_buffer *list; /* [argument_cnt] */
};

static int repeat(void *self, struct cowarp_gpu *gpu)
{
    const struct repeated *r = self;
    return simulate(r->q, gpu);
}

static uint32_t buffers_of(void *self, const struct cli_buffer **list)
{
    const struct repeated *r = self;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < r->q->argument_cnt; i++) {
        const struct cli_argument *a = &r->q->argument[i];
        if (a->kind == CLI_BUFFER || a->kind == CLI_PERSISTENT)
            r->list[cnt++] = (struct cli_buffer){.name = a->place, .address = a->address, .bytes = a->bytes};
    }
    *list = r->list;
    return cnt;
}

static int run_adversary(struct request *q, const struct cli_parsed *p)
{
    struct repeated r = {.q = q, .list = calloc(q->argument_cnt + 1, sizeof *r.list)};
    const struct cli_adversary_run run = {
        .self = &r, .title = q->launch.kernel, .system = cli_value(p, "system", "none"), .run = repeat, .buffers = buffers_of};
    const int status = r.list != NULL ? cli_adversary(p, &run) : cli_error(CLI_FAILED, "out of memory");
    free(r.list);
    return status;
}

static void free_arguments(struct cli_argument *list, uint32_t cnt)
{
    for (uint32_t i = 0; list != NULL && i < cnt; i++)
        cli_argument_free(&list[i]);
    free(list);
}

static int exec(const struct cli_parsed *p)
{
    struct request q = {0};
    if (cli_has(p, "script"))
        return cli_script_run(p);
    if (cli_has(p, "recover") || cli_has(p, "verify"))
        return cli_error(CLI_WRONG, "--%s goes with --script", cli_has(p, "recover") ? "recover" : "verify");
    if (cli_has(p, "list"))
        return cli_kernels_list(p);
    if (cli_has(p, "no-files"))
        return cli_error(CLI_WRONG, "--no-files goes with --script; leave it out, or use zero:BYTES in the place of out:FILE:BYTES");
    int status = read_request(&q, p);
    if (status == CLI_OK)
        status = cli_has(p, "adversary") ? run_adversary(&q, p) : run_session(&q, p);
    cw_fatbin_texts_free(&q.texts);
    free_arguments(q.argument, q.argument_cnt);
    free_arguments(q.symbol, q.symbol_cnt);
    return status;
}

static const struct cli_option options[] = {
    {"kernel", "NAME", 0, "the .entry to run"},
    {"list", NULL, 0, "instead of a run: the kernels of the file, with their parameters"},
    {"grid", "X[,Y[,Z]]", 0, "thread blocks"},
    {"block", "X[,Y[,Z]]", 0, "threads per block"},
    {"shared", "BYTES", 0, "dynamic shared memory per block (default 0)"},
    {"baseline", NULL, 0, "under sitm-*: this launch runs under warptm, without versions of memory"},
    {"cooperative", NULL, 0, "blocks may meet at a barrier of the whole grid (grid.sync())"},
    {"static-warps", NULL, 0, "with core.divergence=tbc: threads stay in their static warps"},
    {"arg", "KIND:VALUE", CLI_REPEATS, "the kernel's arguments, in order; see below"},
    {"symbol", "NAME=FILE", CLI_REPEATS, "first bytes of a .global or .const variable, from a file"},
    {"system", "NAME", 0, "transactional system (default none)"},
    {"adversary", "N", 0,
     "runs the kernel as it is, then N times with core.memory=adversary and seeds 1 to N, and says whether buffers differ; writes no "
     "files"},
    {"script", "FILE", 0, "instead of all these but --system: several launches, loops and comparisons, see docs/command.md"},
    {"recover", "KERNEL", 0,
     "with --script and --pm: what follows a power failure, from the launch of this kernel on; the file changes only when all is right"},
    {"verify", "KERNEL|COMMAND", 0, "of --recover: the kernel whose launch begins the verification, or a command that verifies (status 0)"},
    {"no-files", NULL, 0, "with --script: carry it out without writing its files"},
};

const struct cli_command cli_exec = {
    .name = "exec",
    .usage = "FILE --kernel NAME --grid X[,Y[,Z]] --block X[,Y[,Z]] [OPTIONS] | --script FILE [OPTIONS]",
    .what = "Runs one kernel of a PTX file, or a script of several launches",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .takes_machine = true,
    .notes = "FILE is PTX, a fatbinary, or an object file, a library or a program that nvcc has made\n"
             "Kinds of argument\n"
             "  u32:N s32:N u64:N s64:N f32:X f64:X  a number\n"
             "  in:FILE                              address of a buffer with the file's bytes\n"
             "  in:FILE:BYTES                        address of a buffer with its first bytes\n"
             "  out:FILE:BYTES                       address of a zeroed buffer, written to the file after the run\n"
             "  inout:FILE                           both\n"
             "  zero:BYTES                           address of a zeroed buffer\n"
             "  version:BYTES                        the same, in versions where the system has snapshots (sitm-*)\n"
             "  pm:NAME:BYTES                        address of a region of persistent memory (--pm), made when there is none\n"
             "  bytes:FILE                           the file's bytes by value: a struct or an array\n"
             "  local:BYTES                          size of a __local argument (shared memory)\n"
             "Files are written only when the kernel has ended without an error.\n",
    .run = exec,
};
