/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scoped buffered release persistency, in one core (Pandey et al., ASPLOS 2023, section 6).
 *
 * Private to: sbrp.c, sbrp_core.c, sbrp_cycle.c.
 */
#ifndef CW_MECH_PERSIST_SBRP_H
#define CW_MECH_PERSIST_SBRP_H

#include "adapt/order_masks.h"
#include "adapt/persist_buffer.h"
#include "base/ring.h"
#include "mech/mech.h"
#include "mech/persist/keys.h"
#include "mech/persist/orders.h"

/* How far a warp's ordering operation is. */
enum cw_sbrp_step {
    CW_SBRP_NONE,
    CW_SBRP_ASKED,  /* waits for its place in the buffer */
    CW_SBRP_STALLS, /* in ODM, then in EDM */
    CW_SBRP_DONE
};

/* What the access at the end of the load/store pipeline waits for. */
enum cw_sbrp_pipe {
    CW_SBRP_PIPE_FREE,
    CW_SBRP_PIPE_ASKED,  /* the buffer answers in the next cycle */
    CW_SBRP_PIPE_NEXT,   /* it is tried again in the next cycle */
    CW_SBRP_PIPE_RESUME, /* its warp is in EDM */
    CW_SBRP_PIPE_EVICT   /* an eviction is on its way */
};

/* The eviction for it; one at a time. */
enum cw_sbrp_evict {
    CW_SBRP_EVICT_NONE,
    CW_SBRP_EVICT_WANTED,
    CW_SBRP_EVICT_ASKED, /* the answer comes in the next cycle */
    CW_SBRP_EVICT_WAITS, /* its warp is in EDM */
    CW_SBRP_EVICT_GOES   /* it counts as gone; the crossbar has had no room yet */
};

struct cw_sbrp_core {
    const struct cw_sbrp *sbrp;
    struct cw_core *core;
    struct cw_adapt_persist_buffer *buffer;
    struct cw_adapt_order_masks *masks;
    uint32_t *entry;   /* [line of the L1] its entry, while it is dirty */
    uint64_t *ordered; /* [entry] the warps of an ordering entry */
    /* this cycle's inputs, as far as they are known */
    struct cw_adapt_persist_buffer_in in;
    struct cw_adapt_persist_buffer_in posed; /* the insert of the cycle before, which is answered in this one */
    bool answers_store;                      /* what was asked was a store */
    struct cw_adapt_order_masks_in masks_in;
    struct cw_adapt_order_masks_view view; /* of the masks in this cycle */
    cw_time viewed;                        /* time of that */
    cw_time clocked;                       /* the last clock edge of the units */
    bool awake;
    /* warps */
    struct {
        uint8_t step;    /* enum cw_sbrp_step */
        uint8_t kind;    /* enum cw_persist_kind */
        bool returns;    /* an atomic of it has passed the L1 since its last ordering operation, and returns a value */
        uint32_t orders; /* ordering entries in the buffer that name it */
    } warp[64];
    struct cw_ring asked_ring;
    uint32_t asked[64]; /* ring of warps in CW_SBRP_ASKED */
    /* the pipe's access */
    enum cw_sbrp_pipe pipe;
    enum cw_sbrp_evict evict;
    uint32_t evict_line, evict_warp;
    bool past_waits; /* an access past the L1 waits for the warp's ordering entries: lines leave as they come */
    bool ends;       /* the kernel has ended: so do they, or they stay (pm.kernel_end) */
};

struct cw_sbrp {
    struct cw_mech_host host;
    const struct cw_persist_keys *keys;
    struct cw_persist_counters *counters;
    cw_time period;
    uint32_t fault;            /* enum cw_sbrp_fault */
    struct cw_sbrp_core *core; /* [core_count] */
};

/* Deliberate faults, in the order of their names in the descriptor. */
enum cw_sbrp_fault {
    CW_SBRP_SOUND,
    CW_SBRP_DROP_OFENCE,
    CW_SBRP_IGNORE_FSM,
    CW_SBRP_EARLY_ACK,
    CW_SBRP_RELEASE_BEFORE_DRAIN,
    CW_SBRP_DEVICE_AS_BLOCK
};

extern const struct cw_core_sockets cw_sbrp_sockets;

/* sbrp_cycle.c: one clock of the two units */
cw_time cw_sbrp__tick(struct cw_sbrp_core *c, cw_time now);
/* The masks as they are in this cycle. */
const struct cw_adapt_order_masks_view *cw_sbrp__masks(struct cw_sbrp_core *c, cw_time now);
/* The kernel has ended, and what is in the buffer stays there. */
bool cw_sbrp__keeps(const struct cw_sbrp_core *c);
/* Whether lines leave as they come. */
bool cw_sbrp__drains(const struct cw_sbrp_core *c);

#endif
