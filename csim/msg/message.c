/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/message.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHUNK_PACKETS 128u

struct chunk {
    struct chunk *next;
    struct cw_message packet[CHUNK_PACKETS];
};

void cw_message_pool_create(struct cw_message_pool *pool)
{
    pool->free = NULL;
    pool->chunks = NULL;
    pool->in_use = 0;
}

void cw_message_pool_destroy(struct cw_message_pool *pool)
{
    struct chunk *c = pool->chunks;
    while (c != NULL) {
        struct chunk *next = c->next;
        free(c);
        c = next;
    }
    cw_message_pool_create(pool);
}

/* Pushed in reverse, so that packets are handed out in address order. */
static int grow(struct cw_message_pool *pool)
{
    struct chunk *c = malloc(sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->next = pool->chunks;
    pool->chunks = c;
    for (uint32_t i = CHUNK_PACKETS; i-- > 0;) {
        c->packet[i].next = pool->free;
        pool->free = &c->packet[i];
    }
    return CW_OK;
}

struct cw_message *cw_message_new(struct cw_message_pool *pool)
{
    if (pool->free == NULL && grow(pool) != CW_OK)
        return NULL;
    struct cw_message *p = pool->free;
    pool->free = p->next;
    pool->in_use++;
    memset(p, 0, offsetof(struct cw_message, u)); /* u is 0.5 KB and always written before it is read */
    p->next = NULL;
    return p;
}

void cw_message_free(struct cw_message_pool *pool, struct cw_message *p)
{
    assert(pool->in_use > 0);
    p->next = pool->free;
    pool->free = p;
    pool->in_use--;
}

void cw_message_size(struct cw_message *p, uint32_t payload_bytes, uint32_t header_bytes, uint32_t flit_bytes)
{
    uint32_t flits = (header_bytes + payload_bytes + flit_bytes - 1) / flit_bytes;
    p->payload_bytes = payload_bytes;
    p->flits = (uint16_t)(flits > 0 ? flits : 1);
}
