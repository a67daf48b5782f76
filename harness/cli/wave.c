/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp wave: scenarios that leave a wave, and its picture. docs/waves.md describes them. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "file/out_file.h"

#define POLL_NS       20000000L
#define WAVES         CLI_SOURCE "/waves" /* also in a scenario's arguments, where it stands for the folder */
#define ARGUMENTS_MAX 34u                 /* of a command, with a NULL at the end */

/* Figure 3.7 of thread block compaction as a kernel: one block of three warps, on one core; its units step with each cycle of the core, so that a
 * picture holds it. */
#define FIGURE_3_7                                                                                                                \
    "exec", WAVES "/compaction.ptx", "--kernel", "figure_3_7", "--grid", "1", "--block", "96", "--preset", "thesis-tbc", "--set", \
        "core.count=1", "--set", "partition.count=1", "--set", "core.stage_cycles=1", "--quiet", "--arg"

/* Two warps of a block on a machine with persistent memory that is not far away, so that a picture holds it. */
#define PERSIST(kernel, rop)                                                                                                            \
    "exec", WAVES "/persist.ptx", "--kernel", kernel, "--grid", "1", "--block", "64", "--preset", "sbrp-near", "--set", "core.count=1", \
        "--set", "partition.count=1", "--set", "l2.rop_latency=" rop, "--set", "l2.latency=4", "--quiet", "--persistency", "sbrp",      \
        "--arg", "pm:words:1024", "--unit", "persist_buffer=rtl", "--unit", "order_masks=rtl"

/* A unit driven by waves/<file>.stim, or a part of a run. cli_wave.notes says what they show. */
static const struct scenario {
    const char *name, *file;
    const char *run[ARGUMENTS_MAX]; /* "run" or "exec", and its arguments; none: a stimulus */
} scenarios[] = {
    {"figure7", "figure7", {NULL}},
    {"stall", "stall", {NULL}},
    {"cuckoo-chain", "cuckoo_chain", {NULL}},
    {"kilo-hazard", "kilo_hazard", {NULL}},
    {"hazard-unit", "hazard_unit", {NULL}},
    {"last-writer-history", "last_writer_history", {NULL}},
    {"first-read-table", "first_read_table", {NULL}},
    {"last-written-table", "last_written_table", {NULL}},
    {"ownership-table", "ownership_table", {NULL}},
    {"getm",
     "getm",
     {"run", "ht-h", "--system", "getm", "--unit", "validation_unit=rtl", "--wave-on", "wait", "--wave-keep", "45", "--quiet", NULL}},
    {"compaction",
     "compaction",
     {FIGURE_3_7, "u32:1", "--set", "core.divergence=tbc", "--unit", "thread_compactor=rtl", "--unit", "block_stack=rtl", "--wave-window",
      "214:312", NULL}},
    {"warp-merge",
     "warp_merge",
     {FIGURE_3_7, "u32:0", "--set", "core.divergence=dwf", "--set", "core.scoreboard=register", "--unit", "warp_lut=rtl", "--wave-window",
      "200:256", NULL}},
    {"ofence", "ofence", {PERSIST("ofence_kernel", "8"), "--wave-window", "30:150", NULL}},
    {"handover", "handover", {PERSIST("handover_kernel", "60"), "--wave-window", "45:220", NULL}},
    {"priority-encoder", "priority_encoder", {NULL}},
    {"thread-compactor", "thread_compactor", {NULL}},
    {"block-stack", "block_stack", {NULL}},
    {"warp-lut", "warp_lut", {NULL}},
    {"convergence-barriers", "convergence_barriers", {NULL}},
    {"l2-tags", "l2_tags", {NULL}},
    {"l2-mshr", "l2_mshr", {NULL}},
    {"l2-slice", "l2_slice", {NULL}},
    {"dram-scheduler", "dram_scheduler", {NULL}},
    {"crossbar-port", "crossbar_port", {NULL}},
    {"adequacy-table", "adequacy_table", {NULL}},
    {"persist-buffer", "persist_buffer", {NULL}},
    {"order-masks", "order_masks", {NULL}},
    {"table1", "tcm_select", {NULL}},
    {"bank-conflict", "bank_detector", {NULL}},
};
#define SCENARIO_CNT ((uint32_t)(sizeof scenarios / sizeof scenarios[0]))

/* What is asked for. */
struct wave {
    const struct scenario *scenario; /* NULL: a stimulus file of the user's */
    char waves[CLI_PATH_BYTES];      /* the folder */
    char stimulus[CLI_PATH_BYTES];
    char fst[CLI_PATH_BYTES];
    char view[CLI_PATH_BYTES];
};

static void in_waves(char path[CLI_PATH_BYTES], const struct wave *w, const char *stem, const char *ending)
{
    snprintf(path, CLI_PATH_BYTES, "%.4000s/%.60s.%s", w->waves, stem, ending);
}

static bool is_stimulus(const char *word)
{
    const size_t length = strlen(word);
    return strchr(word, '/') != NULL || (length > 5 && strcmp(word + length - 5, ".stim") == 0);
}

static int choose(struct wave *w, const struct cli_parsed *p)
{
    const char *names[SCENARIO_CNT];
    char near[96];
    if (p->word_cnt != 1)
        return cli_error(CLI_WRONG, "wave takes one scenario or stimulus file; see 'cowarp help wave'");
    const char *word = p->word[0], *base = strrchr(word, '/') != NULL ? strrchr(word, '/') + 1 : word;
    for (uint32_t i = 0; i < SCENARIO_CNT; i++) {
        names[i] = scenarios[i].name;
        if (strcmp(names[i], word) == 0)
            w->scenario = &scenarios[i];
    }
    if (w->scenario == NULL && !is_stimulus(word))
        return cli_error(CLI_WRONG, "unknown scenario '%s'; %s", word,
                         cli_suggest(near, word, names, SCENARIO_CNT, "see 'cowarp help wave'; a stimulus file's name ends in .stim"));
    if (cli_place(w->waves, WAVES) != CLI_OK)
        return CLI_FAILED;
    if (w->scenario != NULL)
        in_waves(w->stimulus, w, w->scenario->file, "stim");
    else
        snprintf(w->stimulus, sizeof w->stimulus, "%s", word);
    const char *dot = strrchr(base, '.');
    const char *asked = cli_value(p, "wave", NULL);
    if (asked != NULL)
        snprintf(w->fst, sizeof w->fst, "%s", asked);
    else
        snprintf(w->fst, sizeof w->fst, "%.*s.fst", (int)(dot != NULL ? (size_t)(dot - base) : strlen(base)), base);
    return CLI_OK;
}

/* GTKWave itself would print its options, and succeed. */
static int check_display(void)
{
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if ((x11 != NULL && x11[0] != '\0') || (wayland != NULL && wayland[0] != '\0'))
        return CLI_OK;
    return cli_error(CLI_WRONG,
                     "--open needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set; --png FILE draws a picture instead");
}

/* Before anything runs: whether the picture can be written, there is a display, and the tools that --png and --open need are
 * there. */
static int check_tools(const struct cli_parsed *p)
{
    static const struct {
        const char *tool, *package;
    } needed[] = {{"gtkwave", "gtkwave"}, {"Xvfb", "xvfb"}, {"import", "imagemagick"}};
    const bool png = cli_has(p, "png");
    char path[CLI_PATH_BYTES];
    const uint32_t cnt = png ? 3 : cli_has(p, "open") ? 1 : 0;
    for (uint32_t i = 0; i < cnt; i++)
        if (!cli_find_tool(path, needed[i].tool))
            return cli_error(CLI_WRONG, "--%s needs %s, which is not installed; apt-get install %s", png ? "png" : "open", needed[i].tool,
                             png ? "gtkwave xvfb imagemagick" : needed[i].package);
    return cli_has(p, "open") ? check_display() : CLI_OK;
}

static void on_message(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "cowarp: %s\n", text);
}

static int stop(void *context)
{
    (void)context;
    return cli_interrupted();
}

/* ", 3 answers as expected" of what there was. */
static void print_checked(uint32_t cnt, const char *what, const char *how)
{
    if (cnt > 0)
        printf(", %u %s%s %s", cnt, what, cnt == 1 ? "" : "s", how);
}

static int play(struct wave *w, const struct cli_parsed *p)
{
    struct cowarp_played played;
    const struct cowarp_play options = {.size = sizeof options,
                                        .stimulus = w->stimulus,
                                        .wave_file = w->fst,
                                        .backend = cli_value(p, "backend", "rtl"),
                                        .on_message = on_message,
                                        .stop = stop};
    cli_catch_signals();
    const int status = cowarp_play_unit(&played, &options);
    if (status != COWARP_OK)
        return cli_error(cli_exit_of(status), "%s%s%s", played.error, status == COWARP_ECHECK ? "; the wave ends there: " : "",
                         status == COWARP_ECHECK ? w->fst : "");
    printf("%s: %" PRIu64 " cycles", w->scenario != NULL ? w->scenario->name : w->stimulus, played.cycles);
    print_checked(played.expectations, "answer", "as expected");
    print_checked(played.waits, "wait", "fulfilled");
    printf("%s\n",
           played.expectations + played.waits == 0 ? "; the stimulus expects no answer and waits for none: nothing was checked" : "");
    if (played.view[0] != '\0')
        snprintf(w->view, sizeof w->view, "%s", played.view);
    else
        in_waves(w->view, w, played.unit, "gtkw");
    return CLI_OK;
}

/* The view that goes with a run: of the event's place, beside the trace, when it waits for one, else the scenario's. CLI_FAILED: the event
 * has not come. */
static int choose_view(struct wave *w, bool waits)
{
    const size_t length = strlen(w->fst);
    const bool named = length > 4 && strcmp(w->fst + length - 4, ".fst") == 0;
    if (waits)
        snprintf(w->view, sizeof w->view, "%.*s.gtkw", (int)(named ? length - 4 : length), w->fst);
    else
        in_waves(w->view, w, w->scenario->file, "gtkw");
    if (!waits || access(w->view, R_OK) == 0)
        return CLI_OK;
    return cli_error(CLI_FAILED, "%s: the run has not come to what the scenario waits for; there is no wave", w->scenario->name);
}

/* A part of a run, by the command that anyone could give. */
static int run_command(struct wave *w, const struct cli_parsed *p)
{
    char *argv[ARGUMENTS_MAX + 2], file[CLI_PATH_BYTES + 64];
    int argc = 0;
    struct cli_parsed run;
    const char *const *words = w->scenario->run;
    const struct cli_command *command = strcmp(words[0], cli_exec.name) == 0 ? &cli_exec : &cli_run;
    if (cli_has(p, "backend"))
        return cli_error(CLI_WRONG, "--backend is for scenarios of one unit; give 'cowarp %s' the option --unit", command->name);
    bool waits = false;
    for (; words[argc + 1] != NULL; argc++) {
        argv[argc] = (char *)words[argc + 1];
        if (strncmp(argv[argc], WAVES, strlen(WAVES)) == 0) { /* one file at most */
            snprintf(file, sizeof file, "%s%s", w->waves, argv[argc] + strlen(WAVES));
            argv[argc] = file;
        }
        waits = waits || strcmp(argv[argc], "--wave-on") == 0;
    }
    argv[argc++] = (char *)"--wave";
    argv[argc++] = w->fst;
    int status = cli_parse(&run, command, argc, argv);
    if (status == CLI_OK)
        status = command->run(&run);
    cli_parsed_free(&run);
    if (status == CLI_OK)
        status = choose_view(w, waits);
    if (status == CLI_OK) {
        printf("%s: cowarp %s", w->scenario->name, command->name);
        for (int i = 0; i < argc; i++)
            printf(" %s", argv[i]);
        printf("\n");
    }
    return status;
}

/* Runs a program and waits for it; its exit status, or 127. A signal ends it, with all that it has started. */
static int execute(const char *const *argv)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};
    int status = 0;
    cli_catch_signals();
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* whatever ends the command ends it */
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    for (pid_t done = 0; child > 0 && done != child;) {
        done = waitpid(child, &status, WNOHANG);
        if (done < 0 && errno != EINTR)
            return 127;
        if (done != child && cli_interrupted() && kill(-child, SIGTERM) != 0)
            kill(child, SIGTERM); /* it has no group yet */
        if (done != child)
            nanosleep(&pause, NULL);
    }
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static int draw(const struct wave *w, const char *png)
{
    char script[CLI_PATH_BYTES];
    const char *const argv[] = {script, w->view, w->fst, png, NULL};
    in_waves(script, w, "picture", "sh");
    fflush(stdout);
    if (execute(argv) != 0)
        return cli_error(CLI_FAILED, "%s: could not be drawn", png);
    printf("written %s\n", png);
    return CLI_OK;
}

/* Becomes GTKWave. The views name their filter files from the folder above waves/. */
static int open_viewer(struct wave *w)
{
    char *fst = realpath(w->fst, NULL), *view = realpath(w->view, NULL);
    fflush(stdout);
    char *slash = strrchr(w->waves, '/');
    if (fst != NULL && view != NULL && slash != NULL && (*slash = '\0', chdir(w->waves)) == 0)
        execlp("gtkwave", "gtkwave", fst, view, (char *)NULL);
    const int status = cli_error(CLI_FAILED, "gtkwave %s %s: %s", w->fst, w->view, strerror(errno));
    free(fst);
    free(view);
    return status;
}

static int run(const struct cli_parsed *p)
{
    struct wave w = {0};
    int status = choose(&w, p);
    if (status == CLI_OK)
        status = cli_check_outputs(p);
    if (status == CLI_OK)
        status = check_tools(p);
    if (status == CLI_OK)
        status = w.scenario != NULL && w.scenario->run[0] != NULL ? run_command(&w, p) : play(&w, p);
    if (status != CLI_OK)
        return status;
    printf("written %s; to look at it: (cd %.*s && gtkwave %s%s %s%s)\n", w.fst, (int)(strrchr(w.waves, '/') - w.waves), w.waves,
           w.fst[0] == '/' ? "" : "$OLDPWD/", w.fst, w.view[0] == '/' ? "" : "$OLDPWD/", w.view);
    if (cli_has(p, "png"))
        status = draw(&w, cli_value(p, "png", NULL));
    if (status == CLI_OK && cli_has(p, "open"))
        status = open_viewer(&w);
    return status;
}

static const struct cli_option options[] = {
    {"wave", "FILE", 0, "the FST file (default SCENARIO.fst)"},
    {"backend", "c|rtl|lockstep", 0, "what stands behind the unit (default rtl); c has no inner signals"},
    {"png", "FILE", 0, "draw the wave in the scenario's view; needs gtkwave, xvfb, imagemagick"},
    {"open", NULL, 0, "open it in GTKWave"},
};

const struct cli_command cli_wave = {
    .name = "wave",
    .usage = "SCENARIO|FILE.stim [OPTIONS]",
    .what = "Plays a scenario on a unit's RTL, checks its answers and leaves a wave",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .notes = "Scenarios\n"
             "  figure7       GETM's Figure 7: two transactions on one validation unit, an abort, a stall and its wake-up\n"
             "  stall         three requests wait in the stall buffer for one granule; a release wakes them, oldest first\n"
             "  cuckoo-chain  an insertion into a full cuckoo table: a chain of displacements that ends in the stash\n"
             "  kilo-hazard   Kilo TM: a commit unit finds a hazard, waits, validates again; the transaction fails\n"
             "  hazard-unit   Kilo TM: the youngest earlier transaction that writes what a transaction reads\n"
             "  last-writer-history\n"
             "                Kilo TM: the oldest commit IDs leave a full set for the recency Bloom filter\n"
             "  first-read-table, last-written-table\n"
             "                temporal conflict detection: which read-only transactions may commit silently\n"
             "  ownership-table\n"
             "                intra-warp conflict resolution: four transactions of a warp, of which two may commit\n"
             "  getm          HT-H under GETM: a core's warps and a partition's validation unit while requests stall\n"
             "  compaction    thread block compaction, Figure 3.7: the warps of a block meet at a branch and are made anew\n"
             "  warp-merge    dynamic warp formation at the same branch: threads with one next PC merge into warps\n"
             "  ofence        SBRP: a line waits in the persist buffer until the line before an oFence is durable\n"
             "  handover      SBRP: what a warp writes after an acquire waits for what another has released\n"
             "  priority-encoder, thread-compactor, block-stack, warp-lut\n"
             "                the units of these two, each by itself, at Figures 3.5 and 3.7\n"
             "  persist-buffer, order-masks\n"
             "                persistency: a write behind an oFence, a dFence, and warps that do not wait for others\n"
             "  table1        scratch-pad transactions: the select of GPU-LocalTM's Table 1, and two pairs that conflict\n"
             "  bank-conflict scratch-pad transactions: the detector of a bank, by signatures and by a directory\n"
             "\n"
             "FILE.stim drives any unit, see docs/waves.md.\n",
    .run = run,
};
