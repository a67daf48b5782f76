/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/mshr.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

int cw_mshr_create(struct cw_mshr_file *f, uint32_t entries, uint32_t merge)
{
    *f = (struct cw_mshr_file){.entries = entries, .merge = merge};
    f->entry = calloc(entries, sizeof *f->entry);
    if (f->entry == NULL)
        return CW_ENOMEM;
    for (uint32_t i = entries; i-- > 0;) {
        f->entry[i].next = f->free;
        f->free = &f->entry[i];
    }
    return CW_OK;
}

void cw_mshr_destroy(struct cw_mshr_file *f)
{
    free(f->entry);
    *f = (struct cw_mshr_file){0};
}

struct cw_mshr *cw_mshr_take(struct cw_mshr_file *f, uint32_t line)
{
    struct cw_mshr *m = f->free;
    if (m == NULL)
        return NULL;
    f->free = m->next;
    f->in_use++;
    *m = (struct cw_mshr){.line = line};
    return m;
}

void cw_mshr_release(struct cw_mshr_file *f, struct cw_mshr *m)
{
    assert(m->count == 0 && !m->ready && m->fetching == 0);
    m->next = f->free;
    f->free = m;
    f->in_use--;
}

void cw_mshr_append(struct cw_mshr *m, struct cw_message *p, uint8_t sectors)
{
    p->next = NULL;
    if (m->count++ == 0)
        m->head = p;
    else
        m->tail->next = p;
    m->tail = p;
    m->sectors = (uint8_t)(m->sectors | sectors);
}

struct cw_message *cw_mshr_pop(struct cw_mshr *m)
{
    assert(m->count > 0);
    struct cw_message *p = m->head;
    m->head = p->next;
    p->next = NULL;
    if (--m->count == 0)
        m->sectors = 0;
    return p;
}

void cw_mshr_make_ready(struct cw_mshr_file *f, struct cw_mshr *m)
{
    if (m->ready)
        return;
    m->ready = true;
    m->next = NULL;
    if (f->ready_head == NULL)
        f->ready_head = m;
    else
        f->ready_tail->next = m;
    f->ready_tail = m;
}

void cw_mshr_unready(struct cw_mshr_file *f)
{
    struct cw_mshr *m = f->ready_head;
    f->ready_head = m->next;
    m->ready = false;
    m->next = NULL;
}

void cw_mshr_state(struct cw_state *s, struct cw_mshr_file *f)
{
    for (uint32_t i = 0; i < f->entries; i++) {
        struct cw_mshr *m = &f->entry[i];
        CW_STATE(s, m->count);
        CW_STATE(s, m->passed);
        CW_STATE(s, m->line);
        CW_STATE(s, m->sectors);
        CW_STATE(s, m->fetching);
        CW_STATE(s, m->ready);
        CW_STATE_REF(s, m->next, f->entry, f->entries);
        if (m->count == 0)
            m->head = m->tail = NULL;
        cw_message_list_state(s, &m->head, &m->tail);
    }
    CW_STATE(s, f->in_use);
    CW_STATE_REF(s, f->free, f->entry, f->entries);
    CW_STATE_REF(s, f->ready_head, f->entry, f->entries);
    CW_STATE_REF(s, f->ready_tail, f->entry, f->entries);
}
