/* SPDX-License-Identifier: Apache-2.0 */
#include "wave/ring.h"

#include <stdlib.h>
#include <string.h>

/* A segment's log is a sequence of records: a head, then for CW_TAP_EVAL and CW_TAP_TICK the unit's inputs, for DUMP the time and cnt
 * changes. */
enum { DUMP = CW_TAP_RESET + 1 };

struct head {
    uint32_t kind; /* enum cw_tap_op or DUMP */
    uint32_t n;    /* RTL instance, or number of changes */
};

struct change {
    uint32_t signal;
    uint32_t value[2]; /* low half first; no 64-bit member, so that there is no gap */
};

struct segment {
    unsigned char *log;
    size_t used, capacity;
    uint64_t *value;      /* of all signals when the segment began */
    unsigned char *state; /* of all RTL instances then, one after the other */
};

/* The last operation of an RTL instance. */
struct last {
    enum cw_tap_op op;
    unsigned char *in;
};

struct cw_wave_ring {
    struct cw_wave_signal *signal; /* as given, but showing value[] */
    const uint64_t **source;       /* where the values come from */
    uint64_t *value;               /* last noted */
    struct cw_fst_content content;
    struct cw_wave_ring_rtl *rtl;
    struct last *last;
    size_t *state_size; /* of each RTL instance */
    size_t states_size;
    uint32_t rtl_cnt;
    void *in, *out;            /* room for any unit's inputs and outputs */
    struct segment segment[2]; /* segment[turns % 2] is being written, the other one is older; unless turns is 0 */
    uint64_t turns;
    bool out_of_memory;
};

void cw_wave_ring_destroy(struct cw_wave_ring *r)
{
    if (r == NULL)
        return;
    for (int i = 0; i < 2; i++) {
        free(r->segment[i].log);
        free(r->segment[i].value);
        free(r->segment[i].state);
    }
    for (uint32_t i = 0; r->last != NULL && i < r->rtl_cnt; i++)
        free(r->last[i].in);
    free(r->last);
    free(r->signal);
    free((void *)r->source);
    free(r->value);
    free(r->rtl);
    free(r->state_size);
    free(r->in);
    free(r->out);
    free(r);
}

static void save_states(const struct cw_wave_ring *r, unsigned char *state)
{
    for (uint32_t i = 0; i < r->rtl_cnt; i++) {
        if (r->rtl[i].library != NULL)
            r->rtl[i].library->save(r->rtl[i].self, state, r->state_size[i]);
        state += r->state_size[i];
    }
}

static void restore_states(const struct cw_wave_ring *r, const unsigned char *state)
{
    for (uint32_t i = 0; i < r->rtl_cnt; i++) {
        if (r->rtl[i].library != NULL)
            r->rtl[i].library->restore(r->rtl[i].self, state, r->state_size[i]);
        state += r->state_size[i];
    }
}

/* Room for this many bytes at the end of the log. The caller adds them to used. */
static unsigned char *room(struct cw_wave_ring *r, size_t bytes)
{
    struct segment *s = &r->segment[r->turns % 2];
    if (s->used + bytes > s->capacity) {
        const size_t capacity = 2 * s->capacity + bytes + 4096;
        unsigned char *log = r->out_of_memory ? NULL : realloc(s->log, capacity);
        r->out_of_memory = log == NULL;
        if (log == NULL)
            return NULL;
        s->log = log;
        s->capacity = capacity;
    }
    return s->log + s->used;
}

static void note_op(struct cw_wave_ring *r, uint32_t rtl, enum cw_tap_op op, const void *in)
{
    const struct head head = {op, rtl};
    const size_t in_size = in != NULL ? r->rtl[rtl].in_size : 0;
    unsigned char *at = room(r, sizeof head + in_size);
    if (at == NULL)
        return;
    memcpy(at, &head, sizeof head);
    if (in != NULL)
        memcpy(at + sizeof head, in, in_size);
    r->segment[r->turns % 2].used += sizeof head + in_size;
}

/* An RTL model that nobody watches need not have settled after its last evaluation: the segment begins with that again. */
static void begin_segment(struct cw_wave_ring *r)
{
    struct segment *s = &r->segment[r->turns % 2];
    s->used = 0;
    memcpy(s->value, r->value, r->content.signal_cnt * sizeof *s->value);
    save_states(r, s->state);
    for (uint32_t i = 0; i < r->rtl_cnt; i++)
        if (r->last[i].op == CW_TAP_EVAL)
            note_op(r, i, CW_TAP_EVAL, r->last[i].in);
}

/* Zeros. Never NULL for being empty, and no byte too many, so that the address sanitizer sees a step beyond the end. */
static void *room_for(size_t cnt, size_t size)
{
    return calloc(cnt != 0 ? cnt : 1, size != 0 ? size : 1);
}

/* in and out are as large as the units with RTL need: nothing else goes through them. */
static bool allocate(struct cw_wave_ring *r, const struct cw_fst_content *c, const struct cw_wave_ring_rtl *rtl)
{
    size_t in_size = 0, out_size = 0;
    r->signal = room_for(c->signal_cnt, sizeof *r->signal);
    r->source = room_for(c->signal_cnt, sizeof *r->source);
    r->value = room_for(c->signal_cnt, sizeof *r->value);
    r->rtl = room_for(r->rtl_cnt, sizeof *r->rtl);
    r->state_size = room_for(r->rtl_cnt, sizeof *r->state_size);
    r->last = room_for(r->rtl_cnt, sizeof *r->last);
    if (r->signal == NULL || r->source == NULL || r->value == NULL || r->rtl == NULL || r->state_size == NULL || r->last == NULL)
        return false;
    for (uint32_t i = 0; i < r->rtl_cnt; i++) {
        r->rtl[i] = rtl[i];
        r->last[i].op = CW_TAP_RESET;
        if (rtl[i].library == NULL)
            continue;
        r->last[i].in = room_for(1, rtl[i].in_size);
        if (r->last[i].in == NULL)
            return false;
        r->state_size[i] = rtl[i].library->save(rtl[i].self, NULL, 0);
        r->states_size += r->state_size[i];
        in_size = rtl[i].in_size > in_size ? rtl[i].in_size : in_size;
        out_size = rtl[i].out_size > out_size ? rtl[i].out_size : out_size;
    }
    r->in = room_for(1, in_size);
    r->out = room_for(1, out_size);
    for (int i = 0; i < 2; i++) {
        r->segment[i].value = room_for(c->signal_cnt, sizeof *r->value);
        r->segment[i].state = room_for(r->states_size, 1);
        if (r->segment[i].value == NULL || r->segment[i].state == NULL)
            return false;
    }
    return r->in != NULL && r->out != NULL;
}

int cw_wave_ring_create(struct cw_wave_ring **ring, const struct cw_fst_content *c, const struct cw_wave_ring_rtl *rtl, uint32_t rtl_cnt,
                        struct cw_error *err)
{
    struct cw_wave_ring *r = calloc(1, sizeof *r);
    *ring = NULL;
    if (r == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    r->rtl_cnt = rtl_cnt;
    if (!allocate(r, c, rtl)) {
        cw_wave_ring_destroy(r);
        return cw_fail(err, CW_ENOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < c->signal_cnt; i++) {
        r->signal[i] = c->signal[i];
        r->source[i] = c->signal[i].value;
        r->signal[i].value = &r->value[i];
    }
    r->content = (struct cw_fst_content){r->signal, c->signal_cnt, c->enums, c->enum_cnt, NULL, 0};
    begin_segment(r);
    *ring = r;
    return CW_OK;
}

void cw_wave_ring_op(struct cw_wave_ring *r, uint32_t rtl, enum cw_tap_op op, const void *in)
{
    struct last *last = &r->last[rtl];
    if (r->rtl[rtl].library == NULL)
        return;
    note_op(r, rtl, op, in);
    last->op = op;
    if (op == CW_TAP_EVAL)
        memcpy(last->in, in, r->rtl[rtl].in_size);
}

void cw_wave_ring_dump(struct cw_wave_ring *r, uint64_t time_ps)
{
    struct head head = {DUMP, 0};
    unsigned char *start = room(r, sizeof head + sizeof time_ps + r->content.signal_cnt * sizeof(struct change));
    if (start == NULL)
        return;
    unsigned char *at = start + sizeof head + sizeof time_ps;
    for (uint32_t i = 0; i < r->content.signal_cnt; i++) {
        const uint64_t value = *r->source[i];
        if (value == r->value[i])
            continue;
        const struct change change = {i, {(uint32_t)value, (uint32_t)(value >> 32)}};
        memcpy(at, &change, sizeof change);
        at += sizeof change;
        r->value[i] = value;
        head.n++;
    }
    memcpy(start, &head, sizeof head);
    memcpy(start + sizeof head, &time_ps, sizeof time_ps);
    r->segment[r->turns % 2].used += (size_t)(at - start);
}

void cw_wave_ring_turn(struct cw_wave_ring *r)
{
    r->turns++;
    begin_segment(r);
}

/* Playing back ------------------------------------------------------------------------------------------------------- */

static const unsigned char *play_dump(struct cw_wave_ring *r, uint32_t changes, const unsigned char *at, uint64_t from_ps,
                                      struct cw_fst_file *f)
{
    uint64_t time_ps;
    struct change change;
    memcpy(&time_ps, at, sizeof time_ps);
    at += sizeof time_ps;
    for (uint32_t i = 0; i < changes; i++, at += sizeof change) {
        memcpy(&change, at, sizeof change);
        r->value[change.signal] = change.value[0] | (uint64_t)change.value[1] << 32;
    }
    if (time_ps >= from_ps)
        cw_fst_file_dump(f, time_ps);
    return at;
}

static const unsigned char *play_op(struct cw_wave_ring *r, const struct head *head, const unsigned char *in)
{
    const struct cw_wave_ring_rtl *rtl = &r->rtl[head->n];
    if (head->kind == CW_TAP_RESET) {
        rtl->library->ops.reset(rtl->self);
        return in;
    }
    memcpy(r->in, in, rtl->in_size); /* the log is not aligned */
    if (head->kind == CW_TAP_EVAL)
        rtl->library->ops.eval(rtl->self, r->in, r->out);
    else
        rtl->library->ops.tick(rtl->self, r->in);
    return in + rtl->in_size;
}

static void play_segment(struct cw_wave_ring *r, const struct segment *s, uint64_t from_ps, struct cw_fst_file *f)
{
    struct head head;
    for (const unsigned char *at = s->log, *end = s->log + s->used; at < end;) {
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        at = head.kind == DUMP ? play_dump(r, head.n, at, from_ps, f) : play_op(r, &head, at);
    }
}

static int open_file(struct cw_wave_ring *r, struct cw_fst_file *f, const char *path, struct cw_error *err)
{
    struct cw_fst_content content = r->content;
    struct cw_wave_rtl *list = calloc(r->rtl_cnt + 1u, sizeof *list);
    if (list == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", path);
    for (uint32_t i = 0; i < r->rtl_cnt; i++) {
        const struct cw_wave_ring_rtl *rtl = &r->rtl[i];
        if (rtl->library != NULL)
            list[content.rtl_cnt++] =
                (struct cw_wave_rtl){.model = rtl->library->model(rtl->self), .trace = rtl->library->trace, .self = rtl->self};
    }
    content.rtl = list;
    int status = cw_fst_file_open(f, path, &content, err);
    free(list);
    return status;
}

int cw_wave_ring_write(struct cw_wave_ring *r, uint64_t from_ps, const char *path, struct cw_error *err)
{
    struct cw_fst_file f;
    const struct segment *now = &r->segment[r->turns % 2], *first = r->turns > 0 ? &r->segment[(r->turns + 1) % 2] : now;
    unsigned char *present = room_for(r->states_size, 1);
    if (r->out_of_memory || present == NULL) {
        free(present);
        return cw_fail(err, CW_ENOMEM, "%s: not enough memory for so many cycles; keep fewer", path);
    }
    save_states(r, present);
    restore_states(r, first->state);
    memcpy(r->value, first->value, r->content.signal_cnt * sizeof *r->value);
    int status = open_file(r, &f, path, err);
    if (status == CW_OK) {
        play_segment(r, first, from_ps, &f);
        if (first != now)
            play_segment(r, now, from_ps, &f);
        status = cw_fst_file_close(&f, err);
    }
    for (uint32_t i = 0; i < r->rtl_cnt; i++)
        if (r->rtl[i].library != NULL)
            r->rtl[i].library->trace(r->rtl[i].self, NULL, 0);
    restore_states(r, present);
    free(present);
    return status;
}
