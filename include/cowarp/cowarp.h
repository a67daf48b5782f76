/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcowarp: a cycle-level GPU in a library. Create a GPU from a preset, load PTX, allocate and copy memory, launch kernels, read
 * statistics.
 *
 *     struct cowarp_gpu *gpu;
 *     struct cowarp_options options;
 *     cowarp_options_init(&options);
 *     if (cowarp_create(&gpu, &options) != 0) ...           // cowarp_error(gpu) says why
 *     cowarp_load_file(gpu, &module, "vecadd.ptx");
 *     ...
 *
 * Functions return 0 or a negative enum cowarp_status; cowarp_error() then holds one line: what, where, what to do. A GPU is used
 * by one thread at a time; different GPUs are independent.
 *
 * A struct that you fill in begins with its own size, so that later versions can add members at its end:
 *
 *     struct cowarp_launch launch = {.size = sizeof launch, .kernel = "vecadd", ...};
 *
 * cowarp_options_init() sets the size of its struct. A function that is given a smaller struct than it knows takes the members that
 * are missing as zero. It refuses a larger one, and a size of 0, with COWARP_EINVAL.
 */
#ifndef COWARP_COWARP_H
#define COWARP_COWARP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cowarp_status {
    COWARP_OK = 0,
    COWARP_EINVAL = -1,    /* the request is wrong */
    COWARP_ENOMEM = -2,    /* out of memory, host or device */
    COWARP_EIO = -3,       /* a file could not be read or written */
    COWARP_EUNSUP = -4,    /* well-formed, but not supported */
    COWARP_EDEADLOCK = -5, /* no progress: cowarp_report() says who waits for whom */
    COWARP_EFAULT = -6,    /* the kernel did something illegal */
    COWARP_ELIMIT = -7,    /* a limit was reached, or the run was interrupted */
    COWARP_EMISMATCH = -8, /* lockstep: C model and RTL differ; by cowarp_create: the ports of a unit's Verilog do */
    COWARP_ECHECK = -9     /* an oracle or a result check failed */
};

struct cowarp_gpu;
struct cowarp_module;

/* Values of cowarp_options.functional beside 0 and 1. */
#define COWARP_FUNCTIONAL_STEPS  2
#define COWARP_FUNCTIONAL_NATIVE 3

/* Of cowarp_options.threads. */
#define COWARP_THREADS_MAX 256u

struct cowarp_options {
    uint32_t size;                 /* of this struct; cowarp_options_init sets it */
    const char *preset;            /* "getm" (default), "thesis-warptm", ... */
    const char *config_file;       /* TOML, applied over the preset, or NULL */
    const char *const *settings;   /* "name=value", NULL-terminated, applied last; or NULL */
    const char *system;            /* transactional system, one that `cowarp list` names (docs/systems.md), or "none" (default) */
    const char *const *units;      /* "validation_unit=rtl", "core3.thread_compactor=lockstep", NULL-terminated, or NULL: C models */
    uint64_t seed;                 /* default 1 */
    int check_serial;              /* 1: run the serializability oracle over transactions; 2: it tells of real-time order, too */
    const char *sabotage;          /* break the protocol on purpose, or NULL; see docs/systems.md */
    uint64_t max_cycles;           /* core cycles per launch, 0: no limit */
    const char *wave_file;         /* FST, or NULL */
    uint64_t wave_begin, wave_end; /* core cycles traced, [begin, end); end 0: to the end of the run */
    const char *record;            /* "INSTANCE=FILE": what is sent into this unit, as a stimulus file (docs/systemc.md); or NULL */
    int tick_always;               /* tick components that have nothing to do as well; slow, and results do not change */
    int reverse_ticks;             /* tick components in reverse order; results do not change */
    /* Called some hundred times a second of host time while a kernel runs, and with zeros while RTL is built, then perhaps by other
     * threads, one at a time; non-zero stops it (COWARP_ELIMIT). May be NULL. */
    int (*on_progress)(void *context, uint64_t cycles, uint64_t blocks_done, uint64_t blocks_total);
    /* One-line notices ("building RTL of ..."). May be NULL. */
    void (*on_message)(void *context, const char *text);
    void *context;
    int omit_host_seconds; /* leave host_seconds out of the statistics file, which then depends on nothing but the run */
    /* Event that wave_file waits for, to hold the last wave_keep core cycles before it and a tenth of that after it: "cycle:N" (core cycle
     * N), "abort" or "abort:N" (the N-th abort of a transaction, counted per thread), "wait" or "wait:N" (the N-th
     * decision of a hardware unit about a request that had to wait in it, of those whose request is in the file too), "deadlock",
     * "lockstep-mismatch". NULL: none, wave_begin and wave_end say what is traced. Memory: proportional to wave_keep, some KB for each
     * cycle in which something happens. */
    const char *wave_on;
    uint64_t wave_keep;            /* 1 .. 100000; 0: 1000 */
    const char *const *mechanisms; /* others beside the system, of which `cowarp list` shows all; NULL-terminated, or NULL */
    const char *control;           /* control-flow policy, one that `cowarp list` names, or NULL: "ipdom" */
    /* What kernels print (printf), one piece per thread and call as it happens; length bytes, not terminated. NULL: it goes to stderr. */
    void (*on_print)(void *context, const char *text, uint64_t length);
    int record_branches;     /* count how many threads go which way at the conditional branches, for cowarp_write_branches; results do not
                                change */
    const char *lcp_profile; /* file of cowarp_write_branches: the likely-convergence points follow from it. With core.lcp=profile, and only
                                with it; else NULL. cowarp_load refuses a kernel that has other instructions than the one of its name in the
                                file, and cowarp_run one that is not in it, with COWARP_EINVAL */
    const char *persistency; /* persistency model, one that `cowarp list` names (docs/persistency.md), or NULL: "none" */
    const char *pm_file;     /* file of persistent memory: as cowarp_pm_open; NULL: none */
    int pm_log;              /* keep a log of what becomes durable, for cowarp_persist_at and cowarp_pm_crash; 2: and what is ordered before
                                what, for cowarp_pm_graph. Results do not change */
    int check_persist;       /* run the persistency oracle over persistent memory */
    int count_stalls;   /* count why warp schedulers do not issue: the counters issue_*, which are 0 otherwise; results do not change */
    int record_profile; /* count per line of the PTX, for cowarp_write_profile; counts stalls too. Results do not change */
    /* Samples: CSV with a row for each sample_cycles core cycles, of what these counters have counted in it, and the last, shorter row. The
     * columns add up to the counters. The file is complete after cowarp_finish, and not there when nothing has run. */
    const char *sample_file;     /* NULL: none */
    uint64_t sample_cycles;      /* 1 .. 2^32 - 1 */
    const char *sample_counters; /* "a,b,c", no maxima; NULL: those that docs/profile.md lists */
    /* Timeline: trace events as JSON, for Perfetto and chrome://tracing (docs/profile.md). The file is complete after cowarp_finish, and
     * not there when nothing has run. */
    const char *timeline_file;               /* NULL: none */
    uint64_t timeline_begin, timeline_end;   /* core cycles, [begin, end); end 0: to the end of the run */
    uint32_t timeline_mbytes;                /* the file ends, whole, before it is larger; 1 .. 65536, 0: 64 */
    int per_launch, per_core, per_partition; /* the statistics file has the counters of each of these too (docs/profile.md) */
    uint32_t registers;         /* of a thread of every kernel, 1 .. 65536, for struct cowarp_launch that does not say; 0: see there */
    const char *resource_usage; /* file with what `ptxas -v` or `cuobjdump --dump-resource-usage` prints: the registers of the kernels that
                                   it names, for launches for which neither the launch nor `registers` says them. NULL: none. A file that
                                   says nothing, or two things of one kernel: COWARP_EINVAL */
    /* What an access of a kernel to device memory does that lies in no allocation: "fault" (NULL too) ends the run with COWARP_EFAULT. With
     * "warn" a load gives 0, and a store or an atomic does nothing; on_message is told once for each line of PTX. "zero": without a word.
     * The counter out_of_bounds has the lanes. Accesses in a transaction, and those outside of shared, local or constant memory, always
     * fault. */
    const char *out_of_bounds;
    uint64_t redzone_bytes; /* device memory kept free between allocations, rounded up to 256; at most 2^30. Then an access is in bounds
                               when it lies in one allocation as it was asked for, to the byte. 0: allocations follow each other without a
                               gap, and their padding may be accessed */
    /* Launches without time: memory is afterwards as a timed launch of a kernel without races leaves it, and of the counters only
     * functional_* move. Transactions are critical sections of one lock; persistent memory is durable at once; what a kernel asks of other
     * mechanisms is COWARP_EUNSUP. max_cycles bounds warp instructions then. With functional = 1 all launches are such but those of number
     * timed_begin to timed_end - 1 (the first has number 0). With neither, what only timed launches show (wave_file, timeline_file,
     * sample_file, bins_file, record, record_branches, record_profile, count_stalls, check_serial, check_persist) is refused.
     * Kernels that run for long get native code, where libcowarp_native is there; nothing but speed depends on it. Instead of 1,
     * COWARP_FUNCTIONAL_STEPS makes none, and COWARP_FUNCTIONAL_NATIVE makes it before a kernel's first instruction. */
    int functional;
    uint64_t timed_begin, timed_end;
    /* The sanitizer: "memory,sync,race,init", or some of these; NULL: nothing. It looks for what a program does wrong whatever its result is
     * (docs/sanitizer.md), and the run goes on, with the same cycles. Then cowarp_finding_at tells. With memory, device memory has red zones,
     * of 256 bytes if redzone_bytes says none, so addresses may be others; out_of_bounds has no effect. sync and race need
     * core.convergence=check. */
    const char *checks;
    uint32_t check_lines; /* on_message gets a line for each of the first so many places; 0: for none */
    /* Functional coverage (docs/coverage.md): CSV with a row for each situation of the units' contracts, and the cycles in it, over all
     * instances of the unit and all runs of this GPU. The file is complete after cowarp_finish. Results do not change. NULL: none. */
    const char *bins_file;
    uint64_t
        renew_cycles; /* after each so many core cycles all components are saved, made anew and loaded; results do not change; 0: never */
    const char *save_file; /* the run is saved in this file in its core cycle save_cycle, or at the first step after it; NULL: it is not */
    uint64_t save_cycle;
    const char *load_file; /* the run goes on from where it was saved there: launches before are passed over, and what the host has read
                                      since comes from the file; or NULL */
    int pack_messages;     /* each message that enters a crossbar is packed to bits, and made of them again; results do not change */
    /* A file of this process that is a socket, on which a debugger listens (harness/debugger/debug.h); 0: none. cowarp_create returns when the
     * debugger lets the run begin, in another process: this one waits for that one's end, and ends as it does. Results do not change. */
    int debug_socket;
    /* 0: every launch is timed to its end. Else a part of launches and of their blocks is timed, and the rest runs without time, until half of the
     * 95-percent interval of the cycles is at most this part of them, .0001 to .5 (docs/functional.md). cowarp_cycles and the rest of
     * simulated time go by the estimate, other counters have what was timed. Kernels that call mechanisms are timed to their end. What has to see
     * all of a run is refused: a wave, a timeline, samples, a profile, functional, checks of a protocol, saved runs. */
    double estimate;
    /* 1: Verilog of `units` may take other times than its contract says, where the order of answers and what they are follows from the operations
     * alone (docs/command.md, "Units in RTL"). The C model beside it judges these; cowarp_elastic tells. Refused for other units. */
    int elastic;
    /* A log of warp instructions, stage by stage, for Konata (docs/profile.md): those that issue in timeline_begin to timeline_end - 1, as far
     * as they have room in timeline_mbytes. NULL: none. */
    const char *konata_file;
    /* Host threads of functional launches and of what an estimate leaves out, 1 .. 256; 0: 1. Blocks of a kernel run side by side that has no
     * atomic on device memory and asks for nothing that depends on another block (docs/functional.md). The result is that of one thread, unless
     * blocks race. on_progress is called in the caller's thread. Timed launches use one. */
    uint32_t threads;
};

#define COWARP_VERSION "0.3.0"
/* Version of the library that is linked, as COWARP_VERSION. */
const char *cowarp_version(void);
/* The commit that the library was built from, with a + when its sources had changes; "unknown" for a tree that was not in git. */
const char *cowarp_commit(void);
/* SHA-256, as 64 hexadecimal digits, of the sources that it was built from: of the lines "DIGEST  PATH" of all source files
 * (cmake/provenance.cmake). */
const char *cowarp_sources(void);
/* The compiler that it was built with, the build type and the flags. */
const char *cowarp_compiler(void);

/* Path of a file or folder that came with cowarp, by its name below the folder of an installed tree or of a build: "share/cowarp/kernels".
 * It is looked for in $COWARP_HOME when that is set, else in the nearest folder above the file that this library is in, a shared library or
 * a program. COWARP_OK; COWARP_EIO: it is not there, and path has the name for a message; COWARP_EINVAL: it has no room in path. */
int cowarp_place(char *path, uint64_t bytes, const char *name);
/* Path of the user's folder for RTL that was built and for finished runs, which may not be there yet: $COWARP_CACHE, else $XDG_CACHE_HOME/cowarp, else
 * $HOME/.cache/cowarp. COWARP_OK; COWARP_EINVAL: none of these is set, or it has no room in path. */
int cowarp_cache(char *path, uint64_t bytes);

/* The defaults in a struct of that size, of which the library sets the members that it knows. */
void cowarp_options_init_size(struct cowarp_options *options, uint32_t size);
/* The defaults, with the size that the program was compiled with. */
#define cowarp_options_init(options) cowarp_options_init_size((options), (uint32_t)sizeof *(options))

/* *gpu is set even on failure (so that cowarp_error works), unless memory ran out; destroy it in any case. Strings are copied. */
int cowarp_create(struct cowarp_gpu **gpu, const struct cowarp_options *options);
void cowarp_destroy(struct cowarp_gpu *gpu);
/* Text of the last error of this GPU, "" when none. gpu may be NULL: "out of memory". */
const char *cowarp_error(const struct cowarp_gpu *gpu);
/* Many lines about who waits for whom after COWARP_EDEADLOCK, else "". */
const char *cowarp_report(const struct cowarp_gpu *gpu);

/* PTX text or file; the module belongs to the GPU and lives as long as it. Malformed text outside of functions, or braces that do not fit:
 * COWARP_EINVAL. What a function has and this machine has not, or what is wrong in it, refuses the kernels that have it or call it, not the
 * file: on_message gets "kernel X of FILE cannot run: ..." for each, and cowarp_run answers COWARP_EUNSUP or COWARP_EINVAL with that line.
 */
int cowarp_load(struct cowarp_gpu *gpu, struct cowarp_module **module, const char *text, size_t length, const char *name);
int cowarp_load_file(struct cowarp_gpu *gpu, struct cowarp_module **module, const char *path);

/* Kernels of a module, in the order of the text: i = 0, 1, ... until it returns 0. The name lives as long as the module. */
int cowarp_kernel_at(const struct cowarp_module *module, uint32_t i, const char **name);

/* What a parameter is, as far as the PTX says. */
enum cowarp_param_kind {
    COWARP_PARAM_INTEGER,   /* also a pointer to anything but shared memory */
    COWARP_PARAM_FLOAT,     /* .f16, .f32, .f64 */
    COWARP_PARAM_AGGREGATE, /* a structure or an array by value */
    COWARP_PARAM_SHARED     /* .ptr .shared: a pointer to shared memory, COWARP_ARG_LOCAL */
};

struct cowarp_param {
    const char *name; /* as in the PTX; lives as long as the module */
    uint32_t offset;  /* bytes from the beginning of the parameter block, a multiple of alignment */
    uint32_t bytes;
    uint32_t alignment; /* bytes, a power of two */
    uint32_t kind;      /* enum cowarp_param_kind */
};
/* Parameters of a kernel, in the order of struct cowarp_launch.args: i = 0, 1, ... until it returns 0. Also 0 when the module has no kernel
 * of that name. *param is written only when it returns 1. */
int cowarp_kernel_param_at(const struct cowarp_module *module, const char *kernel, uint32_t i, struct cowarp_param *param);

/* What a kernel needs, as far as its text says. */
struct cowarp_kernel_info {
    uint32_t size;                /* of this struct; cowarp_kernel_info takes it */
    uint32_t static_shared_bytes; /* of a block */
    uint32_t local_bytes;         /* of a thread */
    uint32_t live_registers;      /* 32-bit registers of a thread, of those that live at once */
    uint32_t max_threads;         /* most threads of a block, from .reqntid or .maxntid; 0: not said */
    int dynamic_shared;           /* 1: it has shared memory whose size the launch says (.extern .shared) */
    uint64_t constant_bytes;      /* of the module's .const variables */
    const char *refused;          /* why it cannot be launched, one line that lives as long as the module; NULL: it can */
};
/* COWARP_EINVAL, and info is as it was: no such kernel, or a size that is 0 or too large. */
int cowarp_kernel_info(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *kernel, struct cowarp_kernel_info *info);

/* Whether device memory lies in this process at its device addresses: then the host may read and write an allocation through a pointer of
 * the same value, while no kernel runs. The first GPU of a process has that, where nothing else is there; 1 or 0. */
int cowarp_is_unified(const struct cowarp_gpu *gpu);
/* Whether [address, address + bytes) is allocated device memory, so that cowarp_read and cowarp_write take it; 1 or 0. */
int cowarp_holds(const struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes);

/* Device memory. Fresh memory is zero and aligned to 256 bytes; it lives until it is freed, or as long as the GPU. As long as a program
 * frees nothing, one allocation follows the other. */
int cowarp_alloc(struct cowarp_gpu *gpu, uint64_t *address, uint64_t bytes);
/* Gives back what cowarp_alloc gave. A kernel that accesses it afterwards faults, and cowarp_alloc may give it out again. COWARP_EINVAL,
 * and nothing changes, for every other address: one that was freed before, one inside an allocation, a variable of a module. */
int cowarp_free(struct cowarp_gpu *gpu, uint64_t address);
int cowarp_write(struct cowarp_gpu *gpu, uint64_t address, const void *data, uint64_t bytes);
int cowarp_read(struct cowarp_gpu *gpu, void *data, uint64_t address, uint64_t bytes);
/* Copies to and from a variable of a module, .global or .const: bytes at offset. A .const variable (__constant__) has its new value from
 * the next launch on. COWARP_EINVAL, and nothing changes: no such variable, or bytes beyond its end. */
int cowarp_symbol_write(struct cowarp_gpu *gpu, struct cowarp_module *module, const char *name, uint64_t offset, const void *data,
                        uint64_t bytes);
int cowarp_symbol_read(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t offset, void *data,
                       uint64_t bytes);
/* Address and size of a .global variable of a module. A .const one has no address in device memory: COWARP_EINVAL, and *bytes is its size. */
int cowarp_symbol(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t *address, uint64_t *bytes);

/* Memory for malloc of kernels: so many bytes, 8 MiB if nobody says, are taken at the first launch of a kernel of a module that declares malloc
 * or free, and stay. What a kernel has allocated lives until a kernel frees it. COWARP_EINVAL, and nothing changes: it has been taken. */
int cowarp_set_heap(struct cowarp_gpu *gpu, uint64_t bytes);

/* Kernels that a kernel launches (CUDA dynamic parallelism) run when it has ended, each a launch of its own. It may launch that many, 2,048 if
 * nobody says; to launch more is an error in the kernel, cudaErrorLaunchPendingCountExceeded. COWARP_EINVAL, and nothing changes: 0, more than
 * 65,536, or a kernel that launches has run. */
int cowarp_set_child_launches(struct cowarp_gpu *gpu, uint32_t count);

/* Memory that exists in versions, for systems with snapshots (docs/systems.md, sitm-ts). All that transactions share belongs into such
 * memory: there, only transactions may store while a kernel runs. cowarp_write and cowarp_read go to the newest version.
 * cowarp_alloc_versioned allocates it, as cowarp_alloc does; where the GPU's system keeps no versions, it is cowarp_alloc. */
int cowarp_alloc_versioned(struct cowarp_gpu *gpu, uint64_t *address, uint64_t bytes);
/* The same of memory that is allocated: from address on, which has to begin at a row of DRAM as the message of an error says. The bytes are
 * rounded up to rows; the rest of the last row has to be free. Other allocations that lie where the versions are to be keep their addresses
 * and bytes. It cannot be freed. COWARP_EINVAL, and nothing changes: the system keeps no versions, bytes that are not of one allocation, or
 * that have versions already. COWARP_ENOMEM. */
int cowarp_keep_versions(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes);

/* Persistent memory: pm.mbytes of it, behind all other device memory. It consists of regions, each with a name of 1 to 63 letters, digits,
 * '_', '-' and '.'. Kernels and cowarp_read see a region's bytes as those of any memory. Beside them it has a durable image: what a power
 * failure at this moment would leave. cowarp_write changes both; stores of kernels become durable when the persistency model and the memory
 * have seen to it. With pm.kernel_end=keep a kernel may leave bytes in a core's L1: to read, write or free them is COWARP_EINVAL until they
 * have left in a later kernel. COWARP_EINVAL with a transactional system. */
/* The region's address: of the one that there is, with its bytes as they are, or of a new one of zeros. COWARP_EINVAL, and nothing changes,
 * when there is one of another size. */
int cowarp_pm_alloc(struct cowarp_gpu *gpu, uint64_t *address, const char *name, uint64_t bytes);
/* COWARP_EINVAL: there is none of that name. */
int cowarp_pm_find(struct cowarp_gpu *gpu, const char *name, uint64_t *address, uint64_t *bytes);
/* The region is gone, its durable image too. */
int cowarp_pm_free(struct cowarp_gpu *gpu, const char *name);
/* All regions, in the order in which they were made: i = 0, 1, ... until it returns 0. The name lives until regions change. */
int cowarp_pm_at(const struct cowarp_gpu *gpu, uint32_t i, const char **name, uint64_t *address, uint64_t *bytes);

/* Regions outlive a GPU in a file: each has the same address again. cowarp_pm_open takes the regions of the file, or none when there is no
 * such file yet; the GPU has no other regions before. While it is open, nobody else can open it (FILE.lock). cowarp_pm_close writes the
 * durable image, as it is then, under a temporary name and renames it; the regions stay in the GPU. cowarp_finish closes it, and so does
 * cowarp_destroy, also after a launch that failed. A file that is truncated, damaged, in use, of another version or too large for pm.mbytes
 * stays as it is: COWARP_EINVAL or COWARP_EIO. */
int cowarp_pm_open(struct cowarp_gpu *gpu, const char *path);
int cowarp_pm_close(struct cowarp_gpu *gpu);
/* Closes the file without writing it. */
void cowarp_pm_discard(struct cowarp_gpu *gpu);
/* Writes such a file beside the one that is open. */
int cowarp_pm_save(struct cowarp_gpu *gpu, const char *path);

/* With options.pm_log: bytes that became durable together, in a launch. */
struct cowarp_persist {
    uint64_t cycle;       /* core cycle */
    uint64_t address;     /* of byte 0 */
    uint32_t bytes;       /* at most 128 */
    const uint32_t *mask; /* bit b of mask[w]: byte 32 w + b became durable. Pointers are valid until the next call for this GPU */
    const uint8_t *data;
};
/* How many there have been since cowarp_create. */
uint64_t cowarp_persist_count(const struct cowarp_gpu *gpu);
/* All, in their order: i = 0, 1, ... until it returns 0. */
int cowarp_persist_at(const struct cowarp_gpu *gpu, uint64_t i, struct cowarp_persist *persist);
/* The power has failed on the GPU `from`, which keeps a log, when that many persists had become durable, just before the next one: `to`
 * gets the regions and the bytes that were durable then, and loses those that it had; variables of its modules have their first values
 * again. If `to` keeps a log, the log and the graph begin here, so that it may fail in its turn. Points in ascending order are cheap. */
int cowarp_pm_crash(struct cowarp_gpu *to, const struct cowarp_gpu *from, uint64_t persists);

/* With options.pm_log = 2: a store of a thread to a word of persistent memory. */
struct cowarp_pm_store {
    uint64_t address;      /* a multiple of 4 */
    uint64_t cycle;        /* core cycle in which it has issued */
    uint32_t value, bytes; /* bit b of bytes: it has written byte b */
    uint32_t node;
    uint32_t launch; /* from 0 on; a launch begins when all stores of those before it are durable, unless one is `kept` */
    uint32_t line;   /* of the PTX file; 0: not known */
    uint32_t core, warp, lane;
    uint32_t source_line; /* of `source`, by the .loc of that line */
    const char *source;   /* NULL: not known */
};
/* What is ordered before what, by the persistency model's rules and not by what the machine has done (Pandey et al. 2023, Box 2): a set of
 * stores may be durable when it has, with each store, all stores of the two nodes before its own, of what is before those, and so on. */
struct cowarp_pm_graph {
    const struct cowarp_pm_store *store; /* in the order of their issue */
    const uint32_t *before;              /* [2 * nodes] of node n: 2 n and 2 n + 1, which are smaller numbers or UINT32_MAX */
    const uint64_t *persists;            /* [launches + 1] persists before the launch, as cowarp_pm_crash takes them */
    uint32_t stores, nodes, launches;
    const uint8_t *kept; /* [launches] 1: its end has not made its stores durable (pm.kernel_end=keep) */
};
/* The ordering operations of one line of the PTX. */
struct cowarp_pm_order {
    uint32_t line;
    const char *kind;   /* "ofence", "dfence", "release", "acquire" or "fence" */
    int device;         /* device scope; of a release, an acquire or a fence */
    uint64_t times;     /* that threads have made it */
    const char *source; /* as of a store */
    uint32_t source_line;
};
/* The graph as it would be without the ordering operations of that line (0: as it is). The GPU owns it; valid until the next call, also of
 * cowarp_pm_graph_if. */
int cowarp_pm_graph(struct cowarp_gpu *gpu, uint32_t without_line, struct cowarp_pm_graph *graph);
/* What if the ordering operations of a line were others: dFences (and fences of PTX that are one) were oFences; oFences were dFences; what is of block scope were of
 * device scope, with line 0 in all lines. */
enum cowarp_pm_change { COWARP_PM_SAME, COWARP_PM_WITHOUT, COWARP_PM_AS_OFENCE, COWARP_PM_AS_DFENCE, COWARP_PM_AS_DEVICE };
int cowarp_pm_graph_if(struct cowarp_gpu *gpu, enum cowarp_pm_change change, uint32_t line, struct cowarp_pm_graph *graph);
/* All, in the order of their first use: i = 0, 1, ... until it returns 0. */
int cowarp_pm_order_at(const struct cowarp_gpu *gpu, uint32_t i, struct cowarp_pm_order *order);

/* A kernel argument. A pointer to __local takes COWARP_ARG_LOCAL with its size in bytes; clang's nvidiacl target does
 * not mark such a parameter in the PTX, so it is the caller who says so. */
enum cowarp_arg_type {
    COWARP_ARG_U32,
    COWARP_ARG_S32,
    COWARP_ARG_U64,
    COWARP_ARG_S64,
    COWARP_ARG_F32,
    COWARP_ARG_F64,
    COWARP_ARG_LOCAL,
    COWARP_ARG_BYTES
};

/* What COWARP_ARG_BYTES passes: a struct or an array by value, of exactly the parameter's size. The caller keeps it during cowarp_run. */
struct cowarp_bytes {
    const void *data;
    uint64_t bytes;
};

struct cowarp_arg {
    enum cowarp_arg_type type;
    union {
        uint32_t u32;
        int32_t s32;
        uint64_t u64; /* also device addresses, and the bytes of a COWARP_ARG_LOCAL */
        int64_t s64;
        float f32;
        double f64;
        const struct cowarp_bytes *bytes;
    } value;
};
#define COWARP_U32(x)   ((struct cowarp_arg){COWARP_ARG_U32, {.u32 = (x)}})
#define COWARP_S32(x)   ((struct cowarp_arg){COWARP_ARG_S32, {.s32 = (x)}})
#define COWARP_U64(x)   ((struct cowarp_arg){COWARP_ARG_U64, {.u64 = (x)}})
#define COWARP_S64(x)   ((struct cowarp_arg){COWARP_ARG_S64, {.s64 = (x)}})
#define COWARP_F32(x)   ((struct cowarp_arg){COWARP_ARG_F32, {.f32 = (x)}})
#define COWARP_F64(x)   ((struct cowarp_arg){COWARP_ARG_F64, {.f64 = (x)}})
#define COWARP_LOCAL(x) ((struct cowarp_arg){COWARP_ARG_LOCAL, {.u64 = (x)}})
#define COWARP_BYTES(x) ((struct cowarp_arg){COWARP_ARG_BYTES, {.bytes = (x)}}) /* x: a const struct cowarp_bytes * */

#define COWARP_STREAMS 64

struct cowarp_launch {
    uint32_t size; /* of this struct */
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    uint32_t arg_count;
    const struct cowarp_arg *args; /* in order; number and sizes are checked against the kernel's parameters */
    int static_warps;   /* 1: threads stay in their static warps under core.divergence=tbc, as with tbc.arrangement=static, for kernels that
                           count on it (Fung 2015, 3.3.2). pdom has no others; dwf and dwf-wb have none: COWARP_EINVAL */
    uint32_t registers; /* of a thread, 1 .. 65536: how many blocks fit into a core follows. 0: those of options.registers, else those of
                           options.resource_usage, else those that live at once in the PTX, and no more than its .maxnreg, .minnctapersm,
                           .maxntid and one block of the launch allow (docs/model.md) */
    int functional;     /* 1: this launch takes no time, whatever options.functional says */
    int baseline; /* 1: this launch runs under warptm in the place of sitm-ts or sitm-oracle, and memory has no versions meanwhile (SI-TM,
                           section 5; as si.mode=off for all). When it changes from a launch to the next, the machine is made anew as by
                           cowarp_reset, with what that refuses. Other systems: COWARP_EINVAL */
    int cooperative; /* 1: blocks may meet at a barrier of the whole grid (grid.sync() of cooperative groups), so the cores have to have room
                           for all at once; else COWARP_EINVAL */
    uint32_t stream;        /* for check race: the launch is one of this stream, 0 .. COWARP_STREAMS - 1; */
    const uint32_t *before; /* [COWARP_STREAMS] and so many launches of each stream happen before it, all those of its own among them. NULL:
                               all do */
};

/* Runs a kernel to its end. After an error in the run the GPU answers COWARP_EINVAL to cowarp_run and cowarp_load until cowarp_reset;
 * memory and statistics can be read before that, as the error has left them. */
int cowarp_run(struct cowarp_gpu *gpu, struct cowarp_module *module, const struct cowarp_launch *launch);

/* One piece of work of several that may be carried out at the same time (cowarp_run_together). */
struct cowarp_work {
    uint32_t size; /* sizeof(struct cowarp_work) */
    struct cowarp_module *module;
    const struct cowarp_launch *launch; /* a kernel of the module; NULL: a call of the host, which takes no simulated time: */
    int (*call)(void *data);            /* it may read and write device memory; a status other than COWARP_OK ends the run */
    void *data;
    const uint32_t *after; /* [after_count] works that are over before it begins: places in the array, lower than its own */
    uint32_t after_count;
    uint32_t queue;    /* of a kernel: it begins after those before it in its queue have begun; modulo gpu.queues */
    int priority;      /* of a kernel: blocks of kernels with lower numbers come first */
    double begin, end; /* microseconds at which it has begun and was over: the library writes them */
};

/* Runs all works, kernels as by cowarp_run. Kernels that may overlap do, with up to gpu.kernels of them at once; each has its cores alone. One work
 * after the other, in the order of the array: functional and cooperative launches, launches that `after` orders all, mechanisms, oracles,
 * options.checks, options.save_cycle, profiles of lines and branches, and gpu.kernels=1. After an error the works that were not over are not carried out. */
int cowarp_run_together(struct cowarp_gpu *gpu, struct cowarp_work *work, uint32_t count);

/* How many blocks of a launch a core holds at once, and why not more. Strings live as long as the GPU. */
struct cowarp_occupancy {
    const char *kernel;
    uint64_t grid_blocks;
    uint32_t threads, warps;     /* of a block */
    uint32_t registers;          /* 32-bit registers of a thread */
    uint32_t live_registers;     /* the same, of those that live at once in the PTX */
    const char *registers_from;  /* who says so: "launch", "options", "resource usage", "liveness", ".maxnreg", ".maxntid" (also .reqntid),
                                    ".minnctapersm", "thread" (255), "block" (one of the launch has to fit) */
    uint32_t block_registers;    /* 32-bit registers of a block, rounded up to the units in which warps get them */
    uint32_t block_shared_bytes; /* the same of shared memory, with what mechanisms take of it */
    uint32_t blocks_per_core;    /* at once, at the most: the least of the five below */
    uint32_t warps_per_core;     /* of these blocks */
    /* Blocks for which each resource of a core alone has room; UINT32_MAX: they need nothing of it. grid: those of a core, when the grid's
     * are dealt out evenly. */
    uint32_t by_registers, by_shared, by_warps, by_blocks, by_grid;
    char limit[64]; /* the resources that allow no more: of "registers", "shared memory", "warps", "blocks" and "grid", with ", " between */
    uint64_t launches; /* of cowarp_occupancy_at: how many were such */
};
/* Of a launch that is not made; without arguments (arg_count 0) none is taken to be a COWARP_ARG_LOCAL. A block that does not fit has 0
 * blocks_per_core. What cowarp_run refuses for other reasons is refused too. */
int cowarp_occupancy(struct cowarp_gpu *gpu, struct cowarp_module *module, const struct cowarp_launch *launch,
                     struct cowarp_occupancy *occupancy);
/* Of the launches so far, equal ones together, in the order of the first of each, 1,000 at the most: i = 0, 1, ... until it returns 0. */
int cowarp_occupancy_at(const struct cowarp_gpu *gpu, uint32_t i, struct cowarp_occupancy *occupancy);

/* Makes the GPU usable again after a launch that failed. What was under way is dropped: warps, messages, transactions, cached lines, what
 * the hardware units hold. The machine is then as cowarp_create made it, with units of their own kind (C, RTL, lockstep) made anew.
 * Device memory with its allocations and the loaded modules are kept: writes that had reached memory before the error stay, others are
 * lost.
 *
 * Simulated time and counters go on. Time first moves to the next full microsecond, at which all clocks have an edge together: so a run
 * after a reset takes exactly the cycles, and adds exactly the counts, of the same run on a new GPU with the same memory. Counters keep
 * what the failed launch has counted; for that one launch a conservation law (a message sent is a message received) need not hold.
 *
 * A GPU that has not failed may be reset too; its caches are cold then. COWARP_EINVAL, and nothing changes, when the GPU was created
 * with a wave file or a recording: it would go on with units that it has not seen. COWARP_ENOMEM and other errors of cowarp_create: the
 * GPU remains unusable, and cowarp_reset may be tried again. */
int cowarp_reset(struct cowarp_gpu *gpu);

/* What GPU-LocalTM's transactions in shared memory take of a core, in one combination of detector and serialisation, and whether a core has
 * it. Registers are 32-bit words of a work-group: a vector register of one lane, a scalar register of one warp. */
struct cowarp_advice_line {
    const char *detect, *serial; /* as ltm.detect and ltm.serial take them; "" for the kernel alone */
    uint32_t vector_registers, scalar_registers, shared_bytes;
    uint32_t groups;   /* work-groups that a core has room for */
    const char *lacks; /* the resource that one work-group has too little of; "": none */
};

#define COWARP_ADVICE_LINES 16
struct cowarp_advice {
    const char *kernel;
    uint32_t core_vector_registers, core_scalar_registers, core_shared_bytes;
    uint32_t words;                              /* of shared memory that a transaction names, at the most */
    int has_read_only, reads_as_wrote, has_loop; /* docs/command.md, advise */
    struct cowarp_advice_line alone, line[COWARP_ADVICE_LINES];
    int chosen;      /* index of the line that suits the kernel best; -1: none fits, and a lock has to do (system lds-lock) */
    const char *why; /* one line */
};

/* Feasibility and choice for a kernel in work-groups of `threads` threads (GPU-LocalTM 7). kernel NULL: the module's only one with
 * transactions. Strings live as long as the module. COWARP_EINVAL: no such kernel, or it has no transactions, or more than 1,024 threads.
 */
int cowarp_advise(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *kernel, uint32_t threads,
                  uint32_t dynamic_shared_bytes, struct cowarp_advice *advice);

/* A phase of the program begins, and the one before ends; NULL: none begins. The statistics file says how many cycles each took, all parts
 * of the same name together. The name has at most 63 characters. */
int cowarp_phase(struct cowarp_gpu *gpu, const char *name);

/* Where a program has done something wrong: of one kind, at one line of the PTX (of a race: at a pair of lines). Strings live as long as
 * the GPU. */
struct cowarp_finding {
    uint32_t size;     /* of this struct; cowarp_finding_at takes it */
    const char *check; /* "memory", "sync", "race" or "init" */
    const char *kernel, *file;
    uint32_t line, other_line; /* of the PTX; the second access of a race, else 0 */
    const char *source_file;   /* as the PTX's .loc says, or NULL; then: */
    uint32_t source_line;
    uint32_t block[3], thread[3]; /* the first thread that has done it */
    uint64_t address;             /* in its space; 0: it is about no address */
    uint32_t bytes;
    uint64_t count;   /* threads that have done it, each as often as it has */
    const char *text; /* what the first one has done */
};
/* With options.checks, in the order in which they were found, of 1,000 places at the most: i = 0, 1, ... until it returns 0. */
int cowarp_finding_at(const struct cowarp_gpu *gpu, uint32_t i, struct cowarp_finding *finding);
/* How often the sanitizer has found something, at all places; check: of one kind, NULL: of all. */
uint64_t cowarp_findings(const struct cowarp_gpu *gpu, const char *check);
/* What the check init takes these bytes of device memory for. They count as written when they are allocated, since they are zeros. The memory
 * of a program that may not rely on that is to be marked as unwritten, as cudaMalloc's is: it has to be written, by cowarp_write or by a
 * kernel, before a kernel reads it. Of the two the later call counts. */
void cowarp_mark_unwritten(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes);
void cowarp_mark_written(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes);

/* The serializability oracle's verdict on the launches so far, one line; "" when it is off or nothing has run. */
const char *cowarp_oracle(const struct cowarp_gpu *gpu);
/* The same of the persistency oracle. */
const char *cowarp_persist_oracle(const struct cowarp_gpu *gpu);

/* With options.elastic: of each such unit how many operations it had, how long it and the C model took, and for each part of its contract whether it
 * holds. Several lines; "" without such units. The text is valid until the next call. */
const char *cowarp_elastic(struct cowarp_gpu *gpu);

/* After the last launch: completes the wave file, so that an error in writing it is seen. cowarp_destroy does it otherwise. */
int cowarp_finish(struct cowarp_gpu *gpu);
/* After cowarp_finish: 1 when there is a wave file. An event that has not come leaves none. */
int cowarp_wave_written(const struct cowarp_gpu *gpu);

/* Where the event of wave_on was. */
struct cowarp_wave_event {
    uint64_t picoseconds; /* its time in the trace */
    int core, warp;       /* of an abort: the warp, a slot of the core; -1: the event is no warp's */
    int core_warps;       /* slots of a core */
    char unit[64];        /* of an abort or a difference: the hardware unit that decided, "partition2.validation_unit"; "": none */
};
/* After the run, until cowarp_destroy. COWARP_EINVAL: no event was waited for, or it has not come. */
int cowarp_wave_event(struct cowarp_gpu *gpu, struct cowarp_wave_event *event);

/* Tells the name of each signal of a complete trace, with the range of its bits: "partition0.validation_unit.req_granule[29:0]". The widths of
 * many follow from the configuration of the run. COWARP_EIO: the file cannot be read. */
int cowarp_wave_signals(struct cowarp_gpu *gpu, const char *file, void (*each)(void *context, const char *name), void *context);

/* Sums over all launches so far. */
uint64_t cowarp_cycles(const struct cowarp_gpu *gpu); /* core cycles */
/* What options.estimate has made of the launches so far. */
struct cowarp_estimate {
    uint32_t size;
    double cycles, half;                             /* core cycles; with 95 percent they are cycles - half to cycles + half */
    double timed_instructions, untimed_instructions; /* of warps */
    uint64_t timed_launches;                         /* all blocks of them */
    uint64_t partly_timed_launches, untimed_launches;
};
/* COWARP_EINVAL: nothing is estimated. */
int cowarp_estimated(struct cowarp_gpu *gpu, struct cowarp_estimate *estimate);
double cowarp_microseconds(const struct cowarp_gpu *gpu); /* simulated time */
double cowarp_host_seconds(const struct cowarp_gpu *gpu); /* host time inside cowarp_run */
/* A counter by name; COWARP_EINVAL with a suggestion for an unknown one. */
int cowarp_counter(struct cowarp_gpu *gpu, const char *name, uint64_t *value);
/* All counters: i = 0, 1, ... until it returns 0. Strings are static. */
int cowarp_counter_at(const struct cowarp_gpu *gpu, uint32_t i, const char **name, uint64_t *value, const char **unit,
                      const char **definition);
/* Units that options.units may name: i = 0, 1, ... until it returns 0. Strings are static. */
int cowarp_unit_at(uint32_t i, const char **name, const char **what);
/* The systems and mechanisms that bring this unit: k = 0, 1, ... until it returns NULL. */
const char *cowarp_unit_mechanism(uint32_t i, uint32_t k);
/* The clock, MHz, that the unit's hardware has to reach, and the node, nm, at which. Returns 0 when there is no unit i, else 1. */
int cowarp_unit_clock(uint32_t i, uint32_t *mhz, uint32_t *node_nm);
/* A configuration value by name. */
int cowarp_config_value(struct cowarp_gpu *gpu, const char *name, uint32_t *value);

/* What there is to choose from: i = 0, 1, ... until it returns 0. Strings are static; what: one line.
 * Transactional systems for options.system, without "none". */
int cowarp_system_at(uint32_t i, const char **name, const char **what);
/* Persistency models for options.persistency, "none" among them. */
int cowarp_persistency_at(uint32_t i, const char **name, const char **what);
/* Mechanisms for options.mechanisms. */
int cowarp_mechanism_at(uint32_t i, const char **name, const char **what);
/* Control-flow policies for options.control. */
int cowarp_control_at(uint32_t i, const char **name, const char **what);
/* Machines for options.preset. */
int cowarp_preset_at(uint32_t i, const char **name, const char **what);
/* That one of cnt names which is most like the word, or NULL when none is near: for "did you mean". */
const char *cowarp_nearest(const char *word, const char *const *names, uint32_t cnt);

/* A configuration without a GPU: the one that preset, config_file and settings of the options make. The other options are not looked at. */
struct cowarp_config;

struct cowarp_key {
    const char *name; /* "core.count" */
    uint32_t value, minimum, maximum;
    const char *words;  /* "gto|lrr": a choice, and the value is an index into it; NULL: a number */
    const char *unit;   /* "" for a choice */
    const char *source; /* of the value: paper and section, or who has set it */
    const char *what;   /* one line */
    char text[32];      /* the value as options.settings takes it: "15", "lrr" */
};

/* *config is set even on failure (so that cowarp_config_error works), unless memory ran out; destroy it in any case. COWARP_EINVAL or
 * COWARP_EIO as cowarp_create. */
int cowarp_config_create(struct cowarp_config **config, const struct cowarp_options *options);
void cowarp_config_destroy(struct cowarp_config *config);
/* Text of the last error, "" when none. config may be NULL: "out of memory". */
const char *cowarp_config_error(const struct cowarp_config *config);
/* All keys: i = 0, 1, ... until it returns 0. Strings live as long as the configuration. */
int cowarp_config_at(const struct cowarp_config *config, uint32_t i, struct cowarp_key *key);
/* Index of a key; COWARP_EINVAL with a suggestion for an unknown name. */
int cowarp_config_find(struct cowarp_config *config, const char *name, uint32_t *i);
/* The whole configuration as TOML with comments, which options.config_file takes. It lives as long as the configuration; NULL: out of
 * memory. */
const char *cowarp_config_toml(struct cowarp_config *config);

/* JSON with every counter (docs/api.md lists its members), written to a temporary name and renamed. check: "passed" or "failed".
 * workload, variant and check may be NULL, which is written as null. */
int cowarp_write_stats(struct cowarp_gpu *gpu, const char *path, const char *workload, const char *variant, const char *check);

/* How the run was made is a member of that file (docs/api.md, "manifest"): the library notes configuration, modules, launches, Verilog.
 * What only the program knows it says itself. Strings are copied. The program's command line without its own name, and one that makes the
 * run again without writing its files; both NULL-terminated, repeat may be NULL. COWARP_EINVAL: said before. */
int cowarp_manifest_command(struct cowarp_gpu *gpu, const char *const *command, const char *const *repeat);
/* A parameter of the program, by name; a later value takes the place of an earlier one. */
int cowarp_manifest_param(struct cowarp_gpu *gpu, const char *name, int64_t value);
/* A file that the program reads, as it is now: its path and its SHA-256. role: "argument", "input", one word. COWARP_EIO: it cannot be
 * read. */
int cowarp_manifest_file(struct cowarp_gpu *gpu, const char *role, const char *path);

/* After the last launch: how many threads went which way at each conditional branch of the kernels that were launched, all launches since
 * cowarp_create, as text (docs/divergence.md). The file is complete or not there. COWARP_EINVAL: options.record_branches was 0. */
int cowarp_write_branches(struct cowarp_gpu *gpu, const char *path);

/* After the last launch: where the time of the kernels that were launched goes, by the lines of their PTX, as text (docs/profile.md). The
 * file is complete or not there. COWARP_EINVAL: options.record_profile was 0. */
int cowarp_write_profile(struct cowarp_gpu *gpu, const char *path);

/* One hardware unit without a GPU around it, driven by a stimulus file (docs/waves.md), into an FST file. */
struct cowarp_play {
    uint32_t size;                                       /* of this struct */
    const char *stimulus;                                /* file */
    const char *wave_file;                               /* FST, written under a temporary name and renamed */
    const char *backend;                                 /* "c", "rtl" or "lockstep" */
    void (*on_message)(void *context, const char *text); /* as in struct cowarp_options */
    void *context;
    int (*stop)(
        void *context); /* asked some hundred times a second; non-zero ends it (COWARP_ELIMIT), and no wave file is left. NULL: nobody */
};

struct cowarp_played {
    char error[512];       /* "" or one line */
    char unit[64];         /* that the file drives */
    char view[4096];       /* save file that it names, found from its folder; "" when it names none */
    uint64_t cycles;       /* clock cycles played */
    uint32_t expectations; /* answers that came as the file expects */
    uint32_t waits;        /* values of outputs that the file waits for, and that came */
};

/* COWARP_OK; COWARP_ECHECK when an answer is not the expected one (the wave file is there and ends with it); COWARP_EINVAL for a
 * file that cannot be understood; COWARP_EIO, COWARP_EMISMATCH, COWARP_ENOMEM. */
int cowarp_play_unit(struct cowarp_played *played, const struct cowarp_play *play);

/*
 * The C model of one hardware unit, without a GPU: for a bench of one's own, in C, Python (cowarp.Unit) or SystemVerilog (examples/dpi). Its ports
 * and parameters are those of include/cowarp/unit/<unit>.h. One cycle is: inputs are set, outputs are read behind eval, tick is the clock edge.
 */
struct cowarp_unit;
/* params: "width=8 lines=4" by the names in C or in Verilog, blanks between; NULL or "": the defaults. error: room for a line of text that says
 * what is wrong, or NULL. The unit is as a reset leaves it, all inputs are 0. COWARP_EINVAL, COWARP_ENOMEM: *unit is NULL. */
int cowarp_unit_open(struct cowarp_unit **unit, const char *name, const char *params, char *error, uint32_t bytes);
void cowarp_unit_close(struct cowarp_unit *unit);
/* Port i = 0, 1, ... until it returns 0. The name is without _i and _o, and lives as long as the unit. */
int cowarp_unit_port(const struct cowarp_unit *unit, uint32_t i, const char **name, uint32_t *bits, int *is_input);
/* Bits 64 * part and up of an input. COWARP_EINVAL: no input, no such part, or a value of more bits than it has. */
int cowarp_unit_set(struct cowarp_unit *unit, uint32_t port, uint32_t part, uint64_t value);
/* Of an input as it has been set, of an output as the last eval, tick or reset has left it; 0 of what is not there. */
uint64_t cowarp_unit_get(const struct cowarp_unit *unit, uint32_t port, uint32_t part);
/* Outputs of this cycle from state and inputs. */
void cowarp_unit_eval(struct cowarp_unit *unit);
/* The cycle ends: eval, so that outputs stay readable, and the clock edge. */
void cowarp_unit_tick(struct cowarp_unit *unit);
void cowarp_unit_reset(struct cowarp_unit *unit);

#ifdef __cplusplus
}
#endif
#endif
