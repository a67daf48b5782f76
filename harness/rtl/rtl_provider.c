/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_provider.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "elastic.h"
#include "lockstep.h"
#include "rtl_files.h"
#include "rtl_property.h"

struct loaded {
    const struct cw_unit *unit; /* what it was loaded for; NULL: forgotten */
    void *params;
    char *path;
    void *handle;
    const struct cw_rtl_library *library;
};

struct provider {
    struct cw_rtl_options opt;
    struct cw_rtl_choice *choices;
    bool *opened; /* [choice]: its instance */
    struct loaded *loaded;
    uint32_t loaded_cnt;
    struct cw_rtl_instance *instances;
    uint32_t instance_cnt;
    struct cw_unit_instance *elastic; /* pairs of the units that may take other times */
    uint32_t elastic_cnt;
    bool watches;  /* properties of an instance run */
    void *context; /* shared by all models, so that they can go into one wave file */
    void (*context_destroy)(void *context);
    struct cw_lockstep_report report;
};

/* dlsym gives an object pointer; ISO C has no cast from that to a function's. */
static void load_symbol(void *function, void *handle, const char *name)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
}

static int load_library(struct provider *p, const char *path, struct loaded *out, struct cw_error *err)
{
    const struct cw_rtl_library *(*entry)(void) = NULL;
    void *(*context_create)(void) = NULL;
    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (out->handle == NULL)
        return cw_fail(err, CW_EIO, "cannot load %s: %s", path, dlerror());
    load_symbol(&entry, out->handle, "cw_rtl_library");
    load_symbol(&context_create, out->handle, "cw_rtl_context_create");
    if (p->context_destroy == NULL)
        load_symbol(&p->context_destroy, out->handle, "cw_rtl_context_destroy");
    out->library = entry != NULL ? entry() : NULL;
    out->path = strdup(path);
    int status = CW_OK;
    if (out->library == NULL || context_create == NULL || p->context_destroy == NULL || out->library->abi != CW_RTL_ABI)
        status = cw_fail(err, CW_EIO, "%s is not a unit's library of this version: delete it, it will be built anew", path);
    else if (p->context == NULL && (p->context = context_create()) == NULL)
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    else if (out->path == NULL)
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    if (status != CW_OK) {
        free(out->path);
        dlclose(out->handle);
    }
    return status;
}

static const struct cw_rtl_choice *find_choice(const struct provider *p, const struct cw_unit *unit)
{
    const struct cw_rtl_choice *found = NULL;
    for (uint32_t i = 0; i < p->opt.choice_cnt; i++)
        if (p->choices[i].instance == NULL && strcmp(p->choices[i].unit, unit->name) == 0)
            found = p->choices + i;
    return found;
}

/* The choice for this instance: its own, or that of its unit, or NULL. */
static const struct cw_rtl_choice *find_instance_choice(struct provider *p, const struct cw_unit *unit, const char *name)
{
    for (uint32_t i = 0; i < p->opt.choice_cnt; i++)
        if (p->choices[i].instance != NULL && strcmp(p->choices[i].instance, name) == 0) {
            p->opened[i] = true;
            return p->choices + i;
        }
    return find_choice(p, unit);
}

/* The library of an earlier instance of the same unit: the sources are not read again for each of a chip's units. */
static const struct cw_rtl_library *library_of(const struct provider *p, const struct cw_unit *unit, const void *params)
{
    for (uint32_t i = 0; i < p->loaded_cnt; i++)
        if (p->loaded[i].unit == unit && memcmp(p->loaded[i].params, params, unit->params_size) == 0)
            return p->loaded[i].library;
    return NULL;
}

/* Without memory for them the parameters are not remembered, and looked up again. */
static void remember(struct loaded *l, const struct cw_unit *unit, const void *params)
{
    l->params = malloc(unit->params_size);
    l->unit = l->params != NULL ? unit : NULL;
    if (l->params != NULL)
        memcpy(l->params, params, unit->params_size);
}

static struct cw_rtl_build_options build_options(const struct provider *p, const struct cw_unit *unit)
{
    const struct cw_rtl_choice *choice = find_choice(p, unit);
    struct cw_rtl_build_options build = p->opt.build;
    build.properties = choice != NULL ? choice->properties : p->opt.properties;
    if (choice != NULL && choice->verilog != NULL)
        build.files = choice->verilog;
    return build;
}

static int get_library(struct provider *p, const struct cw_unit *unit, const void *params, const struct cw_rtl_library **library,
                       struct cw_error *err)
{
    char path[CW_PATH_MAX];
    const struct cw_rtl_build_options build = build_options(p, unit);
    *library = library_of(p, unit, params);
    if (*library != NULL)
        return CW_OK;
    int status = cw_rtl_find(path, unit, params, &build, err);
    if (status != CW_OK)
        return status;
    for (uint32_t i = 0; i < p->loaded_cnt; i++)
        if (strcmp(p->loaded[i].path, path) == 0) {
            *library = p->loaded[i].library;
            return CW_OK;
        }
    struct loaded *more = realloc(p->loaded, (p->loaded_cnt + 1) * sizeof *more);
    if (more == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    p->loaded = more;
    status = load_library(p, path, &p->loaded[p->loaded_cnt], err);
    if (status != CW_OK)
        return status;
    remember(&p->loaded[p->loaded_cnt], unit, params);
    *library = p->loaded[p->loaded_cnt++].library;
    return CW_OK;
}

/* The library says what a model's state is; its bytes mean something to that library alone. */
static void rtl_state(struct cw_unit_instance *instance, struct cw_state *s)
{
    const struct cw_rtl_library *const library = (const void *)((const char *)instance->ops - offsetof(struct cw_rtl_library, ops));
    uint64_t digest = library->digest, bytes = library->save(instance->self, NULL, 0);
    CW_STATE(s, digest);
    CW_STATE(s, bytes);
    if (digest != library->digest || bytes != library->save(instance->self, NULL, 0))
        cw_state_fail(s, CW_EINVAL, "it was saved with other Verilog");
    void *model = s->status == CW_OK ? malloc(bytes + 1) : NULL;
    if (model == NULL || bytes == 0)
        cw_state_fail(s, bytes == 0 ? CW_EUNSUP : CW_ENOMEM, bytes == 0 ? "a build for coverage cannot be saved" : "out of host memory");
    if (s->status == CW_OK) {
        library->save(instance->self, model, bytes);
        cw_state_array(s, "model", model, bytes, 1);
        if (cw_state_loads(s))
            library->restore(instance->self, model, bytes);
    }
    free(model);
}

static int open_rtl(struct provider *p, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                    struct cw_error *err)
{
    const struct cw_rtl_library *library = NULL;
    int status = get_library(p, unit, params, &library, err);
    if (status != CW_OK)
        return status;
    struct cw_rtl_instance *more = realloc(p->instances, (p->instance_cnt + 1) * sizeof *more);
    if (more != NULL)
        p->instances = more;
    char *copy = strdup(name);
    void *self = NULL;
    const struct cw_rtl_choice *choice = find_instance_choice(p, unit, name);
    const uint32_t seed = choice != NULL ? choice->seed : p->opt.seed;
    if (more == NULL || copy == NULL || library->create_in(&self, p->context, name, seed) != CW_OK) {
        free(copy);
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", name);
    }
    p->instances[p->instance_cnt++] = (struct cw_rtl_instance){copy, unit, library, self};
    p->watches = p->watches || library->properties;
    *instance = (struct cw_unit_instance){unit, &library->ops, self, rtl_state};
    return CW_OK;
}

static int open_lockstep(struct provider *p, const struct cw_unit *unit, const char *name, const void *params,
                         struct cw_unit_instance *instance, struct cw_error *err)
{
    const struct cw_unit_provider *c = cw_unit_provider_c();
    struct cw_unit_instance model, rtl;
    struct cw_lockstep_options opt = {name, p->opt.mismatch_wave, p->opt.mismatch_file, p->opt.ring_cycles, &p->report, NULL};
    int status = c->open(c->context, unit, name, params, &model, err);
    if (status != CW_OK)
        return status;
    status = open_rtl(p, unit, name, params, &rtl, err);
    if (status != CW_OK) {
        model.ops->destroy(model.self);
        return status;
    }
    if (!p->opt.mismatch_ports_only)
        opt.library = p->instances[p->instance_cnt - 1].library;
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &cw_lockstep_ops};
    status = cw_lockstep_create(&instance->self, params, &model, &rtl, &opt);
    if (status != CW_OK) {
        free((char *)p->instances[--p->instance_cnt].name);
        return cw_fail(err, status, "%s: out of memory", name);
    }
    return CW_OK;
}

static int open_elastic(struct provider *p, const struct cw_unit *unit, const char *name, const void *params,
                        struct cw_unit_instance *instance, struct cw_error *err)
{
    const struct cw_unit_provider *c = cw_unit_provider_c();
    struct cw_unit_instance model, rtl, *more = realloc(p->elastic, (p->elastic_cnt + 1) * sizeof *more);
    if (more == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", name);
    p->elastic = more;
    int status = c->open(c->context, unit, name, params, &model, err);
    if (status != CW_OK)
        return status;
    status = open_rtl(p, unit, name, params, &rtl, err);
    if (status != CW_OK) {
        model.ops->destroy(model.self);
        return status;
    }
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &cw_elastic_ops};
    status = cw_elastic_create(&instance->self, params, &model, &rtl, cw_elastic_contract_of(unit), name, &p->report);
    if (status != CW_OK) {
        free((char *)p->instances[--p->instance_cnt].name);
        return cw_fail(err, status, "%s: out of memory", name);
    }
    p->elastic[p->elastic_cnt++] = *instance;
    return CW_OK;
}

bool cw_rtl_provider_elastic(const struct cw_unit_provider *provider, const struct cw_unit *unit, struct cw_elastic_tally *sum)
{
    const struct provider *p = provider->context;
    bool any = false;
    for (uint32_t i = 0; i < p->elastic_cnt; i++)
        if (p->elastic[i].unit == unit) {
            if (!any)
                *sum = (struct cw_elastic_tally){.broken = -1};
            cw_elastic_add(sum, cw_elastic_tally(p->elastic[i].self));
            any = true;
        }
    return any;
}

static int provider_open(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                         struct cw_error *err)
{
    struct provider *p = context;
    const struct cw_rtl_choice *choice = find_instance_choice(p, unit, name);
    const enum cw_unit_backend backend = choice != NULL ? choice->backend : p->opt.default_backend;
    if (backend == CW_UNIT_RTL && choice != NULL && choice->elastic)
        return open_elastic(p, unit, name, params, instance, err);
    if (backend == CW_UNIT_RTL)
        return open_rtl(p, unit, name, params, instance, err);
    if (backend == CW_UNIT_LOCKSTEP)
        return open_lockstep(p, unit, name, params, instance, err);
    return cw_unit_provider_c()->open(NULL, unit, name, params, instance, err);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Of somebody else's files, the one of that name. */
static bool listed_source(char path[CW_PATH_MAX], const char *words, const char *name)
{
    struct cw_rtl_files files;
    bool found = cw_rtl_files_open(&files, words, NULL) == CW_OK;
    uint32_t i = 0;
    while (found && i < files.source.count && strcmp(base_name(files.source.name[i]), name) != 0)
        i++;
    found = found && i < files.source.count && cw_os_path(path, CW_PATH_MAX, NULL, "%s", files.source.name[i]) == CW_OK;
    cw_rtl_files_close(&files);
    return found;
}

/* The file of that name among the sources of this run. The library may have been built from equal ones that are gone. */
static const char *source_named(char path[CW_PATH_MAX], const struct provider *p, const struct cw_unit *unit, const char *built_from)
{
    const struct cw_rtl_choice *choice = find_choice(p, unit);
    const char *name = base_name(built_from);
    char module[128];
    if (choice != NULL && choice->verilog != NULL && listed_source(path, choice->verilog, name))
        return path;
    snprintf(module, sizeof module, "%.*s", (int)strcspn(name, "."), name);
    return cw_rtl_module_path(path, module, &p->opt.build) == CW_OK ? path : built_from;
}

static int report_violation(const struct provider *p, const struct cw_rtl_instance *i, const struct cw_rtl_violation *v,
                            struct cw_error *err)
{
    char property[480], path[CW_PATH_MAX];
    cw_rtl_property_at(property, sizeof property, source_named(path, p, i->unit, v->file), v->line);
    return cw_fail(err, CW_ECHECK, "%s (%s): cycle %" PRIu64 ": does not hold: %s", i->name, i->unit->name, v->cycle, property);
}

/* The instance whose property does not hold, or NULL. It is asked for in every cycle. */
static const struct cw_rtl_instance *violated(const struct provider *p)
{
    for (uint32_t i = 0; p->watches && i < p->instance_cnt; i++) {
        const struct cw_rtl_instance *instance = &p->instances[i];
        if (instance->library->properties && instance->library->violation(instance->self) != NULL)
            return instance;
    }
    return NULL;
}

static int provider_poll(void *context, struct cw_error *err)
{
    struct provider *p = context;
    const struct cw_rtl_instance *instance = violated(p);
    if (instance != NULL)
        return report_violation(p, instance, instance->library->violation(instance->self), err);
    int status = atomic_load(&p->report.status);
    return status == CW_OK ? CW_OK : cw_fail(err, status, "%s", p->report.error.text);
}

bool cw_rtl_provider_is_rtl(const struct cw_unit_provider *provider, const struct cw_unit *unit)
{
    const struct provider *p = provider->context;
    const struct cw_rtl_choice *all = find_choice(p, unit);
    bool rtl = (all != NULL ? all->backend : p->opt.default_backend) != CW_UNIT_C;
    for (uint32_t i = 0; i < p->opt.choice_cnt; i++)
        rtl = rtl || (strcmp(p->choices[i].unit, unit->name) == 0 && p->choices[i].backend != CW_UNIT_C);
    return rtl;
}

const char *cw_rtl_provider_missing(const struct cw_unit_provider *provider)
{
    const struct provider *p = provider->context;
    for (uint32_t i = 0; i < p->opt.choice_cnt; i++)
        if (p->choices[i].instance != NULL && !p->opened[i])
            return p->choices[i].instance;
    return NULL;
}

uint32_t cw_rtl_provider_rtl_units(const struct cw_unit_provider *provider)
{
    const struct provider *p = provider->context;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < p->opt.choice_cnt; i++)
        cnt += p->choices[i].backend != CW_UNIT_C;
    return cnt;
}

struct cw_rtl_build_options cw_rtl_provider_build(const struct cw_unit_provider *provider, const struct cw_unit *unit)
{
    return build_options(provider->context, unit);
}

const char *cw_rtl_provider_failed(const struct cw_unit_provider *provider)
{
    const struct provider *p = provider->context;
    const struct cw_rtl_instance *instance = violated(p);
    if (instance != NULL)
        return instance->name;
    return atomic_load(&p->report.status) != CW_OK ? p->report.name : "";
}

static int copy_choices(struct provider *p, const struct cw_rtl_options *opt)
{
    p->opt.choice_cnt = 0;
    p->choices = calloc(opt->choice_cnt + 1, sizeof *p->choices);
    p->opened = calloc(opt->choice_cnt + 1, sizeof *p->opened);
    if (p->choices == NULL || p->opened == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < opt->choice_cnt; i++) {
        p->choices[i] = opt->choices[i];
        const char *instance = opt->choices[i].instance;
        p->choices[i].unit = strdup(opt->choices[i].unit);
        p->choices[i].instance = instance != NULL ? strdup(instance) : NULL;
        p->opt.choice_cnt++;
        if (p->choices[i].unit == NULL || (instance != NULL && p->choices[i].instance == NULL))
            return CW_ENOMEM;
    }
    return CW_OK;
}

int cw_rtl_provider_create(struct cw_unit_provider *out, const struct cw_rtl_options *opt, struct cw_error *err)
{
    struct provider *p = calloc(1, sizeof *p);
    if (p == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    if (opt != NULL)
        p->opt = *opt;
    atomic_flag_clear(&p->report.taken);
    atomic_init(&p->report.status, CW_OK);
    *out = (struct cw_unit_provider){p, provider_open, provider_poll};
    if (opt != NULL && copy_choices(p, opt) != CW_OK) {
        cw_rtl_provider_destroy(out);
        return cw_fail(err, CW_ENOMEM, "out of memory");
    }
    return CW_OK;
}

void cw_rtl_provider_forget(struct cw_unit_provider *provider)
{
    struct provider *p = provider->context;
    while (p->instance_cnt > 0)
        free((char *)p->instances[--p->instance_cnt].name);
    p->elastic_cnt = 0;
    p->watches = false;
    atomic_store(&p->report.status, CW_OK);
    atomic_flag_clear(&p->report.taken);
}

void cw_rtl_provider_destroy(struct cw_unit_provider *provider)
{
    struct provider *p = provider->context;
    if (p == NULL)
        return;
    if (p->context != NULL)
        p->context_destroy(p->context);
    for (uint32_t i = 0; i < p->loaded_cnt; i++) {
        dlclose(p->loaded[i].handle);
        free(p->loaded[i].path);
        free(p->loaded[i].params);
    }
    for (uint32_t i = 0; i < p->instance_cnt; i++)
        free((char *)p->instances[i].name);
    for (uint32_t i = 0; i < p->opt.choice_cnt; i++) {
        free((char *)p->choices[i].unit);
        free((char *)p->choices[i].instance);
    }
    free(p->opened);
    free(p->loaded);
    free(p->instances);
    free(p->elastic);
    free(p->choices);
    free(p);
    *provider = (struct cw_unit_provider){NULL, NULL, NULL};
}

uint32_t cw_rtl_provider_instances(const struct cw_unit_provider *provider, const struct cw_rtl_instance **instances)
{
    const struct provider *p = provider->context;
    *instances = p->instances;
    return p->instance_cnt;
}
