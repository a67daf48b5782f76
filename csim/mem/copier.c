/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/copier.h"

#include <stdlib.h>

#include "mem/address.h"
#include "mem/row.h"

struct cw_copier {
    struct cw_adapt_row_copy_engine *engine;
    const struct cw_config *config;
    struct cw_message_pool *pool;
    uint32_t partition, mech;
    bool over_bus;
};

int cw_copier_create(struct cw_copier **out, const struct cw_mem_config *mem, const struct cw_copier_config *config, struct cw_error *err)
{
    const struct cw_config *c = mem->config;
    const struct cw_adapt_row_copy_engine_config engine = {.partition = mem->index,
                                                           .rows = config->rows,
                                                           .stride = config->stride,
                                                           .banks = c->dram_banks,
                                                           .lines = c->dram_row_bytes / c->mem_line_bytes,
                                                           .regions = config->regions};
    struct cw_copier *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "partition %u: out of host memory", mem->index);
    *s = (struct cw_copier){.config = c, .pool = mem->pool, .partition = mem->index, .mech = config->mech, .over_bus = config->over_bus};
    return cw_adapt_row_copy_engine_create(&s->engine, mem->units, &engine, err);
}

void cw_copier_destroy(struct cw_copier *c)
{
    if (c == NULL)
        return;
    cw_adapt_row_copy_engine_destroy(c->engine);
    free(c);
}

void cw_copier_state(struct cw_state *s, struct cw_copier *c)
{
    cw_adapt_row_copy_engine_state(s, c->engine);
}

void cw_copier_launch(struct cw_copier *c, const struct cw_adapt_row_copy_engine_region *region, uint32_t cnt)
{
    cw_adapt_row_copy_engine_launch(c->engine, region, cnt);
}

void cw_copier_start(struct cw_copier *c, uint32_t from, uint32_t to, uint64_t regions)
{
    cw_adapt_row_copy_engine_start(c->engine, from, to, regions);
}

bool cw_copier_busy(const struct cw_copier *c)
{
    return cw_adapt_row_copy_engine_busy(c->engine);
}

/* A message for the slice: the line at addr, or the row of it, of the slot that has the row there. */
static struct cw_message *message(struct cw_copier *c, enum cw_message_kind kind, uint64_t addr, uint64_t row, uint32_t bank, cw_time now)
{
    struct cw_message *p = cw_message_new(c->pool, &cw_copy_body_type);
    p->kind = (uint8_t)kind;
    p->after = CW_AFTER_RETURN;
    p->mech = (uint8_t)(c->mech + 1);
    p->tag = bank;
    p->addr = addr;
    p->place = cw_row_move(c->config, addr, row);
    p->partition = (uint16_t)c->partition;
    p->born = now;
    cw_message_size(p, 0, c->config->noc_header_bytes, c->config->noc_flit_bytes);
    return p;
}

static struct cw_message *command(struct cw_copier *c, const struct cw_adapt_row_copy_engine_command *m, cw_time now)
{
    const uint64_t row = cw_row_bank(c->config, c->partition, m->row, m->bank), line = cw_row_column(c->config, row, m->line);
    if (m->kind == CW_ROW_COPY_CLEAN)
        return message(c, CW_MSG_CLEAN, line, m->from, m->bank, now);
    if (m->kind == CW_ROW_COPY_DROP)
        return message(c, CW_MSG_DROP, line, m->to, m->bank, now);
    struct cw_message *p = message(c, CW_MSG_COPY, row, m->from, m->bank, now);
    p->addr = p->place;
    cw_copy_body(p)->to = cw_row_move(c->config, row, m->to);
    cw_copy_body(p)->over_bus = c->over_bus;
    return p;
}

struct cw_message *cw_copier_clock(struct cw_copier *c, bool ready, bool *done, cw_time now)
{
    struct cw_adapt_row_copy_engine_command m;
    return cw_adapt_row_copy_engine_clock(c->engine, ready, &m, done) ? command(c, &m, now) : NULL;
}

void cw_copier_return(struct cw_copier *c, struct cw_message *m)
{
    cw_adapt_row_copy_engine_return(c->engine, m->kind == CW_MSG_COPY, m->tag);
    cw_message_free(c->pool, m);
}
