/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/mech.h"

#include <string.h>

#include "mech/mechs.h"
#include "mem/address.h"

const struct cw_mech *cw_mech_find(const char *name)
{
    for (uint32_t i = 0; cw_mechs[i] != NULL; i++)
        if (strcmp(cw_mechs[i]->name, name) == 0)
            return cw_mechs[i];
    return NULL;
}

uint32_t cw_mech_cnt(void)
{
    uint32_t cnt = 0;
    while (cw_mechs[cnt] != NULL)
        cnt++;
    return cnt;
}

void cw_mech_intrinsics(const struct cw_intrinsic **list)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; cw_mechs[i] != NULL; i++) {
        const struct cw_intrinsic *own = cw_mechs[i]->intrinsic;
        uint32_t k = 0;
        while (k < cnt && list[k] != own)
            k++;
        if (own != NULL && k == cnt)
            list[cnt++] = own;
    }
    list[cnt] = NULL;
}

struct cw_message *cw_mech_message(const struct cw_mech_host *host, enum cw_message_kind kind, uint32_t op, uint64_t addr,
                                   size_t body_bytes, cw_time now)
{
    const struct cw_config *config = host->config;
    struct cw_message *p = cw_message_new(host->pool, body_bytes);
    if (p == NULL)
        return NULL;
    p->kind = (uint8_t)kind;
    p->mech = (uint8_t)(host->index + 1);
    p->op = (uint8_t)op;
    p->addr = addr;
    p->partition = (uint16_t)cw_address_partition(config, addr);
    p->born = now;
    cw_message_size(p, 0, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}
