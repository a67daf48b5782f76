/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds a run: the GPU made from the machine options, progress line, signals, summary, statistics file. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "file/out_file.h"

#define LINE_INTERVAL_SECONDS 0.2
#define LOG_INTERVAL_SECONDS  60.0
#define REPORT_LINES          12u
#define OCCUPANCY_LINES       4u
#define CHECK_LINES           20u
#define REDZONE_BYTES         UINT64_C(256) /* by default, of kernels that nobody here knows */
#define REDZONE_MAX           (UINT64_C(1) << 30)

/* The one thing that a signal handler may touch: the signal's number, 0 before there was one. */
static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
    alarm(1);
}

/* Who begins to wait for the reader of a pipe when the signal has come already is interrupted, too. */
static void on_alarm(int number)
{
    (void)number;
    alarm(1);
}

bool cli_interrupted(void)
{
    return stop_signal != 0;
}

/* As shells say it of a process. */
int cli_exit_of(int status)
{
    return cli_interrupted() && status == COWARP_ELIMIT ? 128 + stop_signal : cli_exit(status);
}

/* The first signal asks the simulator to stop; the handler is gone then, so that a second one ends the process at once. */
void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    struct sigaction again = {.sa_handler = on_alarm, .sa_flags = (int)SA_RESTART};
    sigemptyset(&again.sa_mask);
    sigaction(SIGALRM, &again, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) != 0 || hang_up.sa_handler != SIG_IGN) /* nohup means that the run goes on */
        sigaction(SIGHUP, &action, NULL);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void erase_line(struct cli_session *s)
{
    if (s->line_shown)
        fputs("\r\x1b[K", stderr);
    s->line_shown = false;
}

/* How long the launch will still take, by the blocks that have ended; before the first one nothing is known. */
static void tell_rest(const struct cli_session *s, double now, uint64_t done, uint64_t total)
{
    const double left = done > 0 ? (now - s->launch_at) * (double)(total - done) / (double)done : 0;
    if (done == 0)
        fprintf(stderr, "none of %" PRIu64 " blocks has ended", total);
    else
        fprintf(stderr, "%" PRIu64 " of %" PRIu64 " blocks, %.0f s left", done, total, left);
}

static int on_progress(void *context, uint64_t cycles, uint64_t done, uint64_t total)
{
    struct cli_session *s = context;
    const double now = seconds();
    if (done < s->blocks_done || s->launch_at <= 0) /* another launch */
        s->launch_at = now;
    s->blocks_done = done;
    if (s->on_terminal && total > 0 && now - s->line_at >= LINE_INTERVAL_SECONDS) {
        fprintf(stderr, "\r%s: %.0f s, %" PRIu64 " cycles, %.0f cycles/s, ", s->title, now - s->started, cycles,
                (double)cycles / (now - s->started));
        tell_rest(s, now, done, total);
        fputs("\x1b[K", stderr);
        s->line_at = now;
        s->line_shown = true;
    }
    cli_progress_note(s, now, "blocks", done, total);
    return stop_signal;
}

void cli_session_step(struct cli_session *s, const char *what, uint64_t done, uint64_t total)
{
    const double now = seconds();
    cli_progress_note(s, now, what, done, total);
    if (s->quiet || now - s->line_at < (s->on_terminal ? LINE_INTERVAL_SECONDS : LOG_INTERVAL_SECONDS))
        return;
    fprintf(stderr, "%s%s: %" PRIu64 " of %" PRIu64 " %s, %.0f s left%s", s->on_terminal ? "\r" : "", s->title, done, total, what,
            done > 0 ? (now - s->steps_at) * (double)(total - done) / (double)done : 0, s->on_terminal ? "\x1b[K" : "\n");
    s->line_at = now;
    s->line_shown = s->on_terminal;
}

void cli_session_steps_begin(struct cli_session *s)
{
    s->steps_at = s->line_at = seconds();
}

void cli_session_steps_end(struct cli_session *s)
{
    erase_line(s);
}

/* "kernel NAME of ..." */
static bool is_about_kernel(const char *text, const char *name)
{
    static const char begin[] = "kernel ", end[] = " of ";
    const size_t length = strlen(name), head = sizeof begin - 1;
    return strncmp(text, begin, head) == 0 && strncmp(text + head, name, length) == 0 &&
           strncmp(text + head + length, end, sizeof end - 1) == 0;
}

static void on_message(void *context, const char *text)
{
    struct cli_session *s = context;
    erase_line(s);
    if ((!s->quiet || strncmp(text, "check ", 6) == 0) && (s->kernel == NULL || !is_about_kernel(text, s->kernel)))
        fprintf(stderr, "cowarp: %s\n", text);
}

static void on_print(void *context, const char *text, uint64_t length)
{
    const struct cli_session *s = context;
    erase_line(context);
    fwrite(text, 1, length, s->guest ? stdout : stderr); /* of a guest: where the program's own printf goes */
}

static int read_number(const struct cli_parsed *p, const char *option, uint64_t *value)
{
    const char *text = cli_value(p, option, NULL);
    if (text == NULL || cli_u64(text, value))
        return CLI_OK;
    if (cli_is_number(text))
        return cli_error(CLI_WRONG, "--%s %s: out of range, 0 to %" PRIu64, option, text, UINT64_MAX);
    return cli_error(CLI_WRONG, "--%s '%s': not a whole number of 64 bits", option, text);
}

/* A:B of core cycles or launches (what); an empty B is 0. */
static int read_range(const char *option, const char *what, const char *text, uint64_t *from, uint64_t *to)
{
    char begin[24];
    const char *colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : sizeof begin;
    if (length >= sizeof begin)
        return cli_error(CLI_WRONG, "--%s '%s': expected two %s, as in %s", option, text, what, what[0] == 'c' ? "1000:2000" : "10:20");
    memcpy(begin, text, length);
    begin[length] = '\0';
    if (!cli_u64(begin, from) || (colon[1] != '\0' && !cli_u64(colon + 1, to)))
        return cli_error(CLI_WRONG, "--%s '%s': expected two %s, as in %s", option, text, what, what[0] == 'c' ? "1000:2000" : "10:20");
    if (colon[1] != '\0' && *to <= *from)
        return cli_error(CLI_WRONG, "--%s '%s': ends before it begins", option, text);
    return CLI_OK;
}

static int read_window(struct cli_session *s, const struct cli_parsed *p)
{
    const char *text = cli_value(p, "wave-window", NULL);
    s->options.wave_file = cli_value(p, "wave", NULL);
    if (text == NULL)
        return CLI_OK;
    if (s->options.wave_file == NULL)
        return cli_error(CLI_WRONG, "--wave-window without --wave; give --wave FILE too");
    return read_range("wave-window", "core cycles", text, &s->options.wave_begin, &s->options.wave_end);
}

static int read_timeline(struct cli_session *s, const struct cli_parsed *p)
{
    struct cowarp_options *o = &s->options;
    const char *window = cli_value(p, "timeline-window", NULL), *mbytes = cli_value(p, "timeline-mbytes", NULL);
    o->timeline_file = cli_output(p, "timeline");
    o->konata_file = cli_output(p, "konata");
    if (o->timeline_file == NULL && o->konata_file == NULL && (window != NULL || mbytes != NULL))
        return cli_error(CLI_WRONG, "--timeline-%s without --timeline or --konata; give one of them a FILE",
                         window != NULL ? "window" : "mbytes");
    if (mbytes != NULL && (!cli_u32(mbytes, &o->timeline_mbytes) || o->timeline_mbytes == 0))
        return cli_error(CLI_WRONG, "--timeline-mbytes '%s': expected a number from 1 to 65536", mbytes);
    return window != NULL ? read_range("timeline-window", "core cycles", window, &o->timeline_begin, &o->timeline_end) : CLI_OK;
}

static int read_trigger(struct cli_session *s, const struct cli_parsed *p)
{
    struct cowarp_options *o = &s->options;
    o->wave_on = cli_value(p, "wave-on", NULL);
    if (o->wave_on != NULL && o->wave_file == NULL)
        return cli_error(CLI_WRONG, "--wave-on without --wave; give --wave FILE too");
    if (o->wave_on != NULL && cli_has(p, "wave-window"))
        return cli_error(CLI_WRONG, "--wave-on and --wave-window; give one of them");
    if (o->wave_on == NULL && cli_has(p, "wave-keep"))
        return cli_error(CLI_WRONG, "--wave-keep without --wave-on; give --wave-on EVENT too");
    int status = read_number(p, "wave-keep", &o->wave_keep);
    if (status == CLI_OK && cli_has(p, "wave-keep") && o->wave_keep == 0)
        return cli_error(CLI_WRONG, "--wave-keep 0: keeps 1 to 100000 core cycles");
    return status;
}

static int read_samples(struct cli_session *s, const struct cli_parsed *p)
{
    const int status = read_number(p, "sample", &s->options.sample_cycles);
    if (status == CLI_OK && cli_has(p, "sample") && s->options.sample_cycles == 0)
        return cli_error(CLI_WRONG, "--sample 0: a row has at least 1 core cycle");
    if (s->options.sample_file == NULL && (cli_has(p, "sample") || cli_has(p, "sample-counters")))
        return cli_error(CLI_WRONG, "--%s without --samples; give --samples FILE too", cli_has(p, "sample") ? "sample" : "sample-counters");
    if (s->options.sample_file != NULL && !cli_has(p, "sample"))
        return cli_error(CLI_WRONG, "--samples without --sample; give --sample N too, the core cycles of a row");
    return status;
}

static int read_parts(struct cli_session *s, const struct cli_parsed *p)
{
    static const char *const parts[] = {"launch", "core", "partition"};
    int *const wanted[] = {&s->options.per_launch, &s->options.per_core, &s->options.per_partition};
    for (uint32_t i = 0; i < p->given_cnt; i++) {
        uint32_t k = 0;
        char near[96];
        if (strcmp(p->given[i].option->name, "per") != 0)
            continue;
        while (k < 3 && strcmp(p->given[i].value, parts[k]) != 0)
            k++;
        if (k == 3)
            return cli_error(CLI_WRONG, "--per '%s': unknown; %s", p->given[i].value,
                             cli_suggest(near, p->given[i].value, parts, 3, "takes launch, core or partition"));
        *wanted[k] = 1;
    }
    if (cli_has(p, "per") && !cli_has(p, "stats"))
        return cli_error(CLI_WRONG, "--per without --stats; give --stats FILE too");
    return CLI_OK;
}

/* Every name of --mech a,b --mech c. */
static int read_mechs(struct cli_session *s, const struct cli_parsed *p)
{
    const char **given = cli_values(p, "mech", 0);
    size_t bytes = 1, cnt = 0;
    for (uint32_t i = 0; given != NULL && given[i] != NULL; i++)
        bytes += strlen(given[i]) + 1;
    s->mech_names = calloc(bytes, 1);
    s->mechs = calloc(bytes, sizeof *s->mechs);
    const bool ok = given != NULL && s->mech_names != NULL && s->mechs != NULL;
    for (uint32_t i = 0; ok && given[i] != NULL; i++)
        sprintf(s->mech_names + strlen(s->mech_names), "%s,", given[i]);
    free(given);
    if (!ok)
        return cli_error(CLI_FAILED, "out of memory");
    for (char *name = strtok(s->mech_names, ","); name != NULL; name = strtok(NULL, ","))
        s->mechs[cnt++] = name;
    s->options.mechanisms = s->mechs;
    return CLI_OK;
}

/* --set and --tx-warps, which is one more setting, and --unit. */
static int read_settings(struct cli_session *s, const struct cli_parsed *p)
{
    s->settings = cli_values(p, "set", 1);
    s->units = cli_values(p, "unit", 0);
    if (s->settings == NULL || s->units == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    const char *tx_warps = cli_value(p, "tx-warps", NULL);
    uint32_t cnt = 0;
    while (s->settings[cnt] != NULL)
        cnt++;
    if (tx_warps != NULL) {
        snprintf(s->tx_warps, sizeof s->tx_warps, "tm.warps=%.20s", tx_warps);
        s->settings[cnt] = s->tx_warps;
    }
    s->options.settings = s->settings;
    s->options.units = s->units;
    s->options.elastic = cli_has(p, "elastic");
    const int status = cli_check_assignments(p, "set");
    return status == CLI_OK ? cli_check_assignments(p, "unit") : status;
}

static int read_registers(struct cli_session *s, const struct cli_parsed *p)
{
    const char *text = cli_value(p, "registers", NULL);
    s->options.resource_usage = cli_value(p, "resource-usage", NULL);
    if (text != NULL && (!cli_u32(text, &s->options.registers) || s->options.registers == 0 || s->options.registers > CLI_REGISTERS_MAX))
        return cli_error(CLI_WRONG, "--registers '%s': a thread has 1 to %u registers", text, CLI_REGISTERS_MAX);
    return CLI_OK;
}

/* How functional launches are carried out; "": not said. */
static int read_how(struct cli_session *s, const char *how)
{
    if (strcmp(how, "steps") == 0)
        s->options.functional = COWARP_FUNCTIONAL_STEPS;
    else if (strcmp(how, "native") == 0)
        s->options.functional = COWARP_FUNCTIONAL_NATIVE;
    else if (how[0] != '\0')
        return cli_error(CLI_WRONG, "--functional=%s: it is steps or native, or --functional alone", how);
    return CLI_OK;
}

static int read_functional(struct cli_session *s, const struct cli_parsed *p)
{
    const bool litmus = strcmp(p->command->name, "litmus") == 0, crash = strcmp(p->command->name, "crash") == 0;
    const char *launches = cli_value(p, "launches", NULL);
    s->options.functional = cli_has(p, "functional") || launches != NULL;
    if (s->options.functional && (litmus || crash))
        return cli_error(CLI_WRONG, "%s judges when stores become durable, which launches without time do not have; leave --%s out",
                         p->command->name, launches != NULL ? "launches" : "functional");
    if (launches == NULL)
        return read_how(s, cli_value(p, "functional", ""));
    if (cli_has(p, "functional"))
        return cli_error(CLI_WRONG, "--functional and --launches; give one of them: --launches has all other launches functional");
    const int status = read_range("launches", "numbers of launches", launches, &s->options.timed_begin, &s->options.timed_end);
    if (status == CLI_OK && s->options.timed_end == 0)
        s->options.timed_end = UINT64_MAX;
    return status;
}

static int read_threads(struct cli_session *s, const struct cli_parsed *p)
{
    const char *text = cli_value(p, "threads", NULL);
    if (text == NULL)
        return CLI_OK;
    if (s->options.functional == 0 && s->options.estimate == 0)
        return cli_error(CLI_WRONG, "--threads: timed launches use one; it goes with --functional, --launches or --estimate");
    if (strcmp(text, "all") == 0) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        s->options.threads = processors < 1 ? 1 : processors > COWARP_THREADS_MAX ? COWARP_THREADS_MAX : (uint32_t)processors;
    } else if (!cli_u32(text, &s->options.threads) || s->options.threads == 0 || s->options.threads > COWARP_THREADS_MAX)
        return cli_error(CLI_WRONG, "--threads '%s': it is a number from 1 to %u, or all", text, COWARP_THREADS_MAX);
    return CLI_OK;
}

/* "1" or "1%". */
static int read_estimate(struct cli_session *s, const struct cli_parsed *p)
{
    const char *text = cli_value(p, "estimate", NULL);
    char *end;
    if (text == NULL)
        return CLI_OK;
    if (strcmp(p->command->name, "litmus") == 0 || strcmp(p->command->name, "crash") == 0)
        return cli_error(CLI_WRONG, "%s needs all of its runs; leave --estimate out", p->command->name);
    const double percent = strtod(text, &end);
    end += *end == '%';
    if (end == text || *end != '\0' || !(percent >= 0.01 && percent <= 50))
        return cli_error(CLI_WRONG, "--estimate '%s': not a percentage from 0.01 to 50, such as 1%%", text);
    s->options.estimate = percent / 100;
    return CLI_OK;
}

static int read_checks(struct cli_session *s, const struct cli_parsed *p)
{
    const char *lines = cli_value(p, "check-lines", NULL);
    s->options.checks = cli_value(p, "check", NULL);
    s->options.check_lines = CHECK_LINES;
    if (lines != NULL && s->options.checks == NULL)
        return cli_error(CLI_WRONG, "--check-lines without --check; give --check LIST too");
    if (lines != NULL && !cli_u32(lines, &s->options.check_lines))
        return cli_error(CLI_WRONG, "--check-lines '%s': not a whole number of 32 bits", lines);
    return CLI_OK;
}

static int read_bounds(struct cli_session *s, const struct cli_parsed *p)
{
    static const char *const modes[] = {"fault", "warn", "zero"};
    const char *mode = cli_value(p, "oob", "fault"), *zone = cli_value(p, "redzone", NULL);
    char near[96];
    uint32_t i = 0;
    while (i < 3 && strcmp(mode, modes[i]) != 0)
        i++;
    if (i == 3)
        return cli_error(CLI_WRONG, "--oob '%s': unknown; %s", mode, cli_suggest(near, mode, modes, 3, "takes fault, warn or zero"));
    s->options.out_of_bounds = mode;
    s->options.redzone_bytes = strcmp(p->command->name, "exec") == 0 || strcmp(p->command->name, "cuda") == 0 ? REDZONE_BYTES : 0;
    if (zone != NULL && (!cli_u64(zone, &s->options.redzone_bytes) || s->options.redzone_bytes > REDZONE_MAX))
        return cli_error(CLI_WRONG, "--redzone '%s': a number of bytes from 0 to %" PRIu64, zone, REDZONE_MAX);
    return CLI_OK;
}

/* "FILE@CYCLE"; the file's name may have an @ too. */
static int read_saved(struct cli_session *s, const struct cli_parsed *p)
{
    const char *save = cli_value(p, "save", NULL), *at = save != NULL ? strrchr(save, '@') : NULL;
    s->options.load_file = cli_value(p, "load", NULL);
    if ((save != NULL || s->options.load_file != NULL) && strcmp(p->command->name, "run") != 0 && strcmp(p->command->name, "exec") != 0)
        return cli_error(
            CLI_WRONG, "--save and --load are of 'cowarp run' and 'cowarp exec': %s makes other runs, or its host reads memory past cowarp",
            p->command->name);
    if (save == NULL)
        return CLI_OK;
    if (at == NULL || at == save || !cli_u64(at + 1, &s->options.save_cycle))
        return cli_error(CLI_WRONG, "--save '%s': takes FILE@CYCLE: a file, and the core cycle in which the run is saved", save);
    s->save_file = strndup(save, (size_t)(at - save));
    if (s->save_file == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    s->options.save_file = s->save_file;
    return CLI_OK;
}

static int read_options(struct cli_session *s, const struct cli_parsed *p)
{
    struct cowarp_options *o = &s->options;
    cowarp_options_init(o);
    o->preset = cli_value(p, "preset", "getm");
    o->config_file = cli_input(cli_value(p, "config", NULL));
    o->control = cli_value(p, "control", NULL);
    o->persistency = cli_value(p, "persistency", NULL);
    o->pm_file = cli_value(p, "pm", NULL);
    o->check_serial = !cli_has(p, "check-serial") ? 0 : cli_has(p, "real-time") ? 2 : 1;
    o->check_persist = cli_has(p, "check-persist");
    o->count_stalls = cli_has(p, "stalls");
    o->pack_messages = cli_has(p, "pack");
    o->omit_host_seconds = cli_has(p, "omit-host-seconds");
    o->sabotage = cli_value(p, "sabotage", NULL);
    o->record = s->record;
    o->record_branches = cli_has(p, "record-branches");
    o->record_profile = cli_has(p, "profile");
    o->sample_file = cli_output(p, "samples");
    o->bins_file = cli_output(p, "bins");
    o->sample_counters = cli_value(p, "sample-counters", NULL);
    o->lcp_profile = cli_value(p, "lcp-profile", NULL);
    const char *socket = cli_value(p, "debug-socket", NULL);
    uint32_t file = 0;
    if (socket != NULL && (!cli_u32(socket, &file) || file == 0 || file > INT16_MAX))
        return cli_error(CLI_WRONG, "--debug-socket '%s': the number of an open file; 'cowarp debug' gives it", socket);
    o->debug_socket = (int)file;
    int status = read_settings(s, p);
    if (status == CLI_OK)
        status = read_mechs(s, p);
    if (status == CLI_OK)
        status = read_number(p, "seed", &o->seed);
    if (status == CLI_OK)
        status = read_number(p, "max-cycles", &o->max_cycles);
    if (status == CLI_OK)
        status = read_number(p, "renew", &o->renew_cycles);
    if (status == CLI_OK)
        status = read_saved(s, p);
    if (status == CLI_OK && cli_has(p, "real-time") && o->check_serial == 0)
        return cli_error(CLI_WRONG, "--real-time goes with --check-serial, which finds the order");
    if (status == CLI_OK && cli_has(p, "max-cycles") && o->max_cycles == 0)
        return cli_error(CLI_WRONG, "--max-cycles 0: nothing runs in no cycles; leave it out, and there is no limit");
    if (status == CLI_OK)
        status = read_registers(s, p);
    if (status == CLI_OK)
        status = read_bounds(s, p);
    if (status == CLI_OK)
        status = read_checks(s, p);
    if (status == CLI_OK)
        status = read_functional(s, p);
    if (status == CLI_OK)
        status = read_estimate(s, p);
    if (status == CLI_OK)
        status = read_threads(s, p);
    if (status == CLI_OK)
        status = read_samples(s, p);
    if (status == CLI_OK)
        status = read_parts(s, p);
    if (status == CLI_OK)
        status = read_timeline(s, p);
    if (status == CLI_OK)
        status = read_window(s, p);
    return status == CLI_OK ? read_trigger(s, p) : status;
}

/* Checked now rather than after minutes of simulation. */
static int read_files(struct cli_session *s, const struct cli_parsed *p)
{
    const char *record = cli_value(p, "record", NULL), *equals = record != NULL ? strchr(record, '=') : NULL;
    s->stats = cli_output(p, "stats");
    s->branches = cli_output(p, "record-branches");
    s->profile = cli_output(p, "profile");
    s->to_stdout = cli_writes_stdout(p);
    if (record != NULL) {
        const bool out = equals != NULL && strcmp(equals, "=-") == 0;
        if (asprintf(&s->record, "%.*s%s", out ? (int)(equals - record) + 1 : (int)strlen(record), record, out ? "/dev/stdout" : "") < 0)
            s->record = NULL;
        if (s->record == NULL)
            return cli_error(CLI_FAILED, "out of memory");
    }
    return cli_check_outputs(p);
}

int cli_session_read(struct cli_session *s, const struct cli_parsed *p, const char *title, const char *system)
{
    memset(s, 0, sizeof *s);
    s->title = title;
    s->quiet = cli_has(p, "quiet");
    s->on_terminal = !s->quiet && isatty(STDERR_FILENO);
    int status = read_files(s, p);
    if (status == CLI_OK)
        status = read_options(s, p);
    s->options.system = system;
    s->options.on_progress = on_progress;
    s->options.on_message = on_message;
    s->options.on_print = on_print;
    s->options.context = s;
    cli_progress_open(s);
    return status;
}

int cli_session_start(struct cli_session *s, const struct cli_parsed *p)
{
    const int status = cowarp_create(&s->gpu, &s->options);
    if (status != COWARP_OK) /* ports that differ are the request's fault: nothing has been simulated */
        return cli_error(status == COWARP_EMISMATCH ? CLI_WRONG : cli_exit_of(status), "%s", cowarp_error(s->gpu));
    if (cli_manifest(s->gpu, p) != CLI_OK)
        return CLI_FAILED;
    s->started = seconds();
    return CLI_OK;
}

static int open_session(struct cli_session *s, const struct cli_parsed *p, const char *title, const char *system, int log)
{
    const int status = cli_session_read(s, p, title, system);
    if (status != CLI_OK)
        return status;
    s->options.pm_log = log;
    cli_catch_signals();
    return cli_session_start(s, p);
}

int cli_session_open(struct cli_session *s, const struct cli_parsed *p, const char *title, const char *system)
{
    return open_session(s, p, title, system, 0);
}

int cli_session_open_logged(struct cli_session *s, const struct cli_parsed *p, const char *title, const char *system, int log)
{
    return open_session(s, p, title, system, log);
}

void cli_session_close(struct cli_session *s)
{
    erase_line(s);
    cowarp_destroy(s->gpu);
    free(s->settings);
    free(s->units);
    free(s->mechs);
    free(s->mech_names);
    free(s->record);
    free(s->save_file);
}

static uint64_t counter(struct cli_session *s, const char *name)
{
    uint64_t value = 0;
    cowarp_counter(s->gpu, name, &value);
    return value;
}

/* Where words about the run go. */
static FILE *out(const struct cli_session *s)
{
    return s->guest ? stderr : stdout;
}

static void print_event(const struct cli_session *s)
{
    struct cowarp_wave_event e;
    char place[160] = "";
    if (cowarp_wave_event(s->gpu, &e) != COWARP_OK)
        return;
    if (e.core >= 0)
        snprintf(place, sizeof place, ": core %d, warp %d", e.core, e.warp);
    fprintf(out(s), "  written       %s%s%s%s\n", s->view, place, e.unit[0] == '\0' ? "" : place[0] == '\0' ? ": " : ", ", e.unit);
}

static int follow_event(struct cli_session *s)
{
    struct cowarp_wave_event e;
    if (s->options.wave_on == NULL || !cowarp_wave_written(s->gpu) || cowarp_wave_event(s->gpu, &e) != COWARP_OK)
        return CLI_OK;
    return cli_view_follow(s->view, sizeof s->view, s->gpu, s->options.wave_file, s->options.system, &e);
}

/* A line for each kernel that has been launched in blocks of one size. */
static void print_occupancy(const struct cli_session *s)
{
    struct cowarp_occupancy o, another;
    const bool several = cowarp_occupancy_at(s->gpu, 1, &another) != 0;
    uint32_t i = 0, more = OCCUPANCY_LINES;
    for (; i < OCCUPANCY_LINES && cowarp_occupancy_at(s->gpu, i, &o); i++) {
        const char *name = several ? o.kernel : "", *colon = several ? ": " : "";
        fprintf(out(s),
                "  occupancy     %.60s%s%" PRIu32 " block%s of %" PRIu32 " threads per core, %" PRIu32 " registers each; limit: %s\n", name,
                colon, o.blocks_per_core, o.blocks_per_core == 1 ? "" : "s", o.threads, o.registers, o.limit);
    }
    while (cowarp_occupancy_at(s->gpu, more, &another))
        more++;
    if (more > OCCUPANCY_LINES)
        fprintf(out(s), "  occupancy     %" PRIu32 " more; --stats FILE has them all\n", more - OCCUPANCY_LINES);
}

/* How well the cycles are known, and what was timed for it. */
static void print_estimate(const struct cli_session *s)
{
    struct cowarp_estimate e = {.size = sizeof e};
    if (s->options.estimate == 0 || cowarp_estimated(s->gpu, &e) != COWARP_OK || e.cycles <= 0)
        return;
    const double percent = 100 * e.half / e.cycles, all = e.timed_instructions + e.untimed_instructions;
    const uint64_t launches = e.timed_launches + e.partly_timed_launches + e.untimed_launches;
    fprintf(out(s), "  estimated     within %.2f %%%s: %.0f to %.0f cycles; %.2f %% of the instructions were timed\n", percent,
            percent > 100 * s->options.estimate ? ", and no better" : "", e.cycles - e.half, e.cycles + e.half,
            all > 0 ? 100 * e.timed_instructions / all : 100);
    fprintf(out(s), "  launches      %" PRIu64 ": %" PRIu64 " timed, %" PRIu64 " timed in part, %" PRIu64 " without time\n", launches,
            e.timed_launches, e.partly_timed_launches, e.untimed_launches);
}

/* A paragraph for each unit, below a word of the summary. */
static void print_elastic(const struct cli_session *s)
{
    const char *text = cowarp_elastic(s->gpu);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        fprintf(out(s), "%s%.*s\n", text[0] == ' ' ? "" : "  elastic       ", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_summary(struct cli_session *s, const struct cli_result *r)
{
    const uint64_t cycles = cowarp_cycles(s->gpu), committed = counter(s, "tx_committed"), aborted = counter(s, "tx_aborted");
    const uint64_t functional = counter(s, "functional_launches");
    const double host = cowarp_host_seconds(s->gpu);
    fprintf(out(s), "%s%s%s%s, system %s, preset %s\n", r->workload, r->variant != NULL ? " (" : "", r->variant != NULL ? r->variant : "",
            r->variant != NULL ? ")" : "", s->options.system, s->options.preset);
    if (functional > 0 && s->options.estimate == 0)
        fprintf(out(s), "  functional    %" PRIu64 " launch%s without time: %" PRIu64 " thread instructions, %" PRIu64 " warp\n",
                functional, functional == 1 ? "" : "es", counter(s, "functional_thread_instructions"),
                counter(s, "functional_warp_instructions"));
    if (cycles > 0 || functional == 0) {
        fprintf(out(s), "  simulated     %" PRIu64 " cycles, %.2f us\n", cycles, cowarp_microseconds(s->gpu));
        print_estimate(s);
        fprintf(out(s), "  instructions  %" PRIu64 " thread, %" PRIu64 " warp\n", counter(s, "thread_instructions"),
                counter(s, "warp_instructions"));
    }
    print_occupancy(s);
    if (committed > 0)
        fprintf(out(s), "  transactions  %" PRIu64 " committed, %" PRIu64 " aborted (%.0f per 1,000 commits)\n", committed, aborted,
                1000.0 * (double)aborted / (double)committed);
    if (r->check != NULL)
        fprintf(out(s), "  result        %s%s%s\n", r->check, r->message != NULL ? ": " : "", r->message != NULL ? r->message : "");
    if (s->options.checks != NULL)
        fprintf(out(s), "  checked       %s: %" PRIu64 " findings\n", s->options.checks, cowarp_findings(s->gpu, NULL));
    if (cowarp_oracle(s->gpu)[0] != '\0')
        fprintf(out(s), "  oracle        %s\n", cowarp_oracle(s->gpu));
    if (cowarp_persist_oracle(s->gpu)[0] != '\0')
        fprintf(out(s), "  oracle        %s\n", cowarp_persist_oracle(s->gpu));
    print_elastic(s);
    if (cycles > 0 || functional == 0)
        fprintf(out(s), "  host          %.3f s, %.0f cycles/s\n", host, host > 0 ? (double)cycles / host : 0);
    else
        fprintf(out(s), "  host          %.3f s, %.1f M thread instructions/s\n", host,
                host > 0 ? 1e-6 * (double)counter(s, "functional_thread_instructions") / host : 0);
    if (s->stats_written)
        fprintf(out(s), "  written       %s\n", s->stats);
    if (cowarp_wave_written(s->gpu))
        fprintf(out(s), "  written       %s\n", s->options.wave_file);
    if (s->view[0] != '\0')
        print_event(s);
    if (s->watched && s->options.record != NULL)
        fprintf(out(s), "  recorded      %s\n", strchr(s->options.record, '=') + 1);
    if (s->branches_written)
        fprintf(out(s), "  recorded      %s\n", s->branches);
    if (s->watched && s->options.timeline_file != NULL)
        fprintf(out(s), "  written       %s\n", s->options.timeline_file);
    if (s->watched && s->options.konata_file != NULL)
        fprintf(out(s), "  written       %s\n", s->options.konata_file);
    if (s->watched && s->options.sample_file != NULL)
        fprintf(out(s), "  written       %s\n", s->options.sample_file);
    if (s->watched && s->options.bins_file != NULL)
        fprintf(out(s), "  written       %s\n", s->options.bins_file);
    if (s->profile_written)
        fprintf(out(s), "  written       %s\n", s->profile);
}

/* The first lines of the report: what spins comes first, then every warp, and there may be hundreds of those. */
static void print_report(const char *report)
{
    const char *end = report;
    unsigned shown = 0, more = 0;
    for (; *end != '\0' && shown < REPORT_LINES; end++)
        shown += *end == '\n';
    fwrite(report, 1, (size_t)(end - report), stderr);
    for (; *end != '\0'; end++)
        more += *end == '\n';
    if (more > 0)
        fprintf(stderr, "... and %u more lines; --stats FILE has them all\n", more);
}

/* The error line, and the report of who waits for whom below it. */
static int print_failure(struct cli_session *s, const struct cli_result *r)
{
    const char *text = cowarp_error(s->gpu);
    int status = cli_exit(r->status);
    if (cli_interrupted() && r->status == COWARP_ELIMIT)
        return cli_error(cli_exit_of(r->status), "%s; no statistics were written",
                         text[0] == '\0' && r->message != NULL ? r->message : text);
    const size_t length = strlen(r->workload);
    if (r->place != NULL)
        cli_error(status, "%s: %s", r->place, r->message != NULL ? r->message : text[0] != '\0' ? text : "out of host memory");
    else if (r->message != NULL) /* the workload's own; the text may be of a call that it expected to fail */
        cli_error(status, "%s: %s%s", r->workload, r->status == COWARP_ECHECK ? "wrong result: " : "", r->message);
    else if (text[0] != '\0' && strncmp(text, r->workload, length) == 0 && text[length] == ':') /* a kernel of the workload's name */
        cli_error(status, "%s", text);
    else if (text[0] != '\0')
        cli_error(status, "%s: %s", r->workload, text);
    else
        cli_error(status, "%s: out of host memory", r->workload);
    print_report(cowarp_report(s->gpu));
    return status;
}

/* What --check has found. */
static int print_findings(const struct cli_session *s)
{
    static const char *const names[] = {"memory", "sync", "race", "init"};
    struct cowarp_finding f = {.size = sizeof f};
    char counts[160] = "";
    uint32_t places = 0;
    const uint64_t all = cowarp_findings(s->gpu, NULL);
    if (all == 0)
        return CLI_OK;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t used = strlen(counts);
        const uint64_t cnt = cowarp_findings(s->gpu, names[i]);
        if (cnt > 0)
            snprintf(counts + used, sizeof counts - used, "%s%s %" PRIu64, used > 0 ? ", " : "", names[i], cnt);
    }
    while (cowarp_finding_at(s->gpu, places, &f))
        places++;
    return cli_error(CLI_FAILED, "check: %s, at %" PRIu32 " place%s", counts, places, places == 1 ? "" : "s");
}

/* Whether a launch has taken time, if some were to. */
static int check_launches(struct cli_session *s, const struct cli_result *r)
{
    const uint64_t cnt = counter(s, "functional_launches"), begin = s->options.timed_begin;
    if (r->status != COWARP_OK || s->options.timed_end == 0 || cowarp_cycles(s->gpu) > 0 || cnt > begin)
        return CLI_OK;
    return cli_error(CLI_FAILED,
                     "--launches %" PRIu64 ":...: the run has %" PRIu64 " launch%s, of which the first is 0, so none has taken time", begin,
                     cnt, cnt == 1 ? "" : "es");
}

int cli_session_end(struct cli_session *s, const struct cli_result *r)
{
    int status = CLI_OK;
    erase_line(s);
    if (r->status != COWARP_OK)
        status = print_failure(s, r);
    if ((print_findings(s) != CLI_OK || check_launches(s, r) != CLI_OK) && status == CLI_OK)
        status = CLI_FAILED;
    const bool began = cowarp_cycles(s->gpu) > 0 || counter(s, "functional_launches") > 0;
    const bool ran = began && !(cli_interrupted() && r->status == COWARP_ELIMIT);
    if (!began && r->status != COWARP_OK)
        cowarp_pm_discard(s->gpu); /* a request that was wrong changes no file */
    s->watched = cowarp_finish(s->gpu) == COWARP_OK;
    if (!s->watched)
        status = cli_error(CLI_FAILED, "%s", cowarp_error(s->gpu));
    else if (follow_event(s) != CLI_OK)
        status = CLI_FAILED;
    s->stats_written = ran && s->stats != NULL && cowarp_write_stats(s->gpu, s->stats, r->workload, r->variant, r->check) == COWARP_OK;
    if (ran && s->stats != NULL && !s->stats_written)
        status = cli_error(CLI_FAILED, "%s", cowarp_error(s->gpu));
    /* of a run that went wrong one would believe too much */
    const bool counted = s->branches != NULL && r->status == COWARP_OK;
    s->branches_written = counted && cowarp_write_branches(s->gpu, s->branches) == COWARP_OK;
    if (counted && !s->branches_written)
        status = cli_error(CLI_FAILED, "%s", cowarp_error(s->gpu));
    s->profile_written = ran && s->profile != NULL && cowarp_write_profile(s->gpu, s->profile) == COWARP_OK;
    if (ran && s->profile != NULL && !s->profile_written)
        status = cli_error(CLI_FAILED, "%s", cowarp_error(s->gpu));
    if (ran && !s->quiet && !s->to_stdout)
        print_summary(s, r);
    return status;
}
