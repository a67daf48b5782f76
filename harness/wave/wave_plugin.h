/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The FST writer as a plug-in: libcowarp_wave.so, in C++ over Verilator's own FST writer, so that RTL models and values of the C side
 * share one file. It is loaded only when a trace is asked for. The C side gives a flat list of named values.
 */
#ifndef CW_HARNESS_WAVE_PLUGIN_H
#define CW_HARNESS_WAVE_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CW_WAVE_ABI 4u

/* Names for the values 0 .. cnt-1 of a signal, shown by the viewer instead of numbers. */
struct cw_wave_enum {
    const char *name;
    uint32_t cnt;
    const char *const *value;
};

struct cw_wave_signal {
    const char *scope; /* "cowarp core0", levels separated by blanks */
    const char *name;
    uint32_t bits;         /* 1 .. 64 */
    const uint64_t *value; /* read at each dump */
    int32_t enum_index;    /* into the list of enums, or -1 */
};

struct cw_wave_rtl {
    void *model; /* VerilatedModel *, only for its context */
    void (*trace)(void *self, void *fst, int depth);
    void *self;
};

struct cw_wave_plugin {
    uint32_t abi;
    /* Returns a writer into this empty file, open for reading and writing, of which it makes its own descriptor; NULL: it could not be
     * opened. All pointers stay valid until close. Times are in picoseconds. */
    void *(*open)(int fd, const struct cw_wave_signal *signal, uint32_t signal_cnt, const struct cw_wave_enum *enums, uint32_t enum_cnt,
                  const struct cw_wave_rtl *rtl, uint32_t rtl_cnt);
    /* Times grow. 0, or errno of what has gone wrong: the file is useless then. */
    int (*dump)(void *writer, uint64_t time_ps);
    int (*close)(void *writer); /* as dump */
    /* Tells the signals of a complete file: "core0.warp1.state[3:0]". false: it cannot be read. */
    bool (*names)(const char *path, void (*each)(void *context, const char *name), void *context);
    /* Writes a complete file, open as fd, as VCD. false: it cannot be read; out knows for itself when it cannot be written. */
    bool (*vcd)(int fd, FILE *out);
};

const struct cw_wave_plugin *cw_wave_plugin_get(void);

#ifdef __cplusplus
}
#endif
#endif
