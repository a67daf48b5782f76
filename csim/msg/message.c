/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/message.h"
#include "msg/trip.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#ifndef CHUNK_MESSAGES /* a test takes fewer */
#define CHUNK_MESSAGES 128u
#endif

static bool is_write(const struct cw_message *m)
{
    return m->kind == CW_MSG_WRITE;
}

static bool has_bytes(const struct cw_message *m)
{
    return m->kind == CW_MSG_WRITE || m->kind == CW_MSG_READ_REPLY;
}

static bool has_old(const struct cw_message *m)
{
    return m->kind != CW_MSG_WRITE_ACK;
}

static bool has_two(const struct cw_message *m)
{
    return cw_atomic_body_of(m)->atom == CW_ATOM_CAS;
}

static const struct cw_body_field line_fields[] = {
    CW_BODY_ARRAY_ONLY(struct cw_line_body, byte_mask, 32, CW_WAY_UP, CW_WITH_SECTOR, is_write),
    CW_BODY_ARRAY_ONLY(struct cw_line_body, data, 8, CW_WAY_BOTH, CW_WITH_SECTOR, has_bytes),
};
static const struct cw_body_field copy_fields[] = {
    CW_BODY_FIELD(struct cw_copy_body, to, CW_BITS_ADDR, CW_WAY_UP),
    CW_BODY_FIELD(struct cw_copy_body, over_bus, 1, CW_WAY_UP),
};
static const struct cw_body_field atomic_fields[] = {
    CW_BODY_FIELD(struct cw_atomic_body, atom, 4, CW_WAY_UP),
    CW_BODY_FIELD(struct cw_atomic_body, type, 5, CW_WAY_UP),
    CW_BODY_ARRAY(struct cw_atomic_body, lane_offset, 7, CW_WAY_UP, CW_WITH_LANE),
    CW_BODY_ARRAY_ONLY(struct cw_atomic_body, a, CW_BITS_TYPE, CW_WAY_BOTH, CW_WITH_LANE, has_old),
    CW_BODY_ARRAY_ONLY(struct cw_atomic_body, b, CW_BITS_TYPE, CW_WAY_UP, CW_WITH_LANE, has_two),
};
CW_MESSAGE_TYPE(cw_line_body, "line", struct cw_line_body, line_fields);
CW_MESSAGE_TYPE(cw_copy_body, "copy", struct cw_copy_body, copy_fields);
CW_MESSAGE_TYPE(cw_atomic_body, "atomic", struct cw_atomic_body, atomic_fields);

/* A head alone. */
static const struct cw_message_type bare_type = {.name = "bare"};

/* Those of the machine itself. */
static const struct cw_message_type *const machine_types[] = {&bare_type, &cw_line_body_type, &cw_copy_body_type, &cw_atomic_body_type,
                                                              NULL};

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
    pool->zeroed = false;
    pool->types = NULL;
    pool->type_lists = 0;
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

static struct cw_message *spare(struct cw_message_pool *pool, const struct cw_message_type *type)
{
    struct cw_message *m = (struct cw_message *)(void *)pool->spare[pool->spares % CW_MESSAGE_SPARES];
    if (pool->spares++ == 0 && pool->fault != NULL)
        pool->fault(pool->fault_context, CW_ENOMEM, "out of host memory for messages");
    pool->in_use++;
    *m = (struct cw_message){.large = SPARE, .type = type};
    return m;
}

static struct cw_message *take(struct cw_message_pool *pool, const struct cw_message_type *type, size_t body_bytes)
{
    const uint32_t large = body_bytes > CW_MESSAGE_BODY_SMALL;
    assert(body_bytes <= CW_MESSAGE_BODY_LARGE);
    if (pool->free[large] == NULL && grow(pool, large) != CW_OK)
        return spare(pool, type);
    struct cw_message *m = pool->free[large];
    pool->free[large] = m->next;
    pool->in_use++;
    memset(m, 0, offsetof(struct cw_message, body)); /* A literal would be a loop over the head */
    m->large = (uint8_t)large;
    m->type = type;
    if (pool->zeroed)
        memset(m->body, 0, bytes_of(large) - sizeof *m);
    return m;
}

struct cw_message *cw_message_new(struct cw_message_pool *pool, const struct cw_message_type *type)
{
    return take(pool, type != NULL ? type : &bare_type, type != NULL ? type->bytes : 0);
}

struct cw_message *cw_message_new_tail(struct cw_message_pool *pool, const struct cw_message_type *type, uint32_t elements)
{
    assert(elements <= type->tail_max);
    return take(pool, type, type->bytes - (size_t)(type->tail_max - elements) * type->tail_bytes);
}

struct cw_message *cw_message_copy(struct cw_message_pool *pool, const struct cw_message *m)
{
    const size_t body_bytes = bytes_of(m->large) - sizeof *m;
    struct cw_message *copy = take(pool, m->type, body_bytes);
    const uint8_t large = copy->large;
    *copy = *m;
    copy->large = large;
    copy->trip = 0;
    memcpy(copy->body, m->body, body_bytes);
    return copy;
}

void cw_message_free(struct cw_message_pool *pool, struct cw_message *m)
{
    assert(pool->in_use > 0);
    pool->in_use--;
    cw_trips_end(pool->trips, m);
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

/* ---- state ---- */

static const struct cw_message_type *find_in(const struct cw_message_type *const *list, const char *name)
{
    for (; *list != NULL; list++)
        if (strcmp((*list)->name, name) == 0)
            return *list;
    return NULL;
}

static const struct cw_message_type *find_type(const struct cw_message_pool *pool, const char *name)
{
    const struct cw_message_type *type = find_in(machine_types, name);
    for (uint32_t i = 0; type == NULL && i < pool->type_lists; i++)
        type = pool->types[i] != NULL ? find_in(pool->types[i], name) : NULL;
    return type;
}

static void head_state(struct cw_state *s, struct cw_message *m)
{
    CW_STATE(s, m->kind);
    CW_STATE(s, m->after);
    CW_STATE(s, m->mech);
    CW_STATE(s, m->op);
    CW_STATE(s, m->sectors);
    CW_STATE(s, m->needs_reply);
    CW_STATE(s, m->timing_only);
    CW_STATE(s, m->certain);
    CW_STATE(s, m->flight);
    CW_STATE(s, m->core);
    CW_STATE(s, m->partition);
    CW_STATE(s, m->warp);
    CW_STATE(s, m->flits);
    CW_STATE(s, m->payload_bytes);
    CW_STATE(s, m->tag);
    CW_STATE(s, m->attempt);
    CW_STATE(s, m->addr);
    CW_STATE(s, m->place);
    CW_STATE(s, m->lanes);
    CW_STATE(s, m->born);
    CW_STATE(s, m->loose);
    CW_STATE(s, m->epoch);
    CW_STATE(s, m->trip);
}

static void body_state(struct cw_state *s, struct cw_message *m, uint32_t elements)
{
    for (uint32_t i = 0; i < m->type->field_cnt; i++) {
        const struct cw_body_field *f = &m->type->field[i];
        const uint32_t cnt = f->cnt != 0 ? f->cnt : elements;
        assert(f->cnt != 0 || m->type->tail_max != 0); /* else its elements would be left out */
        if (f->stride <= f->bytes) {
            cw_state_array(s, f->name, m->body + f->offset, cnt, f->bytes);
            continue;
        }
        for (uint32_t k = 0; k < cnt; k++)
            cw_state_array(s, f->name, m->body + f->offset + k * f->stride, 1, f->bytes);
    }
}

/* The type's name, and whether there is room for a large body: whoever fills a message with a tail needs as much room as there was. On load the
 * message, made anew. NULL: there is none, or the state has ended. */
static struct cw_message *typed(struct cw_state *s, struct cw_message_pool *pool, const struct cw_message *m, uint32_t elements)
{
    char name[24] = "";
    bool has_room = m != NULL && m->large != SMALL;
    if (m != NULL)
        strncpy(name, m->type->name, sizeof name - 1);
    cw_state_array(s, "type", name, sizeof name, 1);
    CW_STATE(s, has_room);
    name[sizeof name - 1] = '\0';
    if (!cw_state_loads(s) || s->status != CW_OK)
        return NULL;
    const struct cw_message_type *type = find_type(pool, name);
    if (type == NULL) {
        cw_state_fail(s, CW_EINVAL, "no mechanism of this machine has messages of type '%s'", name);
        return NULL;
    }
    if (elements > type->tail_max) {
        cw_state_fail(s, CW_EINVAL, "a message of type '%s' has %u elements", name, elements);
        return NULL;
    }
    const size_t bytes = type->bytes - (size_t)(type->tail_max - elements) * type->tail_bytes;
    return take(pool, type, has_room ? CW_MESSAGE_BODY_LARGE : bytes);
}

static void note_walked(struct cw_state *s, struct cw_message *m)
{
    if (s->walked_cnt == s->walked_cap) {
        const uint32_t cap = s->walked_cap != 0 ? 2 * s->walked_cap : 256;
        struct cw_message **more = realloc(s->walked, cap * sizeof *more);
        if (more == NULL) {
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
            return;
        }
        s->walked = more;
        s->walked_cap = cap;
    }
    s->walked[s->walked_cnt++] = m;
}

void cw_message_ref_state(struct cw_state *s, struct cw_message **m)
{
    uint32_t number = 0; /* From 1 on. */
    if (!cw_state_loads(s) && *m != NULL) {
        for (number = 1; number <= s->walked_cnt && s->walked[number - 1] != *m; number++)
            continue;
        if (number > s->walked_cnt)
            cw_state_fail(s, CW_EINVAL, "somebody refers to a message of type '%s' that nobody holds", (*m)->type->name);
    }
    cw_state_count(s, "message", &number, s->walked_cnt);
    if (cw_state_loads(s))
        *m = number != 0 ? s->walked[number - 1] : NULL;
}

void cw_message_state(struct cw_state *s, struct cw_message **at)
{
    struct cw_message_pool *pool = s->messages;
    struct cw_message *m = cw_state_loads(s) ? NULL : *at;
    bool there = m != NULL;
    uint32_t elements = 0;
    CW_STATE(s, there);
    if (there && m != NULL && m->type->tail_max != 0)
        memcpy(&elements, m->body + m->type->tail_cnt, sizeof elements);
    if (there) {
        cw_state_count(s, "elements", &elements, CW_PACKET_ENTRIES);
        struct cw_message *made = typed(s, pool, m, elements);
        m = cw_state_loads(s) ? made : m;
    }
    if (m != NULL) {
        note_walked(s, m);
        head_state(s, m);
        body_state(s, m, elements);
    }
    if (cw_state_loads(s))
        *at = m;
}

void cw_message_shared_state(struct cw_state *s, struct cw_message **m)
{
    void *at = *m;
    const bool is_new = cw_state_shared(s, &at);
    *m = at;
    if (!is_new)
        return;
    cw_message_state(s, m);
    if (cw_state_loads(s))
        cw_state_shares(s, *m);
}

void cw_message_slot_state(struct cw_state *s, void **slot, void *context)
{
    struct cw_message *m = *slot;
    (void)context;
    cw_message_state(s, &m);
    *slot = m;
}

void cw_message_list_state(struct cw_state *s, struct cw_message **head, struct cw_message **tail)
{
    struct cw_message **link = head, *last = NULL;
    for (bool more = true; more && s->status == CW_OK;) {
        cw_message_state(s, link);
        more = *link != NULL;
        if (more) {
            last = *link;
            if (cw_state_loads(s))
                last->next = NULL;
            link = &last->next;
        }
    }
    if (tail != NULL)
        *tail = last;
}

void cw_message_pool_state(struct cw_state *s, struct cw_message_pool *pool)
{
    s->messages = pool;
}
