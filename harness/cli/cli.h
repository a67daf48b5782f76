/* SPDX-License-Identifier: Apache-2.0 */
/* The cowarp command: options, errors, and what its sub-commands share. */
#ifndef CW_HARNESS_CLI_H
#define CW_HARNESS_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/cowarp.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_WRONG = 2 };

#define CLI_PATH_BYTES    4096u
#define CLI_SOURCE        "share/cowarp/source" /* what comes from the source tree, in an installed one and in a build */
#define CLI_REGISTERS_MAX 65536u                /* of a thread; cowarp.h says the same */

/* "cowarp: what: where; what to do" on standard error; returns exit_status. */
int cli_error(int exit_status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* " did you mean 'x'?" or the hint, for the end of a message about an unknown word. */
const char *cli_suggest(char text[96], const char *word, const char *const *names, uint32_t cnt, const char *hint);
/* Exit status for a status of libcowarp. */
int cli_exit(int status);

/* Path of a file that comes with cowarp, by its name below the folder of an installed tree or of a build. CLI_OK or CLI_FAILED, the error
 * printed. */
int cli_place(char path[CLI_PATH_BYTES], const char *name);
/* The path that a command line gives for a file that is read: `-` is standard input. */
const char *cli_input(const char *path);
/* Path of a program that PATH finds. */
bool cli_find_tool(char path[CLI_PATH_BYTES], const char *tool);

/* Whether the whole text is a number, decimal or 0x, of any size, with a sign or without. */
bool cli_is_number(const char *text);
/* The same, and its value in the type; false: it is no number, or does not fit. No sign for the unsigned ones. */
bool cli_u64(const char *text, uint64_t *value);
bool cli_s64(const char *text, int64_t *value);
bool cli_u32(const char *text, uint32_t *value);

enum cli_trait {
    CLI_REPEATS = 1, /* may be given more than once */
    CLI_WATCHES = 2, /* no result depends on it: it asks for a file, or for words */
    CLI_CHOICE = 4   /* a flag that may say more: --name=word */
};

struct cli_option {
    const char *name;  /* without the dashes */
    const char *value; /* what it takes, in capitals; NULL: a flag */
    unsigned traits;   /* of enum cli_trait */
    const char *what;
};

struct cli_given {
    const struct cli_option *option;
    const char *value; /* "" for a flag that says no more */
};

struct cli_command;

/* A parsed command line. Strings are those of argv. */
struct cli_parsed {
    const char **word; /* what is no option */
    uint32_t word_cnt;
    struct cli_given *given;
    uint32_t given_cnt;
    const struct cli_command *command;
    int argc; /* as it was, behind the command's name */
    char **argv;
};

struct cli_command {
    const char *name, *usage, *what;
    const struct cli_option *option; /* its own */
    uint32_t option_cnt;
    bool takes_machine; /* the options of cli_machine_options too */
    const char *notes;  /* end of its help text */
    int (*run)(const struct cli_parsed *p);
    const char *script; /* instead of run: a Python script, below CLI_SOURCE */
};

extern const struct cli_command cli_list, cli_run, cli_crash, cli_litmus, cli_config, cli_exec, cli_cuda, cli_wave, cli_advise, cli_stats,
    cli_diff, cli_explain, cli_rerun, cli_sweep, cli_report, cli_reproduce, cli_synth, cli_new_unit, cli_unit, cli_proofs, cli_doctor,
    cli_test, cli_validate, cli_debug, cli_serve;
/* The options of `cowarp cuda` alone, and the command line that they are, as the process of its program reads it. */
#define CLI_CUDA_OWN_CNT 4u
extern const struct cli_option cli_cuda_own[CLI_CUDA_OWN_CNT];
extern const struct cli_command cli_cuda_options;
extern const struct cli_option cli_machine_options[];
extern const uint32_t cli_machine_option_cnt;

/* Becomes the command's script; returns, an exit status, only when it cannot. */
int cli_script(const struct cli_command *c, int argc, char **argv);

/* The option's value, the fallback when it was not given. */
const char *cli_value(const struct cli_parsed *p, const char *option, const char *fallback);
bool cli_has(const struct cli_parsed *p, const char *option);
/* All values of an option that repeats: NULL-terminated, the caller frees the array. extra: how many more entries to leave room for. */
const char **cli_values(const struct cli_parsed *p, const char *option, uint32_t extra);
/* Fills p, which the caller clears with cli_parsed_free in any case. CLI_OK or CLI_WRONG, the error printed. */
int cli_parse(struct cli_parsed *p, const struct cli_command *command, int argc, char **argv);
/* Whether no NAME=VALUE of an option that repeats gives a name again: the first would be lost. CLI_OK or CLI_WRONG, the error printed. */
int cli_check_assignments(const struct cli_parsed *p, const char *option);
void cli_parsed_free(struct cli_parsed *p);

/* The command line, for the statistics of this GPU. CLI_OK or CLI_FAILED, the error printed. */
int cli_manifest(struct cowarp_gpu *gpu, const struct cli_parsed *p);

/* Whether all files that the command line asks for can be written, are what their names promise, are each another one, and none of them is
 * read. CLI_OK or an exit status, the error printed. */
int cli_check_outputs(const struct cli_parsed *p);
/* Whether a file that a script writes is none of them. place begins the error. */
int cli_check_output(const struct cli_parsed *p, const char *place, const char *path);
/* The path of an option that writes a file, with the name of standard output for `-`; NULL: it was not given. */
const char *cli_output(const struct cli_parsed *p, const char *option);
/* Whether one of them goes to standard output, which then holds nothing else. */
bool cli_writes_stdout(const struct cli_parsed *p);

/* One GPU made from the machine options, and what happens around a run. */
struct cli_session {
    struct cowarp_gpu *gpu;
    struct cowarp_options options;
    const char **settings, **units, **mechs;
    char *mech_names; /* what mechs points into */
    const char *stats, *branches, *profile;
    char *record;                                                   /* --record, with the name of standard output for `-` */
    char *save_file;                                                /* of --save; owned */
    bool to_stdout;                                                 /* a file goes to standard output, which then holds nothing else */
    bool stats_written, branches_written, profile_written, watched; /* watched: also timeline, samples and recording are there */
    char view[4096];                                                /* made for a wave trigger's event; "": none */
    char tx_warps[32];
    const char *title;
    const char *kernel; /* that is to run: if it cannot, the error says so, and no notice before it. NULL: none by name */
    bool quiet, on_terminal, line_shown;
    bool guest; /* of another program's process: standard output and signals are that program's */
    double started, line_at;
    double launch_at; /* when the launch began; 0: none has */
    uint64_t blocks_done;
    double steps_at;      /* of cli_session_steps_begin */
    const char *progress; /* file for `cowarp serve`; NULL: nobody asks */
    double noted_at;      /* when it was last written */
};

/* Result of a run, for the summary and the statistics file. */
struct cli_result {
    const char *workload, *variant;
    int status;          /* of libcowarp or the workload */
    const char *check;   /* "passed", "failed"; NULL: nothing to check */
    const char *message; /* the workload's line about its result, may be NULL */
    const char *place;   /* "FILE:LINE" of a script where it went wrong; NULL: nowhere */
};

/* system: as struct cowarp_options has it. CLI_OK or an exit status, the error printed. */
int cli_session_open(struct cli_session *s, const struct cli_parsed *p, const char *title, const char *system);
/* The two halves of it: what the command line says, without a GPU and without a handler of signals; and the GPU. The caller may change
 * s->options between them. */
int cli_session_read(struct cli_session *s, const struct cli_parsed *p, const char *title, const char *system);
int cli_session_start(struct cli_session *s, const struct cli_parsed *p);
/* The same, of a GPU that keeps a log of what becomes durable. */
int cli_session_open_logged(struct cli_session *s, const struct cli_parsed *p, const char *title, const char *system, int log);
/* Prints the outcome and writes the statistics. Returns the exit status. */
int cli_session_end(struct cli_session *s, const struct cli_result *result);
void cli_session_close(struct cli_session *s);
/* Steps of a command that has many runs: "NAME: 12 of 1000 points, 40 s left". On a terminal a line that changes, and that the end erases;
 * elsewhere a line each minute. */
void cli_session_steps_begin(struct cli_session *s);
void cli_session_step(struct cli_session *s, const char *what, uint64_t done, uint64_t total);
void cli_session_steps_end(struct cli_session *s);
/* progress.c: what there is to say of the run, at most once a second: done of total things that are called `what`. now: as of s->started. */
void cli_progress_open(struct cli_session *s);
void cli_progress_note(struct cli_session *s, double now, const char *what, uint64_t done, uint64_t total);
/* A view of the event's place beside the trace: FILE.gtkw for FILE.fst, its name in path; "" when the system has no view. It names the signals
 * that the trace has. CLI_OK or an exit status, the error printed. */
int cli_view_follow(char *path, size_t bytes, struct cowarp_gpu *gpu, const char *trace, const char *system,
                    const struct cowarp_wave_event *event);
/* From now on SIGINT, SIGTERM, and SIGHUP where it is not ignored, only ask to stop; a second one ends the process. */
void cli_catch_signals(void);
/* Whether one of them has asked to stop. */
bool cli_interrupted(void);
/* Exit status for a status of libcowarp, of what may have been interrupted. */
int cli_exit_of(int status);

#endif
