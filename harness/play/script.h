/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stimulus files: what one hardware unit is driven with, cycle by cycle, and what it must answer. docs/waves.md has the language.
 *
 *     unit validation_unit
 *     param row_w=2
 *     hold rsp_ready=1
 *     @4 send req kind=store granule=0xa warpts=20 owner=1 "tx1 stores A"
 *     expect rsp outcome=success
 */
#ifndef CW_HARNESS_PLAY_SCRIPT_H
#define CW_HARNESS_PLAY_SCRIPT_H

#include <stdbool.h>

#include "base/error.h"
#include "cowarp/unit.h"

#define CW_SCRIPT_NO_TEXT UINT32_MAX

enum cw_script_verb {
    CW_SCRIPT_NONE,   /* time and text only */
    CW_SCRIPT_HOLD,   /* inputs, from this cycle on */
    CW_SCRIPT_PULSE,  /* inputs, in this cycle */
    CW_SCRIPT_SEND,   /* a transfer into the unit: held until ready */
    CW_SCRIPT_EXPECT, /* the next transfer out of it, in order */
    CW_SCRIPT_WAIT,   /* until outputs have these values */
    CW_SCRIPT_TRACE   /* the wave begins here */
};

/* A group of ports with one handshake. */
struct cw_script_channel {
    const struct cw_port *valid, *ready; /* ready: NULL when the channel has none */
};

struct cw_script_assign {
    const struct cw_port *port;
    uint32_t word; /* of a port wider than 64 bits; else 0 */
    uint64_t value;
};

struct cw_script_line {
    uint32_t number; /* in the file, from 1 */
    enum cw_script_verb verb;
    bool absolute; /* not before cycle `at`; else `at` cycles after the line before has ended */
    uint64_t at;
    uint32_t text;                    /* index into texts, or CW_SCRIPT_NO_TEXT */
    struct cw_script_channel channel; /* SEND, EXPECT */
    struct cw_script_assign *assign;  /* assign_cnt, the line's own */
    uint32_t assign_cnt;
};

struct cw_script {
    char *path;
    const struct cw_unit *unit;
    void *params;
    struct cw_port *port; /* unit->port_cnt */
    char *instance;       /* path of the unit in the trace; "partition0.<unit>" unless said otherwise */
    char *view;           /* save file, as the script names it; NULL: none */
    uint32_t clock_mhz;   /* 1 .. 100000; 1400 unless said otherwise */
    struct cw_script_line *line;
    uint32_t line_cnt;
    char **text; /* what the story signal shows */
    uint32_t text_cnt;
    bool late_trace; /* there is a TRACE line */
};

/* units: NULL-terminated. CW_OK; CW_EIO; CW_ENOMEM; CW_EINVAL with "path:line: what; what to do". Destroy it in every case. */
int cw_script_read(struct cw_script *s, const char *path, const struct cw_unit *const *units, struct cw_error *err);
void cw_script_destroy(struct cw_script *s);

#endif
