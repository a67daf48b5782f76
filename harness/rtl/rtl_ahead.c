/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "rtl_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

struct wanted {
    const struct cw_unit *unit;
    void *params;
};

struct ahead {
    const struct cw_unit_provider *provider;
    struct wanted *wanted;
    uint32_t wanted_cnt;
    /* while building */
    pthread_mutex_t mutex; /* of next, and of what build calls */
    uint32_t next;
    struct cw_rtl_build_options build; /* the provider's, of its message and stop */
};

bool cw_rtl_ahead_pays(const struct cw_unit_provider *provider)
{
    return cw_rtl_provider_rtl_units(provider) > 1;
}

static int note(struct ahead *a, const struct cw_unit *unit, const void *params, struct cw_error *err)
{
    for (uint32_t i = 0; i < a->wanted_cnt; i++)
        if (a->wanted[i].unit == unit && memcmp(a->wanted[i].params, params, unit->params_size) == 0)
            return CW_OK;
    struct wanted *more = realloc(a->wanted, (a->wanted_cnt + 1) * sizeof *more);
    void *copy = malloc(unit->params_size);
    if (more != NULL)
        a->wanted = more;
    if (more == NULL || copy == NULL) {
        free(copy);
        return cw_fail(err, CW_ENOMEM, "out of memory");
    }
    memcpy(copy, params, unit->params_size);
    a->wanted[a->wanted_cnt++] = (struct wanted){unit, copy};
    return CW_OK;
}

static int scout_open(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                      struct cw_error *err)
{
    struct ahead *a = context;
    int status = cw_rtl_provider_is_rtl(a->provider, unit) ? note(a, unit, params, err) : CW_OK;
    return status == CW_OK ? cw_unit_provider_c()->open(NULL, unit, name, params, instance, err) : status;
}

int cw_rtl_ahead_create(struct cw_unit_provider *scout, const struct cw_unit_provider *provider, struct cw_error *err)
{
    struct ahead *a = calloc(1, sizeof *a);
    if (a == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    a->provider = provider;
    *scout = (struct cw_unit_provider){a, scout_open, NULL};
    return CW_OK;
}

static void say_alone(void *context, const char *text)
{
    struct ahead *a = context;
    pthread_mutex_lock(&a->mutex);
    a->build.message(a->build.message_context, text);
    pthread_mutex_unlock(&a->mutex);
}

static int ask_alone(void *context)
{
    struct ahead *a = context;
    pthread_mutex_lock(&a->mutex);
    const int stop = a->build.stop(a->build.stop_context);
    pthread_mutex_unlock(&a->mutex);
    return stop;
}

static void *work(void *context)
{
    struct ahead *a = context;
    for (;;) {
        char path[CW_PATH_MAX];
        struct cw_error err;
        pthread_mutex_lock(&a->mutex);
        const uint32_t i = a->next++;
        pthread_mutex_unlock(&a->mutex);
        if (i >= a->wanted_cnt)
            return NULL;
        struct cw_rtl_build_options o = cw_rtl_provider_build(a->provider, a->wanted[i].unit);
        if (o.message != NULL) {
            o.message = say_alone;
            o.message_context = a;
        }
        if (o.stop != NULL) {
            o.stop = ask_alone;
            o.stop_context = a;
        }
        (void)cw_rtl_find(path, a->wanted[i].unit, a->wanted[i].params, &o, &err);
    }
}

void cw_rtl_ahead_build(struct cw_unit_provider *scout)
{
    struct ahead *a = scout->context;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = processors > 0 ? (uint32_t)processors : 1;
    const uint32_t cnt = a->wanted_cnt < most ? a->wanted_cnt : most;
    pthread_t *thread = calloc(cnt + 1u, sizeof *thread);
    uint32_t begun = 0;
    if (thread == NULL || a->wanted_cnt < 2) {
        free(thread);
        return;
    }
    a->build = cw_rtl_provider_build(a->provider, a->wanted[0].unit);
    a->next = 0;
    pthread_mutex_init(&a->mutex, NULL);
    while (begun < cnt && pthread_create(&thread[begun], NULL, work, a) == 0)
        begun++;
    for (uint32_t i = 0; i < begun; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&a->mutex);
    free(thread);
}

void cw_rtl_ahead_destroy(struct cw_unit_provider *scout)
{
    struct ahead *a = scout->context;
    for (uint32_t i = 0; a != NULL && i < a->wanted_cnt; i++)
        free(a->wanted[i].params);
    if (a != NULL)
        free(a->wanted);
    free(a);
    *scout = (struct cw_unit_provider){NULL, NULL, NULL};
}
