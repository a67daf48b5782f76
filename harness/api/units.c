/* SPDX-License-Identifier: Apache-2.0 */
/* Which implementation stands behind each unit: C model, RTL, or both in lockstep. */
#define _POSIX_C_SOURCE 200809L /* access, strdup */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "mech/mechs.h"
#include "mem/partition.h"
#include "rtl/rtl_ahead.h"
#include "rtl/rtl_files.h"
#include "wave/lockstep_wave.h"

static const char *const backends[] = {[CW_UNIT_C] = "c", [CW_UNIT_RTL] = "rtl", [CW_UNIT_LOCKSTEP] = "lockstep"};
#define BACKEND_CNT ((uint32_t)(sizeof backends / sizeof backends[0]))

int cowarp_unit_at(uint32_t i, const char **name, const char **what)
{
    const struct cw_mech_unit *u = cw_mech_unit_at(i);
    if (u == NULL)
        return 0;
    *name = u->unit->name;
    *what = u->what;
    return 1;
}

const char *cowarp_unit_mechanism(uint32_t i, uint32_t k)
{
    const struct cw_mech_unit *u = cw_mech_unit_at(i);
    for (uint32_t m = 0; u != NULL && cw_mechs[m] != NULL; m++)
        if (cw_mech_unit_of(cw_mechs[m], u->unit) != NULL && k-- == 0)
            return cw_mechs[m]->name;
    for (uint32_t m = 0; u != NULL && cw_controls[m] != NULL; m++)
        if (cw_control_unit_of(cw_controls[m], u->unit) != NULL && k-- == 0)
            return cw_controls[m]->name;
    return u != NULL && u >= cw_partition_units && u < cw_partition_units + CW_PARTITION_UNITS && k == 0 ? "every machine" : NULL;
}

int cowarp_unit_clock(uint32_t i, uint32_t *mhz, uint32_t *node_nm)
{
    const struct cw_mech_unit *u = cw_mech_unit_at(i);
    if (u == NULL)
        return 0;
    *mhz = u->unit->clock_mhz;
    *node_nm = u->unit->clock_node_nm;
    return 1;
}

const char *cowarp__backend_name(enum cw_unit_backend backend)
{
    return backends[backend];
}

bool cowarp__unit_used(const struct cowarp_gpu *gpu, const struct cw_unit *unit, const char **needs)
{
    *needs = NULL;
    for (uint32_t m = 0; gpu->mechs[m] != NULL; m++) {
        const struct cw_mech_unit *u = cw_mech_unit_of(gpu->mechs[m], unit);
        if (u != NULL && (u->used == NULL || u->used(&gpu->config)))
            return true;
        if (u != NULL)
            *needs = u->needs;
    }
    for (uint32_t m = 0; cw_controls[m] != NULL; m++) {
        const struct cw_mech_unit *u = cw_control_unit_of(cw_controls[m], unit);
        if (u != NULL && cw_controls[m] == gpu->control)
            return true;
        if (u != NULL)
            *needs = u->needs;
    }
    for (uint32_t i = 0; i < CW_PARTITION_UNITS; i++)
        if (cw_partition_units[i].unit == unit) {
            *needs = cw_partition_units[i].needs;
            return cw_partition_units[i].used(&gpu->config);
        }
    return false;
}

/* Appends to "a, b". */
static void join(struct cw_error *text, const char *name)
{
    const size_t used = strlen(text->text);
    snprintf(text->text + used, sizeof text->text - used, "%s%s", used > 0 ? ", " : "", name);
}

static int not_there(struct cowarp_gpu *gpu, uint32_t i, const char *needs)
{
    struct cw_error there = {""}, brings = {""};
    const char *name = cw_mech_unit_at(i)->unit->name, *mech;
    if (needs != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: this configuration has none; set %s", name, needs);
    for (uint32_t m = 0; gpu->mechs[m] != NULL; m++)
        if (strcmp(gpu->mechs[m]->name, CW_MECH_PERSISTENCY_NONE) != 0) /* which nobody has chosen */
            join(&there, gpu->mechs[m]->name);
    for (uint32_t k = 0; (mech = cowarp_unit_mechanism(i, k)) != NULL; k++)
        join(&brings, mech);
    return cw_fail(&gpu->err, CW_EINVAL, "unit %s: %.80s has none; choose %.200s", name, there.text[0] != '\0' ? there.text : "system none",
                   brings.text);
}

static int unknown_unit(struct cw_error *err, const char *name, const char *setting)
{
    const char *near = NULL;
    const struct cw_mech_unit *u;
    uint32_t cnt = 0;
    if (strncmp(name, "cw_", 3) == 0)
        name += 3;
    for (; (u = cw_mech_unit_at(cnt)) != NULL; cnt++)
        for (const char *const *inner = u->inner; inner != NULL && *inner != NULL; inner++)
            if (strcmp(*inner, name) == 0)
                return cw_fail(err, CW_EINVAL, "unit '%s': is a part of %s; choose that: %s=rtl", name, u->unit->name, u->unit->name);
    const char **list = calloc(cnt + 1u, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < cnt; i++)
        list[i] = cw_mech_unit_at(i)->unit->name;
    if (list != NULL)
        near = cw_nearest(name, list, cnt);
    free(list);
    if (near != NULL)
        return cw_fail(err, CW_EINVAL, "unknown unit in '%.80s'; did you mean '%s'?", setting, near);
    return cw_fail(err, CW_EINVAL, "unknown unit in '%.80s'; 'cowarp list' shows all", setting);
}

/* "+assert+seed=7", up to a colon or the end */
static int choose_modes(struct cowarp_gpu *gpu, struct cw_rtl_choice *choice, const char *text)
{
    choice->properties = false;
    choice->seed = 0;
    while (*text == '+') {
        const size_t length = strcspn(text + 1, "+:");
        char *end = NULL;
        if (length == strlen("assert") && strncmp(text, "+assert", length + 1) == 0)
            choice->properties = true;
        else if (strncmp(text, "+seed=", strlen("+seed=")) == 0)
            choice->seed = (uint32_t)strtoul(text + strlen("+seed="), &end, 10);
        else
            end = (char *)text;
        if (end != NULL && (end != text + 1 + length || choice->seed == 0))
            return cw_fail(&gpu->err, CW_EINVAL, "unit %s: '%.40s' is neither +assert nor +seed=N with N from 1", choice->unit, text);
        text += 1 + length;
    }
    if (choice->backend == CW_UNIT_C && (choice->properties || choice->seed != 0))
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: '+assert' and '+seed' are for Verilog; expected rtl+... or lockstep+...",
                       choice->unit);
    return CW_OK;
}

/* All that is named is there, before anything runs. */
static int check_files(struct cowarp_gpu *gpu, const char *unit, const char *words)
{
    struct cw_rtl_files files;
    struct cw_error why;
    const int status = cw_rtl_files_open(&files, words, &why);
    cw_rtl_files_close(&files);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "unit %s: %s", unit, why.text);
}

/* "rtl", "lockstep+assert:path/to/their.v" */
static int choose_backend(struct cowarp_gpu *gpu, struct cw_rtl_choice *choice, const char *text)
{
    const char *name = choice->unit, *colon = strchr(text, ':');
    const size_t length = strcspn(text, "+:");
    uint32_t backend = 0;
    while (backend < BACKEND_CNT && (strlen(backends[backend]) != length || strncmp(backends[backend], text, length) != 0))
        backend++;
    if (backend == BACKEND_CNT)
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: '%.40s' is none of c, rtl, lockstep, rtl:FILES, lockstep:FILES", name, text);
    choice->backend = (enum cw_unit_backend)backend;
    const int status = choose_modes(gpu, choice, text + length);
    if (status != CW_OK)
        return status;
    free((char *)choice->verilog);
    choice->verilog = NULL;
    if (colon == NULL)
        return CW_OK;
    if (backend == CW_UNIT_C)
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: 'c' takes no file; expected rtl:FILES or lockstep:FILES", name);
    const int there = check_files(gpu, name, colon + 1);
    if (there != CW_OK)
        return there;
    choice->verilog = strdup(colon + 1);
    return choice->verilog != NULL ? CW_OK : cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
}

/* "core3.thread_compactor=lockstep", where unit is the place of "thread_compactor": the choice for one instance. All instances have one
 * library, so what says how that is built is said of all. */
static int choose_instance(struct cowarp_gpu *gpu, uint32_t unit, const char *name, const char *backend)
{
    uint32_t i = gpu->unit_cnt;
    while (i < gpu->choice_cnt && strcmp(gpu->unit[i].instance, name) != 0)
        i++;
    struct cw_rtl_choice *choice = &gpu->unit[i];
    if (strstr(backend, "+assert") != NULL || strchr(backend, ':') != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "unit %s: '+assert' and a file are for all instances; give them with %s=", name,
                       gpu->unit[unit].unit);
    if (i == gpu->choice_cnt) {
        *choice = (struct cw_rtl_choice){.unit = gpu->unit[unit].unit, .instance = strdup(name)};
        if (choice->instance == NULL)
            return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
        gpu->choice_cnt++;
    }
    return choose_backend(gpu, choice, backend);
}

/* "partition=rtl": all units of the machine that the partitions have. */
static int choose_partition(struct cowarp_gpu *gpu, const char *backend)
{
    uint32_t chosen = 0;
    for (uint32_t unit = 0; unit < gpu->unit_cnt; unit++) {
        const struct cw_mech_unit *u = cw_mech_unit_at(unit);
        if (u < cw_partition_units || u >= cw_partition_units + CW_PARTITION_UNITS || !u->used(&gpu->config))
            continue;
        if (strchr(backend, ':') != NULL)
            return cw_fail(&gpu->err, CW_EINVAL, "partition: files are for one unit; give them with %s=", u->unit->name);
        const int status = choose_backend(gpu, &gpu->unit[unit], backend);
        if (status != CW_OK)
            return status;
        chosen++;
    }
    return chosen > 0 ? CW_OK
                      : cw_fail(&gpu->err, CW_EINVAL, "partition: its parts are no units here; set %s, %s or %s, and %s",
                                cw_partition_units[2].needs, cw_partition_units[0].needs, cw_partition_units[1].needs,
                                cw_partition_units[3].needs);
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
    if (strcmp(name, "partition") == 0)
        return choose_partition(gpu, equals + 1);
    const char *dot = strrchr(name, '.'), *kind = dot != NULL ? dot + 1 : name;
    uint32_t unit = 0;
    while (unit < gpu->unit_cnt && strcmp(gpu->unit[unit].unit, kind) != 0)
        unit++;
    if (unit == gpu->unit_cnt)
        return unknown_unit(&gpu->err, kind, setting);
    const char *needs;
    if (!cowarp__unit_used(gpu, cw_mech_unit_at(unit)->unit, &needs))
        return not_there(gpu, unit, needs);
    return dot != NULL ? choose_instance(gpu, unit, name, equals + 1) : choose_backend(gpu, &gpu->unit[unit], equals + 1);
}

static int wants_stop(void *context)
{
    const struct cowarp_gpu *gpu = context;
    return gpu->on_progress(gpu->context, 0, 0, 0);
}

static void pass_message(void *context, const char *text)
{
    const struct cowarp_gpu *gpu = context;
    if (gpu->on_message != NULL)
        gpu->on_message(gpu->context, text);
}

int cowarp__units_open(struct cowarp_gpu *gpu, const char *const *settings, bool ports_only, bool elastic)
{
    uint32_t cnt = 0, asked = 0;
    while (cw_mech_unit_at(cnt) != NULL)
        cnt++;
    while (settings != NULL && settings[asked] != NULL)
        asked++;
    gpu->unit = calloc(cnt + asked + 1u, sizeof *gpu->unit);
    if (gpu->unit == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    gpu->unit_cnt = gpu->choice_cnt = cnt;
    for (uint32_t i = 0; i < cnt; i++)
        gpu->unit[i] = (struct cw_rtl_choice){.unit = cw_mech_unit_at(i)->unit->name, .backend = CW_UNIT_C};
    for (; settings != NULL && *settings != NULL; settings++) {
        int status = choose(gpu, *settings);
        if (status != CW_OK)
            return status;
    }
    const int wanted = elastic ? cowarp__elastic_choose(gpu) : CW_OK;
    if (wanted != CW_OK)
        return wanted;
    const struct cw_rtl_options options = {
        .build = {.message = pass_message,
                  .message_context = gpu,
                  .stop = gpu->on_progress != NULL ? wants_stop : NULL,
                  .stop_context = gpu},
        .choices = gpu->unit,
        .choice_cnt = gpu->choice_cnt,
        .mismatch_wave = cw_lockstep_wave,
        .mismatch_file = "cowarp-mismatch.fst",
        .mismatch_ports_only = ports_only,
    };
    int status = cw_rtl_provider_create(&gpu->units, &options, &gpu->err);
    gpu->units_created = status == CW_OK;
    return status;
}

int cowarp__units_build(struct cowarp_gpu *gpu, const struct cw_gpu_options *options)
{
    struct cw_unit_provider scout;
    struct cw_gpu *machine = NULL;
    if (!cw_rtl_ahead_pays(&gpu->units))
        return CW_OK;
    int status = cw_rtl_ahead_create(&scout, &gpu->units, &gpu->err);
    if (status != CW_OK)
        return status;
    struct cw_gpu_options o = *options;
    o.units = &scout;
    o.on_step = NULL;
    status = cw_gpu_create(&machine, &o, &gpu->err);
    cw_gpu_destroy(machine);
    if (status == CW_OK)
        cw_rtl_ahead_build(&scout);
    cw_rtl_ahead_destroy(&scout);
    return status;
}

int cowarp__units_check(struct cowarp_gpu *gpu)
{
    const char *missing = cw_rtl_provider_missing(&gpu->units);
    if (missing == NULL)
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL, "--unit %s: this machine has no such instance; they are core0.UNIT, partition0.UNIT and so on",
                   missing);
}

void cowarp__units_close(struct cowarp_gpu *gpu)
{
    if (gpu->units_created)
        cw_rtl_provider_destroy(&gpu->units);
    for (uint32_t i = 0; i < gpu->choice_cnt; i++) {
        free((char *)gpu->unit[i].verilog);
        free((char *)gpu->unit[i].instance);
    }
    free(gpu->unit);
}
