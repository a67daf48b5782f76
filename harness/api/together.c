/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: which options go together. */
#include <inttypes.h>

#include "api.h"

#define ESTIMATE_LEAST .0001
#define ESTIMATE_MOST  .5

/* What cannot be had together with something else. */
enum {
    UNTIMED = 1u << 0,   /* without any timed launch there is nothing to be seen */
    ESTIMATED = 1u << 1, /* a part of the run is left out */
    DEBUGGED = 1u << 2   /* what is written while the run goes on cannot go back with it */
};

/* The first thing that the options ask for and that cannot be had with one of these; NULL: there is none. */
static const char *first_against(const struct cowarp_options *o, uint32_t with)
{
    const struct {
        bool wanted;
        const char *name;
        uint32_t against;
    } asked[] = {
        {o->functional != 0, "a run with functional launches (--functional, --launches)", ESTIMATED},
        {o->wave_file != NULL, "a wave file", UNTIMED | ESTIMATED | DEBUGGED},
        {o->timeline_file != NULL, "a timeline", UNTIMED | ESTIMATED | DEBUGGED},
        {o->konata_file != NULL, "a log for Konata", UNTIMED | ESTIMATED | DEBUGGED},
        {o->sample_file != NULL, "samples", UNTIMED | ESTIMATED | DEBUGGED},
        {o->record != NULL, "a record of what a unit gets", UNTIMED | ESTIMATED | DEBUGGED},
        {o->bins_file != NULL, "functional coverage", UNTIMED | ESTIMATED | DEBUGGED},
        {o->record_branches != 0, "branch counts", UNTIMED | ESTIMATED},
        {o->record_profile != 0, "a profile", UNTIMED | ESTIMATED},
        {o->count_stalls != 0, "counts of stalls", UNTIMED},
        {o->check_serial != 0, "a check of serializability", UNTIMED | ESTIMATED},
        {o->check_persist != 0, "a check of persists", UNTIMED | ESTIMATED},
        {o->checks != NULL, "a sanitizer", ESTIMATED},
        {o->save_file != NULL, "a saved run", ESTIMATED | DEBUGGED},
        {o->load_file != NULL, "a saved run", ESTIMATED},
        {o->renew_cycles != 0, "a run that is made anew", ESTIMATED},
        {o->debug_socket != 0, "the debugger", ESTIMATED},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (asked[i].wanted && (asked[i].against & with) != 0)
            return asked[i].name;
    return NULL;
}

static int check_functional(const struct cowarp_options *o, struct cw_error *err)
{
    const char *watcher = o->functional != 0 && o->timed_end == 0 ? first_against(o, UNTIMED) : NULL;
    if (o->renew_cycles != 0 && (o->wave_file != NULL || o->record != NULL || o->bins_file != NULL))
        return cw_fail(err, CW_EINVAL, "renew_cycles makes the units anew, which a wave, a record or functional coverage holds");
    if (o->functional == COWARP_FUNCTIONAL_NATIVE && o->checks != NULL)
        return cw_fail(err, CW_EINVAL, "native code checks nothing; leave --check or --functional=native out, or take --functional");
    if (o->threads > COWARP_THREADS_MAX)
        return cw_fail(err, CW_EINVAL, "%u threads; there are at most %u", o->threads, COWARP_THREADS_MAX);
    if (o->threads > 1 && o->debug_socket != 0)
        return cw_fail(err, CW_EINVAL, "the debugger follows one thread; leave --threads out");
    if (o->functional == 0 && (o->timed_begin != 0 || o->timed_end != 0))
        return cw_fail(err, CW_EINVAL, "timed_begin and timed_end without functional: all launches are timed");
    if (o->functional != 0 && (o->timed_begin != 0 || o->timed_end != 0) && o->timed_end <= o->timed_begin)
        return cw_fail(err, CW_EINVAL, "timed launches end (%" PRIu64 ") before they begin (%" PRIu64 ")", o->timed_end, o->timed_begin);
    if (watcher != NULL)
        return cw_fail(err, CW_EINVAL, "functional launches take no time, and %s needs it; name launches that take time (--launches A:B)",
                       watcher);
    return CW_OK;
}

static int check_estimate(const struct cowarp_options *o, struct cw_error *err)
{
    if (o->estimate == 0)
        return CW_OK;
    if (!(o->estimate >= ESTIMATE_LEAST && o->estimate <= ESTIMATE_MOST))
        return cw_fail(err, CW_EINVAL, "an estimate within %g of the cycles; it is %g to %g", o->estimate, ESTIMATE_LEAST, ESTIMATE_MOST);
    const char *whole = first_against(o, ESTIMATED);
    if (whole == NULL)
        return CW_OK;
    return cw_fail(err, CW_EINVAL, "an estimate leaves out parts of the run, and %s needs all of it; choose one of them", whole);
}

static int check_debug(const struct cowarp_options *o, struct cw_error *err)
{
    const char *file = o->debug_socket != 0 ? first_against(o, DEBUGGED) : NULL;
    if (file == NULL)
        return CW_OK;
    return cw_fail(err, CW_EINVAL, "the debugger goes back in a run, and %s cannot: leave it out", file);
}

int cowarp__check_options(const struct cowarp_options *options, struct cw_error *err)
{
    int status = check_functional(options, err);
    if (status == CW_OK)
        status = check_estimate(options, err);
    return status == CW_OK ? check_debug(options, err) : status;
}
