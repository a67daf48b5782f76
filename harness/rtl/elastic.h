/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit whose Verilog takes other times than its contract says: the C model beside it gets the same operations in the same order, in a time of
 * its own, and the answers have to be the same ones. What is compared is what of the contract does not speak of cycles. The caller sees the
 * Verilog's outputs, so the machine runs at the Verilog's pace. elastic_contracts.c says for which units that means something.
 */
#ifndef CW_HARNESS_ELASTIC_H
#define CW_HARNESS_ELASTIC_H

#include "lockstep.h"

#define CW_ELASTIC_FIELDS   8u
#define CW_ELASTIC_CHANNELS 2u
#define CW_ELASTIC_CYCLES   1024u /* latencies and occupancies that are told apart; the last one is "or more" */

/* Operations that the unit takes when valid and ready are 1. Names are those of the port list. */
struct cw_elastic_ask {
    const char *valid, *ready;
    const char *kind;  /* a port with the operation's kind; NULL: there is one kind */
    uint32_t answered; /* bit k: one of kind k has an answer; 0: none has */
};

/* What the unit gives back: in the order in which it has been asked. */
struct cw_elastic_answer {
    const char *valid, *ready; /* ready NULL: it is taken at once */
    const char *field[CW_ELASTIC_FIELDS];
    bool each;             /* one for each operation that is answered; else any number */
    const char *sentences; /* of the contract: what an answer is */
};

struct cw_elastic_contract {
    const char *unit;
    struct cw_elastic_ask ask[CW_ELASTIC_CHANNELS];       /* ends with one without valid */
    struct cw_elastic_answer answer[CW_ELASTIC_CHANNELS]; /* the same */
    const char *pulse; /* an input that acts on what comes after the operations that are taken up to its cycle; NULL: none */
    const char *rest;  /* an output: nothing is inside. NULL: none */
    bool rest_low;     /* it is 0 then */
    const char *zeros; /* sentences: fields are 0 while valid is 0 */
    const char *holds; /* sentences: what is offered stays until it is taken; NULL: nothing is offered */
    const char *rests; /* sentences about rest; NULL: none */
    const char *moves; /* sentences that speak of cycles, which nobody looks at */
};

/* Of the unit, or NULL: its contract says in each cycle what its outputs are, or what they are depends on when something comes. */
const struct cw_elastic_contract *cw_elastic_contract_of(const struct cw_unit *unit);
/* "a, b, c" */
#define CW_ELASTIC_NAMES 256u
void cw_elastic_units(char text[CW_ELASTIC_NAMES]);

/* What is judged of a contract. */
enum cw_elastic_verdict {
    CW_ELASTIC_VALUES, /* of the first answer channel; those of the second one follow */
    CW_ELASTIC_ASKED = CW_ELASTIC_CHANNELS,
    CW_ELASTIC_ZEROS,
    CW_ELASTIC_HOLDS,
    CW_ELASTIC_RESTS,
    CW_ELASTIC_VERDICTS
};

/* How long and how many: by cycles of the one that it is of. */
struct cw_elastic_times {
    uint64_t latency[CW_ELASTIC_CYCLES];   /* answers that came so many cycles after their operation was taken */
    uint64_t occupancy[CW_ELASTIC_CYCLES]; /* cycles in which so many operations were without their answer */
    uint64_t offered, taken;               /* cycles in which an operation was offered, and taken */
};

struct cw_elastic_tally {
    uint64_t checks[CW_ELASTIC_VERDICTS];
    struct cw_elastic_times model, rtl;
    int broken; /* the verdict that did not hold; -1: all hold */
};

/* Adds one to the other. */
void cw_elastic_add(struct cw_elastic_tally *sum, const struct cw_elastic_tally *more);
/* Which sentences the verdict is about, and what it is, in words; NULL: the contract has none. */
const char *cw_elastic_sentences(const struct cw_elastic_contract *contract, int verdict);
const char *cw_elastic_what(int verdict);

extern const struct cw_unit_ops cw_elastic_ops; /* create is NULL: cw_elastic_create stands for it */

/* As cw_lockstep_create; the tally lives as long as the pair. 0, CW_ENOMEM. */
int cw_elastic_create(void **self, const void *params, const struct cw_unit_instance *model, const struct cw_unit_instance *rtl,
                      const struct cw_elastic_contract *contract, const char *name, struct cw_lockstep_report *report);
const struct cw_elastic_tally *cw_elastic_tally(const void *self);

#endif
