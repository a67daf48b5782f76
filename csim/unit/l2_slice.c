/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of an L2 slice (contract: include/cowarp/unit/l2_slice.h, whose sentences the numbers in brackets are).
 *
 * The C models of the tags and of the miss registers are its parts; their answers are looked at in the cycle of the slice's. What becomes of an
 * operation is worked out once, as a plan, and carried out at the clock edge.
 */
#include "cowarp/unit/l2_slice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/l2_mshr.h"
#include "cowarp/unit/l2_tags.h"

typedef struct cw_l2_slice_in slice_in;
typedef struct cw_l2_slice_out slice_out;

#define SECTORS_MAX  8u
#define SECTOR_BYTES 32u
#define STAGES       3u

enum kind { READ, WRITE, ATOMIC, CLEAN, DROP, COME, LOAD, LOOK };
enum result { DONE, PASSED, MISSED, NO_ROOM, NO_MEMORY, BUSY };
enum { REQUEST, COMES, PERFORMED, NOBODY }; /* Kinds of the miss registers. */

struct operation {
    bool there, head, pass, pm;
    uint32_t kind, line, entry, sectors;
    uint32_t mask[SECTORS_MAX];
};

/* Bytes that have to move. */
struct move {
    uint32_t place;      /* Of the line: set * ways + way. */
    uint32_t back, left; /* Sectors. */
    bool reads, writes;
    bool seen; /* The lowest sector left was read, and is to be written. */
    uint32_t has[SECTORS_MAX], parts[SECTORS_MAX];
};

struct sector {
    bool there, back;
    uint32_t number, mask;
    uint8_t byte[SECTOR_BYTES];
};

/* What becomes of the operation that is answered. */
struct plan {
    enum result result;
    bool acts, enters, passes, named; /* named: the line is here, or was */
    bool keeps_line;                  /* The tags are left alone. */
    uint32_t fetch, back, needs;
    struct cw_l2_tags_in line;
    uint32_t has[SECTORS_MAX]; /* Bytes that the slice has of it afterwards. */
    bool moves;
    struct move move;
};

struct slice {
    struct cw_l2_slice_params p;
    uint32_t all, line_mask, set_mask;
    struct operation stage[STAGES]; /* Taken one, two and three cycles ago. */
    bool swept;
    struct move move;
    struct sector out;
    uint32_t (*has)[SECTORS_MAX]; /* [place] */
    uint8_t *byte;                /* [place][sector][32] */
    void *tags, *mshr;
    struct cw_l2_tags_out line; /* Of this cycle. */
    struct cw_l2_mshr_out entry;
};

static const struct cw_unit_ops *tags_ops(void)
{
    return &cw_l2_tags_unit.c_model;
}

static const struct cw_unit_ops *mshr_ops(void)
{
    return &cw_l2_mshr_unit.c_model;
}

/* What the parts say in this cycle; that does not depend on what they are asked in it. */
static void look(struct slice *s)
{
    struct cw_l2_tags_in nothing = {0};
    struct cw_l2_mshr_in nobody = {0};
    tags_ops()->eval(s->tags, &nothing, &s->line);
    mshr_ops()->eval(s->mshr, &nobody, &s->entry);
}

static void slice_reset(void *self)
{
    struct slice *s = self;
    tags_ops()->reset(s->tags);
    mshr_ops()->reset(s->mshr);
    memset(s->stage, 0, sizeof s->stage);
    s->swept = false;
    s->move = (struct move){0};
    s->out = (struct sector){0};
    look(s);
}

static void slice_destroy(void *self)
{
    struct slice *s = self;
    if (s == NULL)
        return;
    tags_ops()->destroy(s->tags);
    mshr_ops()->destroy(s->mshr);
    free(s->has);
    free(s->byte);
    free(s);
}

static int create_parts(struct slice *s)
{
    const struct cw_l2_slice_params *p = &s->p;
    const struct cw_l2_tags_params tags = {.ways = p->ways, .set_w = p->set_w, .tag_w = p->tag_w, .sectors = p->sectors};
    const struct cw_l2_mshr_params mshr = {
        .entries = p->entries, .merge = p->merge, .line_w = p->set_w + p->tag_w, .sectors = p->sectors, .req_w = p->req_w};
    const size_t places = (size_t)p->ways << p->set_w;
    s->has = calloc(places, sizeof *s->has);
    s->byte = calloc(places, (size_t)p->sectors * SECTOR_BYTES);
    if (s->has == NULL || s->byte == NULL)
        return CW_ENOMEM;
    const int status = tags_ops()->create(&s->tags, &tags);
    return status == CW_OK ? mshr_ops()->create(&s->mshr, &mshr) : status;
}

static int slice_create(void **self, const void *params)
{
    const struct cw_l2_slice_params *p = params;
    if (cw_unit_params_check(&cw_l2_slice_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct slice *s = calloc(1, sizeof *s);
    if (s == NULL)
        return CW_ENOMEM;
    s->p = *p;
    s->all = (1u << p->sectors) - 1;
    s->set_mask = (1u << p->set_w) - 1;
    s->line_mask = (uint32_t)(((uint64_t)1 << (p->set_w + p->tag_w)) - 1);
    const int status = create_parts(s);
    if (status != CW_OK) {
        slice_destroy(s);
        return status;
    }
    slice_reset(s);
    *self = s;
    return CW_OK;
}

/* Bytes ------------------------------------------------------------------------------------------------------------------- */

static uint32_t lowest(uint32_t sectors)
{
    return (uint32_t)__builtin_ctz(sectors);
}

static bool wants_bytes(const struct move *m)
{
    return m->back == 0 && m->left != 0 && m->writes && (!m->reads || m->seen);
}

/* What is left after this cycle. */
static struct move moved_on(const struct move *m, const slice_in *in)
{
    struct move next = *m;
    const bool given = wants_bytes(m) && in->in_valid & 1;
    if (m->back != 0)
        next.back &= m->back - 1;
    else if (m->left != 0 && (given || !m->writes))
        next.left &= m->left - 1;
    next.seen = m->back == 0 && m->left != 0 && m->writes && !given && (m->seen || m->reads);
    return next;
}

static uint8_t *bytes_of(const struct slice *s, uint32_t place, uint32_t sector)
{
    return s->byte + ((size_t)place * s->p.sectors + sector) * SECTOR_BYTES;
}

/* The turn of this cycle. */
static void take_turn(struct slice *s, const slice_in *in)
{
    const struct move *m = &s->move;
    const bool reads = m->back != 0 || (m->left != 0 && m->reads && !m->seen);
    s->out = (struct sector){0};
    if (reads) {
        s->out.there = true;
        s->out.back = m->back != 0;
        s->out.number = lowest(m->back != 0 ? m->back : m->left);
        s->out.mask = m->has[s->out.number];
        const uint8_t *from = bytes_of(s, m->place, s->out.number);
        for (uint32_t b = 0; b < SECTOR_BYTES; b++)
            s->out.byte[b] = s->out.mask >> b & 1 ? from[b] : 0;
    } else if (wants_bytes(m) && in->in_valid & 1) {
        const uint32_t sector = lowest(m->left);
        uint8_t *to = bytes_of(s, m->place, sector);
        for (uint32_t b = 0; b < SECTOR_BYTES; b++)
            if (m->parts[sector] >> b & 1)
                to[b] = (uint8_t)(in->in_data[b / 4] >> b % 4 * 8);
    }
    s->move = moved_on(m, in);
}

/* What becomes of an operation --------------------------------------------------------------------------------------------- */

static bool is_request(const struct operation *op)
{
    return op->kind <= ATOMIC && !op->head;
}

static bool is_head(const struct operation *op)
{
    return op->kind <= ATOMIC && op->head;
}

static uint32_t here(const struct slice *s)
{
    return s->line.ans_hit ? (uint32_t)s->line.ans_sectors : 0;
}

/* [10] [13]: sectors that are needed and neither here nor on their way. */
static uint32_t to_fetch(const struct slice *s, uint32_t missing)
{
    const uint32_t wanted = s->p.whole && missing != 0 ? s->all : missing;
    return wanted & ~here(s) & ~(s->line.ans_hit ? (uint32_t)s->entry.ans_fetching : 0);
}

/* [17]: memory reads them together. */
static uint32_t grouped(const struct slice *s, uint32_t fetch)
{
    uint32_t group = 0;
    for (uint32_t i = 0; i < s->p.sectors; i += s->p.burst) {
        const uint32_t members = s->all & (((1u << s->p.burst) - 1) << i);
        group |= fetch & members ? members : 0;
    }
    return group;
}

/* [14] [15], of a request. */
static bool memory_takes(const struct operation *op, const struct plan *x, const slice_in *in)
{
    const bool reads = x->fetch != 0, goes = x->back != 0, forward = x->passes && !op->pm;
    const uint32_t places = (reads && !op->pm) + (uint32_t)goes + forward;
    if (places > (in->mem_space & 3))
        return false;
    if (op->pm)
        return !reads || in->mem_pm & 1;
    return (!goes && !forward) || in->mem_told & 1;
}

/* [6] to [17]: a read, a write or an atomic. Returns the result, but for bytes that are moving. */
static enum result plan_request(const struct slice *s, const struct operation *op, const slice_in *in, struct plan *x)
{
    const bool hit = s->line.ans_hit, writes = op->kind == WRITE, through = writes && op->pass;
    const bool behind = hit && s->entry.ans_behind;
    x->needs = writes && !op->pass ? 0 : op->sectors;
    const uint32_t missing = x->needs & ~here(s);
    if (!hit && !s->line.ans_victim)
        return NO_ROOM;
    x->enters = hit ? missing != 0 || behind : !(writes && !op->pass);
    x->passes = x->enters && through && !behind;
    if (x->enters && !s->entry.ans_room)
        return NO_ROOM;
    if (x->enters)
        x->fetch = to_fetch(s, missing);
    if (!hit && s->line.ans_dirty)
        x->back = s->p.whole ? s->all : (uint32_t)s->line.ans_dirty;
    if (!memory_takes(op, x, in))
        return NO_MEMORY;
    if (!x->enters)
        return DONE;
    if (!x->passes)
        return MISSED;
    return op->pm ? DONE : PASSED;
}

static enum result plan_clean(const struct slice *s, const slice_in *in, struct plan *x)
{
    x->keeps_line = !s->line.ans_hit || s->line.ans_dirty == 0;
    if (x->keeps_line)
        return DONE;
    if ((in->mem_space & 3) == 0)
        return NO_MEMORY;
    x->back = s->p.whole ? s->all : (uint32_t)s->line.ans_dirty;
    return DONE;
}

static enum result plan_kind(const struct slice *s, const struct operation *op, const slice_in *in, struct plan *x)
{
    const bool hit = s->line.ans_hit;
    if (is_request(op))
        return plan_request(s, op, in, x);
    if (is_head(op) || op->kind == COME)
        return hit && s->entry.ans_hit ? DONE : NO_ROOM; /* [18] [27] */
    if (op->kind == CLEAN)
        return plan_clean(s, in, x);
    x->keeps_line = (op->kind == DROP && !hit) || (op->kind == LOAD && op->head) || op->kind == LOOK;
    if (op->kind == DROP)
        return hit && s->line.ans_held ? NO_ROOM : DONE;
    return op->kind == LOAD && !op->head && !hit && !s->line.ans_victim ? NO_ROOM : DONE;
}

/* [20] [25] [28]: what the slice has then, and which sectors are valid by it. */
static uint32_t plan_bytes(const struct slice *s, const struct operation *op, bool performed, uint32_t written, struct plan *x)
{
    const bool all = op->kind == COME || (op->kind == LOAD && !op->head);
    uint32_t valid = all ? op->sectors : 0;
    for (uint32_t i = 0; i < s->p.sectors; i++) {
        x->has[i] = s->line.ans_hit ? x->move.has[i] : 0;
        if (all && op->sectors >> i & 1)
            x->has[i] = UINT32_MAX;
        if (op->kind == WRITE && performed && written >> i & 1) {
            x->has[i] |= op->mask[i];
            valid |= (uint32_t)(x->has[i] == UINT32_MAX) << i;
        }
    }
    return valid;
}

/* Bytes that move: op's, and those of the line that goes. */
static void plan_move(const struct slice *s, const struct operation *op, bool performed, uint32_t written, struct plan *x)
{
    struct move *m = &x->move;
    const uint32_t set = op->line & s->set_mask;
    m->place = set * s->p.ways + (uint32_t)s->line.ans_way;
    memcpy(m->has, s->has[m->place], sizeof m->has);
    m->back = x->back;
    m->reads = op->kind == READ || op->kind == ATOMIC || op->kind == LOOK;
    m->writes = op->kind != READ && op->kind != LOOK;
    if (op->kind <= ATOMIC)
        m->left = performed ? written : 0;
    else if (op->kind == COME || (op->kind >= LOAD && x->named))
        m->left = op->sectors;
    for (uint32_t i = 0; i < s->p.sectors; i++)
        m->parts[i] = op->kind == WRITE ? op->mask[i] : op->kind == COME ? ~m->has[i] : UINT32_MAX;
    x->moves = m->back != 0 || m->left != 0;
}

/* The answer to the oldest operation. */
static struct plan plan_of(const struct slice *s, const slice_in *in)
{
    const struct operation *op = &s->stage[STAGES - 1];
    const bool hit = s->line.ans_hit;
    struct plan x = {0};
    if (!op->there)
        return x;
    x.result = plan_kind(s, op, in, &x);
    x.acts = x.result <= MISSED;
    if (!x.acts)
        return x;
    const bool request = is_request(op), performed = is_head(op) || (request && (!x.enters || x.passes));
    const uint32_t written = op->kind == WRITE && op->pass ? op->sectors & here(s) : op->sectors;
    x.named = hit || (s->line.ans_victim && (request || (op->kind == LOAD && !op->head)));
    plan_move(s, op, performed, written, &x);
    const struct move left = moved_on(&s->move, in);
    if (x.moves && (left.back != 0 || left.left != 0))
        return (struct plan){.result = BUSY};
    const bool dirties = performed && !op->pm && op->kind != READ;
    x.line = (struct cw_l2_tags_in){.act_valid = !x.keeps_line,
                                    .act_drop = op->kind == DROP,
                                    .act_fill = plan_bytes(s, op, performed, written, &x),
                                    .act_write = dirties ? written : 0,
                                    .act_clean = op->kind == CLEAN,
                                    .act_use = performed || op->kind == LOAD};
    if (x.enters)
        x.line.act_hold = 1;
    else
        x.line.act_hold = is_head(op) || op->kind == COME ? !s->entry.ans_ends : hit && s->line.ans_held;
    return x;
}

/* Ports ------------------------------------------------------------------------------------------------------------------- */

static bool is_ready(const struct slice *s, const slice_in *in)
{
    return s->swept && !(s->stage[0].there && ((s->stage[0].line ^ in->op_line) & s->set_mask) == 0);
}

static void show_bytes(const struct slice *s, slice_out *out)
{
    out->out_valid = s->out.there;
    out->out_back = s->out.back;
    out->out_sector = s->out.number;
    out->out_mask = s->out.mask;
    for (uint32_t b = 0; b < SECTOR_BYTES; b++)
        out->out_data[b / 4] |= (uint32_t)s->out.byte[b] << b % 4 * 8;
    out->in_ready = wants_bytes(&s->move);
    out->in_sector = out->in_ready ? lowest(s->move.left) : 0;
}

static void slice_eval(void *self, const void *inputs, void *outputs)
{
    const struct slice *s = self;
    const slice_in *in = inputs;
    slice_out *out = outputs;
    const struct operation *op = &s->stage[STAGES - 1];
    const struct plan x = plan_of(s, in);
    *out = (slice_out){.op_ready = is_ready(s, in),
                       .ans_valid = op->there,
                       .ans_result = x.result,
                       .ans_way = x.named ? s->line.ans_way : 0,
                       .ans_fetch = x.acts ? x.fetch : 0,
                       .ans_back = x.acts ? x.back : 0,
                       .head_valid = s->entry.head_valid,
                       .head_req = s->entry.head_req,
                       .empty = s->entry.empty};
    if (x.acts && (x.enters || is_head(op) || op->kind == COME))
        out->ans_entry = s->entry.ans_entry;
    if (x.acts && x.back != 0)
        out->ans_line = s->line.ans_tag << s->p.set_w | (op->line & s->set_mask);
    show_bytes(s, out);
    out->idle = s->swept && !s->stage[0].there && !s->stage[1].there && !op->there && s->entry.idle && s->line.idle && s->move.back == 0 &&
                s->move.left == 0 && !s->out.there;
}

static uint32_t mshr_kind(const struct operation *op)
{
    if (op->kind == COME)
        return COMES;
    return op->kind > ATOMIC ? NOBODY : op->head ? PERFORMED : REQUEST;
}

static struct operation taken(const struct slice *s, const slice_in *in)
{
    struct operation op = {.there = in->op_valid & 1 && is_ready(s, in),
                           .head = in->op_head & 1,
                           .pass = in->op_pass & 1,
                           .pm = in->op_pm & 1,
                           .kind = in->op_kind & 7,
                           .line = (uint32_t)in->op_line & s->line_mask,
                           .entry = in->op_entry & 255,
                           .sectors = (uint32_t)in->op_sectors & s->all};
    memcpy(op.mask, in->op_mask, sizeof op.mask);
    return op;
}

/* The clock edge of the parts. */
static void tick_parts(struct slice *s, const struct operation *op, const struct plan *x, const slice_in *in)
{
    const struct operation *asked = &s->stage[0], *answered = &s->stage[STAGES - 1];
    struct cw_l2_tags_in tags = x->acts ? x->line : (struct cw_l2_tags_in){0};
    struct cw_l2_mshr_in mshr = {
        .op_valid = op->there, .op_kind = mshr_kind(op), .op_line = op->line, .op_entry = op->entry, .op_sectors = op->sectors};
    tags.op_valid = asked->there;
    tags.op_set = asked->line & s->set_mask;
    tags.op_tag = asked->line >> s->p.set_w;
    if (x->acts && (x->enters || is_head(answered) || answered->kind == COME)) {
        mshr.act_valid = 1;
        mshr.act_pass = x->passes;
        mshr.act_req = in->act_req;
        mshr.act_needs = x->needs;
        mshr.act_fetch = answered->pm ? x->fetch : grouped(s, x->fetch);
        mshr.act_here = here(s) | x->line.act_fill;
    }
    tags_ops()->tick(s->tags, &tags);
    mshr_ops()->tick(s->mshr, &mshr);
}

static void slice_tick(void *self, const void *inputs)
{
    struct slice *s = self;
    const slice_in *in = inputs;
    const struct plan x = plan_of(s, in);
    const struct operation op = taken(s, in);
    const bool ready = s->line.op_ready;
    take_turn(s, in);
    if (x.acts && x.moves)
        s->move = x.move;
    if (x.acts && x.named && !x.keeps_line)
        memcpy(s->has[x.move.place], x.has, sizeof x.has);
    tick_parts(s, &op, &x, in);
    s->stage[2] = s->stage[1];
    s->stage[1] = s->stage[0];
    s->stage[0] = op;
    s->swept = s->swept || ready;
    look(s);
}

/* State ------------------------------------------------------------------------------------------------------------------- */

static void operation_state(struct cw_state *s, struct operation *op)
{
    CW_STATE(s, op->there);
    CW_STATE(s, op->head);
    CW_STATE(s, op->pass);
    CW_STATE(s, op->pm);
    CW_STATE(s, op->kind);
    CW_STATE(s, op->line);
    CW_STATE(s, op->entry);
    CW_STATE(s, op->sectors);
    CW_STATE(s, op->mask);
}

static void move_state(struct cw_state *s, struct move *m, uint32_t last_place)
{
    cw_state_count(s, "place", &m->place, last_place);
    CW_STATE(s, m->back);
    CW_STATE(s, m->left);
    CW_STATE(s, m->reads);
    CW_STATE(s, m->writes);
    CW_STATE(s, m->seen);
    CW_STATE(s, m->has);
    CW_STATE(s, m->parts);
}

static void slice_state(void *self, struct cw_state *s)
{
    struct slice *u = self;
    const uint32_t places = u->p.ways << u->p.set_w;
    for (uint32_t i = 0; i < STAGES; i++)
        operation_state(s, &u->stage[i]);
    CW_STATE(s, u->swept);
    move_state(s, &u->move, places - 1);
    CW_STATE(s, u->out.there);
    CW_STATE(s, u->out.back);
    CW_STATE(s, u->out.number);
    CW_STATE(s, u->out.mask);
    CW_STATE(s, u->out.byte);
    for (uint32_t i = 0; i < places; i++) {
        CW_STATE(s, u->has[i]);
        cw_state_array(s, "bytes", bytes_of(u, i, 0), u->p.sectors * SECTOR_BYTES, 1);
    }
    tags_ops()->state(u->tags, s);
    mshr_ops()->state(u->mshr, s);
    CW_STATE_PORTS(s, u->line);
    CW_STATE_PORTS(s, u->entry);
}

#define CW_UNIT__PARAMS_T struct cw_l2_slice_params
#define CW_UNIT__IN_T     struct cw_l2_slice_in
#define CW_UNIT__OUT_T    struct cw_l2_slice_out
CW_UNIT_DEFINE(l2_slice, CW_L2_SLICE_PARAMS, CW_L2_SLICE_PORTS, slice_create, slice_destroy, slice_reset, slice_eval, slice_tick,
               slice_state);
