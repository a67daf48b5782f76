/* SPDX-License-Identifier: Apache-2.0 */
/* Which implementation stands behind each unit: C model, RTL, or both in lockstep. */
#define _POSIX_C_SOURCE 200809L /* access, strdup */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "wave/lockstep_wave.h"

const struct cowarp__unit cowarp__units[] = {
    {"validation_unit", "getm", "metadata tables and stall buffer of a partition; one per memory partition"},
    {"hazard_unit", "kilotm, warptm, eapg", "last-writer history and hazard detection of a commit unit; one per memory partition"},
    {"commit_unit", "kilotm, warptm, eapg, warptm-el", "ring of commit entries with its stage pointers; one per memory partition"},
    {"last_written_table", "kilotm, warptm, eapg",
     "last-written times of temporal conflict detection (tcd.mode); one per memory partition"},
    {"first_read_table", "kilotm, warptm, eapg", "first-read times of temporal conflict detection (tcd.mode); one per core"},
    {"ownership_table", "getm, warptm, eapg, warptm-el",
     "two-phase intra-warp conflict resolution (warptm.resolution=2pcr); tm.resolvers per core"},
};
const uint32_t cowarp__unit_cnt = sizeof cowarp__units / sizeof cowarp__units[0];

/* Units that exist only inside another one. */
static const char *const parts[][2] = {{"recency_bloom_filter", "validation_unit"},
                                       {"cuckoo_table", "validation_unit"},
                                       {"stall_buffer", "validation_unit"},
                                       {"last_writer_history", "hazard_unit"}};

static const char *const backends[] = {[CW_UNIT_C] = "c", [CW_UNIT_RTL] = "rtl", [CW_UNIT_LOCKSTEP] = "lockstep"};
#define BACKEND_CNT ((uint32_t)(sizeof backends / sizeof backends[0]))

int cowarp_unit_at(uint32_t i, const char **name, const char **system, const char **what)
{
    if (i >= cowarp__unit_cnt)
        return 0;
    *name = cowarp__units[i].name;
    *system = cowarp__units[i].system;
    *what = cowarp__units[i].what;
    return 1;
}

const char *cowarp__backend_name(enum cw_unit_backend backend)
{
    return backends[backend];
}

int cowarp__unit_used(uint32_t unit, const char *system)
{
    const size_t length = strlen(system);
    for (const char *s = cowarp__units[unit].system; s != NULL; s = strchr(s, ',')) {
        s += strspn(s, ", ");
        if (strcspn(s, ",") == length && strncmp(s, system, length) == 0)
            return 1;
    }
    return 0;
}

static int unknown_unit(struct cw_error *err, const char *name, const char *setting)
{
    const char *list[COWARP__UNIT_MAX];
    if (strncmp(name, "cw_", 3) == 0)
        name += 3;
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i][0], name) == 0)
            return cw_fail(err, CW_EINVAL, "unit '%s': is a part of %s; choose that: %s=rtl", name, parts[i][1], parts[i][1]);
    for (uint32_t i = 0; i < cowarp__unit_cnt; i++)
        list[i] = cowarp__units[i].name;
    const char *near = cw_nearest(name, list, cowarp__unit_cnt);
    if (near != NULL)
        return cw_fail(err, CW_EINVAL, "unknown unit in '%.80s'; did you mean '%s'?", setting, near);
    return cw_fail(err, CW_EINVAL, "unknown unit in '%.80s'; 'cowarp list' shows all", setting);
}

/* "rtl", "lockstep:path/to/their.v" */
static int choose_backend(struct cowarp_gpu *gpu, uint32_t unit, const char *text)
{
    const char *name = cowarp__units[unit].name, *colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    uint32_t backend = 0;
    while (backend < BACKEND_CNT && (strlen(backends[backend]) != length || strncmp(backends[backend], text, length) != 0))
        backend++;
    if (backend == BACKEND_CNT)
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: '%.40s' is none of c, rtl, lockstep, rtl:FILE.v, lockstep:FILE.v", name, text);
    gpu->backend[unit] = (enum cw_unit_backend)backend;
    free(gpu->verilog[unit]);
    gpu->verilog[unit] = NULL;
    if (colon == NULL)
        return CW_OK;
    if (backend == CW_UNIT_C)
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: 'c' takes no file; expected rtl:FILE.v or lockstep:FILE.v", name);
    if (access(colon + 1, R_OK) != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: cannot read '%.200s': %s", name, colon + 1, strerror(errno));
    gpu->verilog[unit] = strdup(colon + 1);
    return gpu->verilog[unit] != NULL ? CW_OK : cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
}

/* "validation_unit=rtl" */
static int choose(struct cowarp_gpu *gpu, const char *setting)
{
    char name[64];
    const char *equals = strchr(setting, '=');
    const size_t length = equals != NULL ? (size_t)(equals - setting) : 0;
    if (equals == NULL || length == 0 || length >= sizeof name)
        return cw_fail(&gpu->err, CW_EINVAL, "'%.80s': expected unit=c, unit=rtl or unit=lockstep", setting);
    memcpy(name, setting, length);
    name[length] = '\0';
    uint32_t unit = 0;
    while (unit < cowarp__unit_cnt && strcmp(cowarp__units[unit].name, name) != 0)
        unit++;
    if (unit == cowarp__unit_cnt)
        return unknown_unit(&gpu->err, name, setting);
    const char *system = gpu->system != NULL ? gpu->system->name : "none";
    if (!cowarp__unit_used(unit, system))
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: system %s has none; choose system %s", name, system, cowarp__units[unit].system);
    return choose_backend(gpu, unit, equals + 1);
}

static void pass_message(void *context, const char *text)
{
    const struct cowarp_gpu *gpu = context;
    if (gpu->on_message != NULL)
        gpu->on_message(gpu->context, text);
}

int cowarp__units_open(struct cowarp_gpu *gpu, const char *const *settings, bool ports_only)
{
    struct cw_rtl_choice choice[COWARP__UNIT_MAX];
    for (; settings != NULL && *settings != NULL; settings++) {
        int status = choose(gpu, *settings);
        if (status != CW_OK)
            return status;
    }
    for (uint32_t i = 0; i < cowarp__unit_cnt; i++)
        choice[i] = (struct cw_rtl_choice){cowarp__units[i].name, gpu->backend[i], gpu->verilog[i]};
    const struct cw_rtl_options options = {
        .build = {.message = pass_message, .message_context = gpu},
        .choices = choice,
        .choice_cnt = cowarp__unit_cnt,
        .mismatch_wave = cw_lockstep_wave,
        .mismatch_file = "cowarp-mismatch.fst",
        .mismatch_ports_only = ports_only,
    };
    int status = cw_rtl_provider_create(&gpu->units, &options, &gpu->err);
    gpu->units_created = status == CW_OK;
    return status;
}
