/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: which options go together. */
#include <inttypes.h>

#include "api.h"

#define ESTIMATE_LEAST .0001
#define ESTIMATE_MOST  .5

/* What is written while the run goes on cannot go back with it. */
static int check_debug(const struct cowarp_options *o, struct cw_error *err)
{
    const struct {
        bool wanted;
        const char *name;
    } files[] = {
        {o->wave_file != NULL, "a wave file"},         {o->timeline_file != NULL, "a timeline"},
        {o->sample_file != NULL, "samples"},           {o->record != NULL, "a record of what a unit gets"},
        {o->bins_file != NULL, "functional coverage"}, {o->save_file != NULL, "a saved run"},
    };
    for (size_t i = 0; o->debug_socket != 0 && i < sizeof files / sizeof files[0]; i++)
        if (files[i].wanted)
            return cw_fail(err, CW_EINVAL, "the debugger goes back in a run, and %s cannot: leave it out", files[i].name);
    return CW_OK;
}

/* Without any timed launch there is nothing to be seen by those who look on. */
static int check_functional(const struct cowarp_options *o, struct cw_error *err)
{
    const struct {
        bool wanted;
        const char *name;
    } watchers[] = {
        {o->wave_file != NULL, "a wave file"},
        {o->timeline_file != NULL, "a timeline"},
        {o->sample_file != NULL, "samples"},
        {o->record != NULL, "a record of what a unit gets"},
        {o->bins_file != NULL, "functional coverage"},
        {o->record_branches != 0, "branch counts"},
        {o->record_profile != 0, "a profile"},
        {o->count_stalls != 0, "counts of stalls"},
        {o->check_serial != 0, "a check of serializability"},
        {o->check_persist != 0, "a check of persists"},
    };
    if (o->renew_cycles != 0 && (o->wave_file != NULL || o->record != NULL || o->bins_file != NULL))
        return cw_fail(err, CW_EINVAL, "renew_cycles makes the units anew, which a wave, a record or functional coverage holds");
    if (o->functional == COWARP_FUNCTIONAL_NATIVE && o->checks != NULL)
        return cw_fail(err, CW_EINVAL, "native code checks nothing; leave --check or --functional=native out, or take --functional");
    if (o->functional == 0 && (o->timed_begin != 0 || o->timed_end != 0))
        return cw_fail(err, CW_EINVAL, "timed_begin and timed_end without functional: all launches are timed");
    if (o->functional != 0 && (o->timed_begin != 0 || o->timed_end != 0) && o->timed_end <= o->timed_begin)
        return cw_fail(err, CW_EINVAL, "timed launches end (%" PRIu64 ") before they begin (%" PRIu64 ")", o->timed_end, o->timed_begin);
    for (size_t i = 0; o->functional != 0 && o->timed_end == 0 && i < sizeof watchers / sizeof watchers[0]; i++)
        if (watchers[i].wanted)
            return cw_fail(err, CW_EINVAL,
                           "functional launches take no time, and %s needs it; name launches that take time (--launches A:B)",
                           watchers[i].name);
    return CW_OK;
}

static int check_estimate(const struct cowarp_options *o, struct cw_error *err)
{
    const struct {
        bool wanted;
        const char *name;
    } watchers[] = {
        {o->functional != 0, "a run with functional launches (--functional, --launches)"},
        {o->wave_file != NULL, "a wave file"},
        {o->timeline_file != NULL, "a timeline"},
        {o->sample_file != NULL, "samples"},
        {o->record != NULL, "a record of what a unit gets"},
        {o->bins_file != NULL, "functional coverage"},
        {o->record_branches != 0, "branch counts"},
        {o->record_profile != 0, "a profile"},
        {o->check_serial != 0, "a check of serializability"},
        {o->check_persist != 0, "a check of persists"},
        {o->checks != NULL, "a sanitizer"},
        {o->save_file != NULL || o->load_file != NULL, "a saved run"},
        {o->renew_cycles != 0, "a run that is made anew"},
        {o->debug_socket != 0, "the debugger"},
    };
    if (o->estimate == 0)
        return CW_OK;
    if (!(o->estimate >= ESTIMATE_LEAST && o->estimate <= ESTIMATE_MOST))
        return cw_fail(err, CW_EINVAL, "an estimate within %g of the cycles; it is %g to %g", o->estimate, ESTIMATE_LEAST, ESTIMATE_MOST);
    for (size_t i = 0; i < sizeof watchers / sizeof watchers[0]; i++)
        if (watchers[i].wanted)
            return cw_fail(err, CW_EINVAL, "an estimate leaves out parts of the run, and %s needs all of it; choose one of them",
                           watchers[i].name);
    return CW_OK;
}

int cowarp__check_options(const struct cowarp_options *options, struct cw_error *err)
{
    int status = check_functional(options, err);
    if (status == CW_OK)
        status = check_estimate(options, err);
    return status == CW_OK ? check_debug(options, err) : status;
}
