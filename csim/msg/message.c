/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/message.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#ifndef CHUNK_MESSAGES /* a test takes fewer */
#define CHUNK_MESSAGES 128u
#endif

enum { SMALL, LARGE, SPARE }; /* cw_message.large; a spare is as large as a large one */

_Static_assert(CW_MESSAGE_SPARE_BYTES % 16 == 0, "spares are aligned");

struct chunk {
    struct chunk *next;
    _Alignas(16) unsigned char messages[];
};

static size_t bytes_of(uint32_t large)
{
    return sizeof(struct cw_message) + (large != SMALL ? CW_MESSAGE_BODY_LARGE : CW_MESSAGE_BODY_SMALL);
}

void cw_message_pool_create(struct cw_message_pool *pool)
{
    pool->free[SMALL] = pool->free[LARGE] = NULL;
    pool->chunks = NULL;
    pool->in_use = pool->spares = 0;
    pool->fault = NULL;
    pool->fault_context = NULL;
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

/* Pushed in reverse, so that messages are handed out in address order. */
static int grow(struct cw_message_pool *pool, uint32_t large)
{
    const size_t bytes = bytes_of(large);
    struct chunk *c = malloc(sizeof *c + CHUNK_MESSAGES * bytes);
    if (c == NULL)
        return CW_ENOMEM;
    c->next = pool->chunks;
    pool->chunks = c;
    for (uint32_t i = CHUNK_MESSAGES; i-- > 0;) {
        struct cw_message *m = (struct cw_message *)(void *)(c->messages + i * bytes);
        m->large = (uint8_t)large;
        m->next = pool->free[large];
        pool->free[large] = m;
    }
    return CW_OK;
}

static struct cw_message *spare(struct cw_message_pool *pool)
{
    struct cw_message *m = (struct cw_message *)(void *)pool->spare[pool->spares % CW_MESSAGE_SPARES];
    if (pool->spares++ == 0 && pool->fault != NULL)
        pool->fault(pool->fault_context, CW_ENOMEM, "out of host memory for messages");
    pool->in_use++;
    *m = (struct cw_message){.large = SPARE};
    return m;
}

struct cw_message *cw_message_new(struct cw_message_pool *pool, size_t body_bytes)
{
    const uint32_t large = body_bytes > CW_MESSAGE_BODY_SMALL;
    assert(body_bytes <= CW_MESSAGE_BODY_LARGE);
    if (pool->free[large] == NULL && grow(pool, large) != CW_OK)
        return spare(pool);
    struct cw_message *m = pool->free[large];
    pool->free[large] = m->next;
    pool->in_use++;
    *m = (struct cw_message){.large = (uint8_t)large};
    return m;
}

struct cw_message *cw_message_copy(struct cw_message_pool *pool, const struct cw_message *m)
{
    const size_t body_bytes = bytes_of(m->large) - sizeof *m;
    struct cw_message *copy = cw_message_new(pool, body_bytes);
    const uint8_t large = copy->large;
    *copy = *m;
    copy->large = large;
    memcpy(copy->body, m->body, body_bytes);
    return copy;
}

void cw_message_free(struct cw_message_pool *pool, struct cw_message *m)
{
    assert(pool->in_use > 0);
    pool->in_use--;
    if (m->large == SPARE)
        return;
    m->next = pool->free[m->large];
    pool->free[m->large] = m;
}

void cw_message_size(struct cw_message *m, uint32_t payload_bytes, uint32_t header_bytes, uint32_t flit_bytes)
{
    uint32_t flits = (header_bytes + payload_bytes + flit_bytes - 1) / flit_bytes;
    m->payload_bytes = payload_bytes;
    m->flits = (uint16_t)(flits > 0 ? flits : 1);
}
