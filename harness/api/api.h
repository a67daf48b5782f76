/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp's own state, shared by the files of this folder. */
#ifndef CW_HARNESS_API_H
#define CW_HARNESS_API_H

#include "cowarp/cowarp.h"
#include "debugger/debug.h"
#include "file/out_file.h"
#include "gpu/gpu.h"
#include "ir/module.h"
#include "play/record.h"
#include "rtl/rtl_provider.h"
#include "timeline/konata.h"
#include "timeline/timeline.h"
#include "wave/wave.h"

struct cowarp_module {
    struct cw_module *module;
    uint64_t global_base;  /* device address of its .global segment */
    uint64_t program_base; /* see struct cw_gpu_request */
    char *text;            /* with a profile: the PTX; else NULL */
    struct cowarp_module *next;
};

/* A named part of a program's run. */
struct cowarp_phase {
    char name[64];
    uint64_t cycles; /* of the core clock */
    double microseconds;
    struct cowarp_phase *next; /* in the order in which they first began */
};

struct cowarp_gpu {
    struct cw_error err;
    struct cw_config config;
    const struct cw_mech **mechs; /* of this GPU, NULL-terminated */
    const struct cw_mech *system; /* that one of them which is a transactional system; NULL: none */
    const struct cw_mech *persistency;
    const struct cw_control_ops *control;
    struct cw_unit_provider units;
    bool units_created;
    struct cw_rtl_choice *unit; /* unit_cnt, in the order of cowarp_unit_at, then those of instances up to choice_cnt; names of files and
                                   instances are ours */
    uint32_t unit_cnt, choice_cnt;
    char *elastic; /* what cowarp_elastic has said last; owned */
    struct cw_gpu *gpu;
    struct cowarp_module *modules;
    uint64_t program_bytes; /* addresses that the modules loaded so far have taken */
    struct cw_taps *taps;   /* NULL: no waves */
    struct cw_unit_provider tapped_units;
    struct cw_wave *wave; /* NULL: no file is open */
    bool wave_written;
    struct cw_wave_place wave_place; /* valid: wave_fired */
    bool wave_fired;
    enum cw_wave_event wave_event;
    uint64_t wave_number;         /* of the event */
    struct cw_debug *debug;       /* NULL: nobody debugs */
    bool is_debugged;             /* or is about to */
    struct cw_recorder *recorder; /* NULL: nothing is recorded */
    struct cw_unit_provider recorded_units;
    struct cowarp_bins *bins;         /* NULL: nobody counts */
    struct cowarp_saved *saved;       /* NULL: the run is neither saved nor loaded */
    struct cowarp_profile *profile;   /* NULL: not counted */
    struct cowarp_waits *waits;       /* NULL: not counted */
    struct cowarp_samples *samples;   /* NULL: none */
    struct cw_timeline *timeline;     /* NULL: none */
    struct cw_konata *konata;         /* NULL: none */
    struct cowarp_parts *parts;       /* NULL: nobody wants counters of parts */
    struct cowarp_branches *branches; /* NULL: neither counted nor read */
    struct cowarp_pm *pm;             /* its persistent memory; NULL: it could not be created */
    struct cowarp_phase *phases;      /* all */
    struct cowarp_phase *phase;       /* the one that runs, since ...; NULL: none */
    uint64_t phase_cycles;            /* ... this cycle */
    double phase_microseconds;
    struct cowarp_manifest *manifest;       /* how the run was made */
    struct cowarp_occupancies *occupancies; /* of its launches; NULL: none yet */
    struct cowarp_usage *usage;             /* registers of kernels, from a file; NULL: no file */
    uint32_t registers;                     /* options.registers */
    uint64_t heap, heap_bytes;              /* of malloc in kernels: device address, 0: not taken; bytes, 0: as nobody says */
    uint64_t children;                      /* of kernels: device address, 0: not taken */
    uint32_t child_room;                    /* 0: as nobody says */
    uint64_t seed;
    uint64_t launches;               /* so far */
    uint64_t timed_begin, timed_end; /* those of options.functional that take time */
    bool functional;
    bool check_serial, real_time, check_persist, omit_host_seconds, failed;
    char oracle[1300];         /* the longest: struct cw_serial_report.real_time behind a line of numbers */
    char persist_oracle[1300]; /* the longest: struct cw_persist_report.text */
    double host_seconds;
    int (*on_progress)(void *context, uint64_t cycles, uint64_t blocks_done, uint64_t blocks_total);
    void (*on_message)(void *context, const char *text);
    void (*on_print)(void *context, const char *text, uint64_t length);
    void *context;
};

/* What a mechanism is chosen as. */
enum cowarp_mech_kind { COWARP_MECH_SYSTEM, COWARP_MECH_PERSISTENCY, COWARP_MECH_OTHER };

static inline enum cowarp_mech_kind cowarp__mech_kind(const struct cw_mech *m)
{
    return m->system ? COWARP_MECH_SYSTEM : m->persistency ? COWARP_MECH_PERSISTENCY : COWARP_MECH_OTHER;
}

/* Copies a struct that the user has filled in (what: "struct cowarp_launch") and that begins with its size into one of `known` bytes.
 * Missing members become zero. CW_EINVAL when its size is 0 or larger. */
int cowarp__take(void *to, uint32_t known, const void *from, const char *what, struct cw_error *err);
/* saved.c: before the GPU exists; when it exists; when it goes. */
int cowarp__saved_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
int cowarp__saved_open(struct cowarp_gpu *gpu);
void cowarp__saved_destroy(struct cowarp_gpu *gpu);
/* The run is over: CW_EINVAL when it was not saved, or never came to where it had been. */
int cowarp__saved_close(struct cowarp_gpu *gpu);
bool cowarp__saves(const struct cowarp_gpu *gpu);
/* native.c: of functional launches */
extern const struct cw_native_compiler cowarp__native;
uint64_t cowarp__saved_cycle(const struct cowarp_gpu *gpu);
/* As on_save of struct cw_gpu_options. */
int cowarp__saved_write(void *context, const struct cw_state *chip, struct cw_error *err);
/* Before a launch, which has been counted: whether it is passed over, or loaded. */
void cowarp__saved_launch(struct cowarp_gpu *gpu, struct cw_gpu_request *request);
/* The host has read these bytes of device memory: they are kept, or replaced by what was read when the run was saved. */
int cowarp__saved_read(struct cowarp_gpu *gpu, void *data, uint64_t bytes);
/* heap.c: before a launch of one of the module's kernels: they find the heap, if they use it. */
int cowarp__heap_place(struct cowarp_gpu *gpu, const struct cowarp_module *module);
/* heap.c: a .global variable of the module that functions of a toolkit need (csim/ptx/library.c), and the address that it has to hold. */
bool cowarp__has_variable(const struct cowarp_module *module, const char *name);
void cowarp__give_address(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t address);
/* children.c: before a launch of one of the module's kernels, if they launch kernels: places for children, of which none is taken. */
int cowarp__children_place(struct cowarp_gpu *gpu, const struct cowarp_module *module);
/* Whether its kernels launch kernels. */
bool cowarp__launches(const struct cowarp_module *module);
struct cowarp__child;
/* Puts what the kernel has launched in front of *waiting, in the order in which it is to be run. CW_EFAULT for a child that cannot be one. */
int cowarp__children_take(struct cowarp_gpu *gpu, const struct cowarp_module *module, uint32_t stream, struct cowarp__child **waiting);
/* Takes the first out, whom the caller releases; NULL: none waits. */
struct cowarp__child *cowarp__children_first(struct cowarp__child **waiting);
/* Its launch, which lives as long as the child; NULL: it copies or sets memory. */
const struct cowarp_launch *cowarp__child_launch(const struct cowarp__child *child);
/* Copies or sets memory. CW_EFAULT: it is not allocated. */
int cowarp__child_bytes(struct cowarp_gpu *gpu, const struct cowarp__child *child);
void cowarp__child_release(struct cowarp__child *child);
/* checks.c: "memory,race" as a set of enum cw_check; NULL: none. */
int cowarp__checks(uint32_t *checks, const char *list, struct cw_error *err);

/* The configuration that preset, file and settings of the options make. line_of: NULL, or as cw_config_load has it, of their file. */
int cowarp__configure(struct cw_config *config, const struct cowarp_options *options, uint32_t *line_of, struct cw_error *err);

/* Whether a mechanism of the GPU brings the unit and the configuration has it. Else *needs is what one has to set for it, or NULL when no
 * mechanism brings it. */
bool cowarp__unit_used(const struct cowarp_gpu *gpu, const struct cw_unit *unit, const char **needs);
const char *cowarp__backend_name(enum cw_unit_backend backend);
/* Reads "name=backend", "name=backend:file" and "core3.name=backend" settings into gpu->unit, and creates gpu->units. ports_only: a wave
 * file traces the RTL from the beginning, so the wave of a lockstep difference, which cannot trace it too, has no inner signals. */
int cowarp__units_open(struct cowarp_gpu *gpu, const char *const *settings, bool ports_only, bool elastic);
/* elastic.c: all units that are in RTL may take other times; of the statistics file the member "elastic". */
int cowarp__elastic_choose(struct cowarp_gpu *gpu);
void cowarp__elastic_write(const struct cowarp_gpu *gpu, FILE *f);
/* Builds the RTL that a GPU of these options will open, several units at a time. */
int cowarp__units_build(struct cowarp_gpu *gpu, const struct cw_gpu_options *options);
/* CW_EINVAL when an instance was named that the machine, which has been made, does not have. */
int cowarp__units_check(struct cowarp_gpu *gpu);
/* After the GPU has gone. */
void cowarp__units_close(struct cowarp_gpu *gpu);

/* Before the GPU exists: taps its units when the options ask for waves. */
int cowarp__wave_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* When it exists: opens the wave file. */
int cowarp__wave_open(struct cowarp_gpu *gpu, const struct cowarp_options *options);
void cowarp__wave_step(void *context, const struct cw_gpu *gpu, cw_time now);
/* A launch has ended with this status. Returns it, or the status that a wave trigger has held back. */
int cowarp__wave_launched(struct cowarp_gpu *gpu, int status);
/* Completes the file. */
int cowarp__wave_close(struct cowarp_gpu *gpu);
/* All units of the build, NULL at the end. */
const struct cw_unit *const *cowarp__units(void);
/* A debugger's wave, in the middle of a run: from core cycle `begin` on, up to where it is closed. */
int cowarp__wave_look(void *gpu, const char *path, uint64_t begin, struct cw_error *err);
int cowarp__wave_looked(void *gpu, struct cw_error *err);

/* Before the GPU exists: reads the profile of an earlier run (core.lcp=profile), and makes room for the branches of this one. */
int cowarp__branches_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* When it exists, and when it has been reset. */
void cowarp__branches_listen(struct cowarp_gpu *gpu);
/* A launch of the kernel begins: CW_EINVAL when the profile has no counts of it. */
int cowarp__branches_launch(struct cowarp_gpu *gpu, const struct cw_kernel *kernel);
/* The profile for modules; NULL: there is none. */
const struct cw_branch_counts *cowarp__lcp_profile(const struct cowarp_gpu *gpu);
/* After the GPU has gone. */
void cowarp__branches_destroy(struct cowarp_gpu *gpu);

/* Before the GPU exists, when the options ask for a profile. */
int cowarp__profile_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* When it exists, and when it has been reset. */
void cowarp__profile_listen(struct cowarp_gpu *gpu);
/* A launch of the kernel begins. */
int cowarp__profile_launch(struct cowarp_gpu *gpu, const struct cowarp_module *module, const struct cw_kernel *kernel);
/* The launch is prepared, and runs next. */
void cowarp__profile_begins(struct cowarp_gpu *gpu, const struct cowarp_module *module, const struct cw_gpu_request *request);
/* After the GPU has gone. */
void cowarp__profile_destroy(struct cowarp_gpu *gpu);

/* Before the GPU exists, when the options ask for stalls. */
int cowarp__waits_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* When it exists, and when it has been reset: what has been counted is forgotten. */
void cowarp__waits_listen(struct cowarp_gpu *gpu);
/* A member of the statistics file. */
void cowarp__waits_write(const struct cowarp_gpu *gpu, FILE *f);
void cowarp__waits_destroy(struct cowarp_gpu *gpu);

/* Before the GPU exists: opens the file when the options ask for samples. */
int cowarp__samples_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* That core cycle is the first one behind the row. */
void cowarp__samples_row(void *context, const struct cw_gpu *gpu, uint64_t cycle);
/* Writes the last row and completes the file. */
int cowarp__samples_close(struct cowarp_gpu *gpu);
void cowarp__samples_destroy(struct cowarp_gpu *gpu);

/* When the GPU exists: opens the files when the options ask for a timeline, or a log for Konata. */
int cowarp__timeline_open(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* Completes the file. */
int cowarp__timeline_close(struct cowarp_gpu *gpu);
/* A launch of the kernel is about to begin. */
int cowarp__timeline_launch(struct cowarp_gpu *gpu, const struct cowarp_module *module, const struct cw_kernel *kernel);

/* Whether cores and partitions have to count each for itself. */
bool cowarp__parts_split(const struct cowarp_options *options);
int cowarp__parts_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* A launch of this kernel has ended, well or not. */
int cowarp__parts_launched(struct cowarp_gpu *gpu, const char *kernel, uint32_t stream);
/* A kernel among others, of which the next cowarp__parts_launched tells what is nobody's alone. */
int cowarp__parts_overlapped(struct cowarp_gpu *gpu, const char *kernel, uint32_t stream, uint64_t cycles, const struct cw_stats *counted);
/* The GPU has been reset: time has gone on without a launch. */
void cowarp__parts_reset(struct cowarp_gpu *gpu);

/* gpu.c: the machine is the one that the launch needs. */
int cowarp__turn(struct cowarp_gpu *gpu, const struct cowarp_launch *l);
/* Members of the statistics file, each with a comma behind it. */
void cowarp__parts_write(const struct cowarp_gpu *gpu, FILE *f);
void cowarp__parts_destroy(struct cowarp_gpu *gpu);

/* Before the GPU exists: stands between it and *units when the options ask for a recording, and changes *units. */
int cowarp__record_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options, const struct cw_unit_provider **units);
/* When it exists. */
int cowarp__record_open(struct cowarp_gpu *gpu);
/* Completes the file. */
int cowarp__record_close(struct cowarp_gpu *gpu);

/* The same for options.bins_file. */
int cowarp__bins_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options, const struct cw_unit_provider **units);
int cowarp__bins_open(struct cowarp_gpu *gpu);
int cowarp__bins_close(struct cowarp_gpu *gpu);
/* After the GPU. */
void cowarp__bins_destroy(struct cowarp_gpu *gpu);

/* When the GPU exists, at the end: the regions of options.pm_file, and the log. */
int cowarp__pm_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* The host may use these bytes: no kernel has left them in a core. CW_EINVAL with a text that begins with `what`. */
int cowarp__pm_left(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes, const char *what);
/* The host has written these bytes of device memory. */
void cowarp__pm_written(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes);
/* Writes the file if it is still open, then frees all; the GPU is still there. */
void cowarp__pm_destroy(struct cowarp_gpu *gpu);

int cowarp__manifest_create(struct cowarp_gpu *gpu);
void cowarp__manifest_destroy(struct cowarp_gpu *gpu);
/* The run has read this text under that name. */
int cowarp__manifest_text(struct cowarp_gpu *gpu, const char *role, const char *path, const void *data, size_t length);
/* As cowarp_manifest_file, of a file that need not be there. */
int cowarp__manifest_maybe(struct cowarp_gpu *gpu, const char *role, const char *path);
/* The Verilog of the units that are RTL. */
int cowarp__manifest_units(struct cowarp_gpu *gpu);
/* A launch, which has been found right, is about to begin. */
int cowarp__manifest_launch(struct cowarp_gpu *gpu, const char *module, const struct cowarp_launch *launch);
/* The member "manifest" of the statistics, with a comma behind it. */
void cowarp__manifest_write(const struct cowarp_gpu *gpu, FILE *f);

/* Before the GPU exists: reads options.resource_usage. */
int cowarp__usage_create(struct cowarp_gpu *gpu, const struct cowarp_options *options);
/* The registers that the file says of that kernel; 0: nothing. */
uint32_t cowarp__usage_registers(const struct cowarp_gpu *gpu, const char *kernel);
/* A kernel is launched with registers that nobody has said: tells the user, once, when there is a file that should have. */
int cowarp__usage_missing(struct cowarp_gpu *gpu, const char *kernel);
void cowarp__usage_destroy(struct cowarp_gpu *gpu);

/* A launch begins that holds so many blocks in a core. */
int cowarp__occupancy_note(struct cowarp_gpu *gpu, const struct cowarp_occupancy *occupancy);
/* The member "occupancy" of the statistics, with a comma behind it. */
void cowarp__occupancy_write(const struct cowarp_gpu *gpu, FILE *f);
/* In together.c: whether the options go with each other. */
int cowarp__check_options(const struct cowarp_options *options, struct cw_error *err);
/* In estimate.c: the member of the statistics, if there is an estimate. */
void cowarp__estimate_write(struct cowarp_gpu *gpu, FILE *f);
void cowarp__occupancy_destroy(struct cowarp_gpu *gpu);

/* The phases so far, the one that runs included. */
const struct cowarp_phase *cowarp__phases(struct cowarp_gpu *gpu);
void cowarp__phases_destroy(struct cowarp_gpu *gpu);

#endif
