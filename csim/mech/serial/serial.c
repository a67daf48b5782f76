/* SPDX-License-Identifier: Apache-2.0 */
/* Serialised transactions: the descriptor, and who belongs to an instance. README.md has the protocol. */
#include <stdlib.h>
#include <string.h>

#include "mech/serial/serial_private.h"
#include "mech/tm/access.h"
#include "mech/tm/keys.h"
#include "mech/tm/tm.h"

struct serialised {
    struct cw_mech_host host;
    struct cw_serialised_core **core;           /* config->core_count */
    struct cw_serialised_partition **partition; /* config->partition_count */
};

static const char *const sabotage[] = {"share-token", NULL};

static void destroy(void *self)
{
    struct serialised *s = self;
    if (s == NULL)
        return;
    for (uint32_t i = 0; s->core != NULL && i < s->host.config->core_count; i++)
        cw_serialised_core_destroy(s->core[i]);
    for (uint32_t i = 0; s->partition != NULL && i < s->host.config->partition_count; i++)
        cw_serialised_partition_destroy(s->partition[i]);
    free(s->core);
    free(s->partition);
    free(s);
}

static int create_halves(struct serialised *s)
{
    const struct cw_config *config = s->host.config;
    bool share = s->host.sabotage != NULL;
    s->core = calloc(config->core_count, sizeof *s->core);
    s->partition = calloc(config->partition_count, sizeof *s->partition);
    int status = s->core != NULL && s->partition != NULL ? CW_OK : CW_ENOMEM;
    for (uint32_t i = 0; status == CW_OK && i < config->core_count; i++)
        status = cw_serialised_core_create(s->core + i, &s->host, i);
    for (uint32_t i = 0; status == CW_OK && i < config->partition_count; i++)
        status = cw_serialised_partition_create(s->partition + i, &s->host, i, share);
    return status;
}

static int create(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    *out = NULL;
    if (host->sabotage != NULL && strcmp(host->sabotage, sabotage[0]) != 0)
        return cw_fail(err, CW_EINVAL, "the system serial knows no sabotage '%s'", host->sabotage);
    struct serialised *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "serial: out of host memory");
    s->host = *host;
    if (create_halves(s) != CW_OK) {
        destroy(s);
        return cw_fail(err, CW_ENOMEM, "serial: out of host memory");
    }
    *out = s;
    return CW_OK;
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct serialised *s = self;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < s->host.config->partition_count && cnt < max; i++)
        list[cnt++] = cw_serialised_partition_component(s->partition[i]);
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    struct serialised *s = self;
    return s->core[core];
}

static bool idle(const void *self)
{
    const struct serialised *s = self;
    for (uint32_t i = 0; i < s->host.config->core_count; i++)
        if (!cw_serialised_sockets.idle(s->core[i]))
            return false;
    for (uint32_t i = 0; i < s->host.config->partition_count; i++)
        if (!cw_serialised_partition_idle(s->partition[i]))
            return false;
    return true;
}

static void state(void *self, struct cw_state *s)
{
    struct serialised *m = self;
    for (uint32_t i = 0; i < m->host.config->core_count; i++)
        cw_serialised_core_state(s, m->core[i]);
}

const struct cw_mech cw_mech_serial = {.name = "serial",
                                       .what = "one transaction at a time in the whole GPU (Fung 2015 4.1)",
                                       .system = true,
                                       .any_width = true,
                                       .any_line = true,
                                       .keys = cw_tm_key_sets,
                                       .counters = cw_tm_counter_sets,
                                       .messages = cw_serialised_messages,
                                       .intrinsic = cw_tm_intrinsics,
                                       .inbox = cw_tm_inbox,
                                       .sabotage = sabotage,
                                       .create = create,
                                       .destroy = destroy,
                                       .components = components,
                                       .core = &cw_serialised_sockets,
                                       .core_self = core_self,
                                       .state = state,
                                       .idle = idle};
