/* SPDX-License-Identifier: Apache-2.0 */
/* An L2 slice: C model and RTL in lockstep, broken copies, directed tests of the contract on both, and a memory that is read and written through it. */
#include "cowarp/unit/l2_slice.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_l2_slice_params params_t;
typedef struct cw_l2_slice_in in_t;
typedef struct cw_l2_slice_out out_t;

#define DUT_UNIT cw_l2_slice_unit
#include "dut.h"
#include "fill/l2_slice.h"

enum kind { READ, WRITE, ATOMIC, CLEAN, DROP, COME, LOAD, LOOK };
enum result { DONE, PASSED, MISSED, NO_ROOM, NO_MEMORY, BUSY };

/*                               ways set_w tag_w sectors entries merge req_w burst whole */
static const params_t slice = {8, 7, 20, 4, 64, 8, 9, 1, 0};
static const params_t minimal = {1, 1, 1, 1, 1, 1, 1, 1, 0};
static const params_t odd = {3, 1, 3, 3, 3, 3, 3, 2, 0};
static const params_t whole = {2, 2, 2, 4, 2, 2, 2, 4, 1};
static const params_t many = {5, 2, 4, 8, 21, 2, 6, 3, 0};
static const params_t largest = {16, 10, 22, 8, 256, 64, 16, 8, 1};

enum { SLICE, MINIMAL, ODD, WHOLE, MANY, LARGEST, SETS };

static bool one_of(struct cw_rng *rng, uint32_t cnt)
{
    return cw_rng_below(rng, cnt) == 0;
}

/* Words of bytes: all, none or some of a sector. */
static void masks(struct cw_rng *rng, uint32_t mask[8])
{
    for (uint32_t s = 0; s < 8; s++)
        mask[s] = one_of(rng, 3) ? UINT32_MAX : one_of(rng, 4) ? 0 : mask[s];
}

/* What the ports have shown: lines of the operations of the last cycles, of entries, and of requests that wait. */
static struct {
    uint64_t line[4]; /* driven one to four cycles ago */
    uint64_t number;  /* act_req of one cycle ago */
    uint64_t of_entry[256], of_request[64];
} shown;

static void follow(const out_t *out)
{
    if (out->ans_valid && out->ans_fetch != 0)
        shown.of_entry[out->ans_entry] = shown.line[3];
    if (out->ans_valid && out->ans_result == MISSED)
        shown.of_request[shown.number % 64] = shown.line[3];
}

static void remember(const in_t *in)
{
    memmove(shown.line + 1, shown.line, 3 * sizeof shown.line[0]);
    shown.line[0] = in->op_line;
    shown.number = in->act_req;
}

/* Few lines, most of them named again; most of what comes was asked for, and most heads are of their line. Phases: requests come and entries
 * fill up; all goes; of all kinds; memory and bytes are slow. */
static void phases(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    static uint32_t phase;
    static const uint8_t kinds[16] = {READ,  WRITE, READ, ATOMIC, WRITE, COME,   COME, READ,
                                      WRITE, CLEAN, COME, DROP,   READ,  ATOMIC, LOAD, LOOK};
    const out_t *out = last_out;
    in_t *i = in;
    (void)context;
    follow(out);
    if (one_of(rng, 64))
        phase = cw_rng_below(rng, 4);
    i->op_kind = kinds[cw_rng_below(rng, phase == 0 ? 10 : 16)];
    if (phase == 1 && one_of(rng, 2))
        i->op_kind = COME;
    i->op_head = out->head_valid ? cw_rng_below(rng, 3) != 0 : one_of(rng, 16);
    i->op_pass = one_of(rng, 3);
    i->op_pm = one_of(rng, 4);
    if (!one_of(rng, 32))
        i->op_line &= phase == 2 ? 7 : 31;
    if (!one_of(rng, 16))
        i->op_entry &= 3;
    if (i->op_kind == COME && !one_of(rng, 8))
        i->op_line = shown.of_entry[i->op_entry & 255];
    if (i->op_kind <= ATOMIC && i->op_head && out->head_valid && !one_of(rng, 8))
        i->op_line = shown.of_request[out->head_req % 64];
    if (phase == 1 && !one_of(rng, 4))
        i->op_sectors = 255;
    if (phase == 2 && one_of(rng, 2)) { /* lines come and go */
        i->op_kind = WRITE;
        i->op_pass = i->op_head = 0;
    }
    masks(rng, i->op_mask);
    i->mem_space = one_of(rng, phase == 3 ? 2 : 8) ? i->mem_space : one_of(rng, 3) ? 2 : 3;
    i->mem_told = !one_of(rng, 8);
    i->mem_pm = !one_of(rng, 8);
    i->in_valid = !one_of(rng, phase == 3 ? 2 : 16);
    i->op_valid = !one_of(rng, phase == 2 ? 2 : 8);
    remember(i);
}

static const struct cw_lockstep_set sets[SETS] = {{"slice", &slice, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                                  {"whole", &whole, 0}, {"many", &many, 0},       {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_l2_slice_unit, sets, SETS, phases, NULL};

static void test_l2_slice__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_l2_slice__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"an operation of the same set does not wait", "cw_l2_slice", "&& !(tag_q && tag_set == op_line_i[SET_W-1:0])",
         "&& !(tag_q && 1'b0 && tag_set == op_line_i[SET_W-1:0])", ODD},
        {"what a write needs is as what a read needs", "cw_l2_slice_decision", "need    = stays ? NOTHING : sectors_i",
         "need    = sectors_i", ODD},
        {"nobody is behind who waits", "cw_l2_slice_decision", "behind  = hit_i && behind_i", "behind  = hit_i && behind_i && 1'b0", ODD},
        {"an entry that is full takes one more", "cw_l2_slice_decision", "(enters && !room_i)", "(enters && !room_i && 1'b0)", ODD},
        {"what is on its way is asked for again", "cw_l2_slice_decision", "~(fetching_i & {SECTORS{hit_i}})", "~(fetching_i & NOTHING)",
         ODD},
        {"a line is fetched in part", "cw_l2_slice_decision", "WHOLE == 1 && missing != NOTHING ? ALL : missing", "missing", WHOLE},
        {"a line goes back in part", "cw_l2_slice_decision", "(WHOLE == 1 ? ALL : dirty_i)", "dirty_i", WHOLE},
        {"a write that waits goes on", "cw_l2_slice_decision", "enters && through && !behind", "enters && through", ODD},
        {"a line goes that is not written back", "cw_l2_slice_decision", "goes    = request && !hit_i && dirty",
         "goes    = request && !hit_i && dirty && !through", ODD},
        {"memory has a place more", "cw_l2_slice_decision", "places <= space_i",
         "(places <= space_i || (places == 2'd3 && space_i == 2'd2))", ODD},
        {"a write is not told", "cw_l2_slice_decision", "!(goes || forward) || told_i", "!forward || told_i", ODD},
        {"persistent memory takes any read", "cw_l2_slice_decision", "!fetches || pm_ready_i", "!fetches || pm_ready_i || 1'b1", ODD},
        {"a read of persistent memory takes a place", "cw_l2_slice_decision", "fetches && !pm_i}", "fetches}", ODD},
        {"groups are of one sector", "cw_l2_slice_decision", "s / BURST == g / BURST", "s == g || (s / BURST == g / BURST && 1'b0)", ODD},
        {"groups of persistent memory", "cw_l2_slice_decision", "pm_i ? fetch : grouped", "grouped", ODD},
        {"a head without an entry is done", "cw_l2_slice_decision", "? !entry_hit_i || !hit_i", "? (!entry_hit_i && 1'b0) || !hit_i", ODD},
        {"a line in use is dropped", "cw_l2_slice_decision", "hit_i && held_i                   //", "hit_i && held_i && 1'b0 //", ODD},
        {"a write leaves its sector clean", "cw_l2_slice_decision", "writes ? written : changes", "writes ? NOTHING : changes", ODD},
        {"persistent memory's sectors are dirty", "cw_l2_slice_decision", "pm_i || !done ? NOTHING", "!done ? NOTHING", ODD},
        {"a sector that is written whole is not valid", "cw_l2_slice_decision", "written & full_now", "written & NOTHING & full_now", ODD},
        {"a write that goes on writes what is not valid", "cw_l2_slice_decision", "through ? sectors_i & here : sectors_i", "sectors_i",
         ODD},
        {"what comes is newer than what was written", "cw_l2_slice_decision",
         "comes ? ~has_i :", "comes ? ~has_i | {32*SECTORS{1'b1}} :", ODD},
        {"a line that comes has the old one's bytes", "cw_l2_slice_decision", "has_i[32*s +: 32] & {32{hit_i}}", "has_i[32*s +: 32]", ODD},
        {"who is performed uses no line", "cw_l2_slice_decision", "line_use_o   = done || loads", "line_use_o   = loads", ODD},
        {"a line is free while memory is asked", "cw_l2_slice_decision", "line_hold_o  = enters ||", "line_hold_o  = (enters && passes) ||",
         ODD},
        {"the host uses no line", "cw_l2_slice_decision", "line_use_o   = done || loads", "line_use_o   = done", ODD},
        {"a line of the host lacks its bytes", "cw_l2_slice_decision", "whole   = comes || (loads && !head_i)", "whole   = comes", ODD},
        {"whoever looks writes", "cw_l2_slice_decision", "move_writes_o  = !(reads || looks)", "move_writes_o  = !reads", ODD},
        {"nobody looks", "cw_l2_slice_decision", "(loads || looks) && hit_i", "loads && hit_i", ODD},
        {"bytes move at any time", "cw_l2_slice_decision", "needs_turn && !bytes_ready_i", "needs_turn && !bytes_ready_i && 1'b0", ODD},
        {"sectors are numbered from the other end", "cw_l2_slice_bytes", "(s[2:0] & {3{turn[s]}})",
         "((SECTORS[2:0] - 3'd1 - s[2:0]) & {3{turn[s]}})", ODD},
        {"what goes back moves last", "cw_l2_slice_bytes", "of       = back ? back_q : left_q",
         "of       = back && left_q == NOTHING ? back_q : left_q", ODD},
        {"an atomic is not read", "cw_l2_slice_bytes", "(work && reads_q && !seen_q)", "(work && reads_q && !seen_q && !writes_q)", ODD},
        {"a write takes all bytes", "cw_l2_slice_bytes", ".wr_parts_i(parts)", ".wr_parts_i(parts | 32'd1)", ODD},
        {"a reset leaves bytes moving", "cw_l2_slice_bytes", "left_q <= NOTHING;", "left_q <= left_q;", ODD},
        {"masks are written into all ways", "cw_l2_slice_masks", "wr_en_i && way_i == NUMBER", "wr_en_i && (way_i == NUMBER || 1'b1)", ODD},
        {"idle comes while bytes move", "cw_l2_slice", "tags_idle && bytes_idle", "tags_idle && (bytes_idle || 1'b1)", SLICE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void wait_idle(struct dut *d)
{
    dut_eval(d);
    while (!d->out.idle)
        dut_cycle(d), dut_eval(d);
}

/* Takes an operation, and leaves the cycle of its answer open, in which memory takes what it is asked. */
static uint32_t ask(struct dut *d, in_t in)
{
    wait_idle(d);
    in.op_valid = 1;
    d->in = in;
    dut_cycle(d);
    assert_int_equal(d->out.op_ready, 1);
    for (uint32_t t = 0; t < 2; t++) {
        dut_cycle(d);
        assert_int_equal(d->out.ans_valid, 0);
    }
    d->in = (in_t){.mem_space = in.mem_space, .mem_told = in.mem_told, .mem_pm = in.mem_pm, .act_req = in.act_req};
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
    return (uint32_t)d->out.ans_result;
}

static in_t request(enum kind kind, uint32_t line, uint32_t sectors)
{
    in_t in = {.op_kind = kind, .op_line = line, .op_sectors = sectors, .mem_space = 3, .mem_told = 1, .mem_pm = 1};
    for (uint32_t s = 0; s < 8; s++)
        in.op_mask[s] = UINT32_MAX;
    return in;
}

#define LINES 16u /* at most */
#define BYTES (8u * 32u)
#define WAITS 64u /* 2^req_w at most */

/* A memory of few lines, and what one who reads and writes it in order expects. */
struct system {
    struct dut dut;
    const params_t *p;
    uint32_t lines;
    uint8_t memory[LINES][BYTES], expected[LINES][BYTES];
    struct fetch {
        bool there;
        uint32_t line, sectors; /* That come. */
    } fetch[256];               /* [entry] */
    struct waiting {
        bool there;
        in_t op;
        uint8_t want[BYTES]; /* Of a read or an atomic: what it must find. */
        uint8_t give[BYTES]; /* What it writes. */
    } waits[WAITS];          /* [number of the request] */
    uint32_t gone;           /* Sectors that went back. */
    uint32_t count[BUSY];    /* [result] */
    uint32_t looked;         /* at lines that are here */
};

static uint32_t grouped(const params_t *p, uint32_t sectors)
{
    uint32_t group = 0;
    for (uint32_t s = 0; s < p->sectors; s++)
        for (uint32_t o = 0; o < p->sectors; o++)
            if (s / p->burst == o / p->burst && sectors >> o & 1)
                group |= 1u << s;
    return group;
}

/* All sectors move, each once: those of that line to memory, w's as they are wanted and given. */
static void move(struct system *s, uint32_t back_line, uint32_t back, const struct waiting *w)
{
    struct dut *d = &s->dut;
    const bool reads = w->there && (w->op.op_kind == READ || w->op.op_kind == ATOMIC), gives = w->there && w->op.op_kind != READ;
    uint32_t read = 0;
    dut_tick(d);
    for (dut_eval(d); !d->out.idle; dut_eval(d)) {
        if (d->out.out_valid && d->out.out_back) {
            const uint32_t sector = (uint32_t)d->out.out_sector;
            assert_int_equal(back & ((2u << sector) - 1), 1u << sector); /* lowest first */
            back &= ~(1u << sector);
            s->gone++;
            for (uint32_t b = 0; b < 32; b++)
                if (d->out.out_mask >> b & 1)
                    s->memory[back_line][sector * 32 + b] = (uint8_t)(d->out.out_data[b / 4] >> b % 4 * 8);
        } else if (d->out.out_valid) {
            assert_int_equal(back, 0);
            assert_int_equal(d->out.out_mask, UINT32_MAX);
            read |= 1u << d->out.out_sector;
            for (uint32_t b = 0; b < 32; b++)
                assert_int_equal(w->want[d->out.out_sector * 32 + b], (uint8_t)(d->out.out_data[b / 4] >> b % 4 * 8));
        }
        if (d->out.in_ready) {
            assert_true(gives);
            d->in.in_valid = 1;
            for (uint32_t b = 0; b < 32; b++)
                d->in.in_data[b / 4] |= (uint32_t)w->give[d->out.in_sector * 32 + b] << b % 4 * 8;
        }
        dut_tick(d);
    }
    assert_int_equal(back, 0);
    assert_int_equal(read, reads ? w->op.op_sectors : 0);
}

static uint32_t free_number(const struct system *s)
{
    uint32_t number = 0;
    while (number < 1u << s->p->req_w && s->waits[number].there)
        number++;
    return number;
}

static void random_bytes(struct cw_rng *rng, uint8_t *to)
{
    for (uint32_t i = 0; i < BYTES; i++)
        to[i] = (uint8_t)cw_rng_below(rng, 256);
}

/* Performs it in order: what it finds, and what it leaves. */
static void expect(struct system *s, const in_t *op, uint8_t *want, const uint8_t *give)
{
    uint8_t *bytes = s->expected[op->op_line];
    memcpy(want, bytes, BYTES);
    for (uint32_t i = 0; i < s->p->sectors * 32; i++)
        if (op->op_kind != READ && op->op_sectors >> i / 32 & 1 && (op->op_kind == ATOMIC || op->op_mask[i / 32] >> i % 32 & 1))
            bytes[i] = give[i];
}

/* Memory has what was written, too: of a write that goes on, or to persistent memory. */
static void forward(struct system *s, const in_t *op, const uint8_t *give)
{
    for (uint32_t i = 0; i < s->p->sectors * 32; i++)
        if (op->op_sectors >> i / 32 & 1 && (op->op_kind == ATOMIC || op->op_mask[i / 32] >> i % 32 & 1))
            s->memory[op->op_line][i] = give[i];
}

/* What it asks of memory, with its entry. */
static void note_fetch(struct system *s, const in_t *op)
{
    const out_t *out = &s->dut.out;
    struct fetch *f = &s->fetch[out->ans_entry];
    if (out->ans_fetch == 0)
        return;
    f->there = true;
    f->line = (uint32_t)op->op_line;
    f->sectors |= op->op_pm ? (uint32_t)out->ans_fetch : grouped(s->p, (uint32_t)out->ans_fetch);
}

static void access(struct system *s, struct cw_rng *rng, in_t op)
{
    const struct waiting nobody = {0};
    struct waiting w = {.there = true, .op = op};
    const uint32_t number = free_number(s);
    op.act_req = number;
    if (number == 1u << s->p->req_w)
        return;
    random_bytes(rng, w.give);
    const uint32_t result = ask(&s->dut, op), back_line = (uint32_t)s->dut.out.ans_line, back = (uint32_t)s->dut.out.ans_back;
    if (result <= MISSED) {
        expect(s, &op, w.want, w.give);
        note_fetch(s, &op);
    }
    if (result == MISSED)
        s->waits[number] = w;
    if (result == PASSED || (result == DONE && op.op_pm && op.op_kind != READ))
        forward(s, &op, w.give);
    s->count[result]++;
    move(s, back_line, back, result <= PASSED ? &w : &nobody);
}

static void perform_head(struct system *s)
{
    wait_idle(&s->dut);
    const uint32_t number = (uint32_t)s->dut.out.head_req;
    assert_in_range(number, 0, WAITS - 1);
    struct waiting w = s->waits[number];
    assert_true(w.there);
    s->waits[number].there = false;
    w.op.op_head = 1;
    assert_int_equal(ask(&s->dut, w.op), DONE);
    if (w.op.op_pm && w.op.op_kind != READ)
        forward(s, &w.op, w.give);
    move(s, 0, 0, &w);
}

/* Memory gives some of what an entry waits for. */
static void come(struct system *s, struct cw_rng *rng)
{
    const uint32_t entry = cw_rng_below(rng, s->p->entries);
    struct fetch *f = &s->fetch[entry];
    const uint32_t some = f->sectors & (one_of(rng, 2) ? cw_rng_below(rng, 256) : 255u);
    if (!f->there || some == 0)
        return;
    struct waiting w = {.there = true, .op = request(COME, f->line, some)};
    w.op.op_entry = entry;
    memcpy(w.give, s->memory[f->line], BYTES);
    f->sectors &= ~some;
    f->there = f->sectors != 0;
    assert_int_equal(ask(&s->dut, w.op), DONE);
    move(s, 0, 0, &w);
}

static void clean(struct system *s, uint32_t line)
{
    const struct waiting nobody = {0};
    assert_int_equal(ask(&s->dut, request(CLEAN, line, 0)), DONE);
    assert_true(s->dut.out.ans_back == 0 || s->dut.out.ans_line == line);
    move(s, line, (uint32_t)s->dut.out.ans_back, &nobody);
}

/* Who drops a line has what memory has of it. */
static void drop(struct system *s, uint32_t line)
{
    const struct waiting nobody = {0};
    const uint32_t result = ask(&s->dut, request(DROP, line, 0));
    if (result == DONE)
        memcpy(s->expected[line], s->memory[line], BYTES);
    else
        assert_int_equal(result, NO_ROOM);
    move(s, 0, 0, &nobody);
}

/* Whoever looks at a line finds its bytes as far as the slice has them, and changes nothing. */
static void look_at(struct system *s, uint32_t line)
{
    struct dut *d = &s->dut;
    uint32_t read = 0;
    assert_int_equal(ask(d, request(LOOK, line, 255)), DONE);
    dut_tick(d);
    for (dut_eval(d); !d->out.idle; dut_eval(d)) {
        assert_int_equal(d->out.out_back | d->out.in_ready, 0);
        for (uint32_t b = 0; d->out.out_valid && b < 32; b++)
            if (d->out.out_mask >> b & 1)
                assert_int_equal(s->expected[line][d->out.out_sector * 32 + b], (uint8_t)(d->out.out_data[b / 4] >> b % 4 * 8));
        if (d->out.out_valid)
            read |= 1u << d->out.out_sector;
        dut_tick(d);
    }
    assert_true(read == 0 || read == (1u << s->p->sectors) - 1);
    s->looked += read != 0;
}

static bool line_waits(const struct system *s, uint32_t line)
{
    for (uint32_t i = 0; i < WAITS; i++)
        if (s->waits[i].there && s->waits[i].op.op_line == line)
            return true;
    return false;
}

static bool is_pm(uint32_t line)
{
    return line % 4 == 3;
}

/* Of a line all writes that do not find their sectors go on, or none. */
static bool goes_on(uint32_t line)
{
    return line % 4 == 2 || line % 8 == 7;
}

static void step(struct system *s, struct cw_rng *rng)
{
    const uint32_t line = cw_rng_below(rng, s->lines), what = cw_rng_below(rng, 16);
    dut_eval(&s->dut);
    if (s->dut.out.head_valid && !one_of(rng, 3)) {
        perform_head(s);
    } else if (what < 10) {
        in_t op = request(cw_rng_below(rng, 3), line, 1 + cw_rng_below(rng, (1u << s->p->sectors) - 1));
        masks(rng, op.op_mask);
        for (uint32_t i = 0; i < s->p->sectors; i++)
            if (op.op_kind == WRITE && op.op_mask[i] == 0)
                op.op_mask[i] = 1;
        op.op_pass = goes_on(line);
        op.op_pm = is_pm(line);
        access(s, rng, op);
    } else if (what < 14) {
        come(s, rng);
    } else if (what == 14) {
        clean(s, line);
    } else if (!one_of(rng, 4)) {
        if (!line_waits(s, line)) /* else it lacks what is expected */
            look_at(s, line);
    } else {
        drop(s, line);
    }
}

/* Each byte that is read is the one written last, whatever was fetched, merged, written back, cleaned or dropped in between; and in the end
 * memory has all. */
static void test_l2_slice__bytes_are_those_of_a_memory(void **state)
{
    static const params_t *const shapes[] = {&odd, &whole, &many, &minimal};
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct system *s = calloc(1, sizeof *s);
        struct cw_rng rng;
        cw_rng_seed(&rng, 5 + i);
        s->p = shapes[i / 2];
        s->lines = s->p->set_w + s->p->tag_w < 4 ? 1u << (s->p->set_w + s->p->tag_w) : LINES;
        dut_open(&s->dut, s->p, backends[i % 2]);
        for (uint32_t line = 0; line < s->lines; line++) {
            random_bytes(&rng, s->memory[line]);
            memcpy(s->expected[line], s->memory[line], BYTES);
        }
        for (uint32_t n = 0; n < 12000; n++)
            step(s, &rng);
        for (dut_eval(&s->dut); !s->dut.out.empty; wait_idle(&s->dut))
            s->dut.out.head_valid ? perform_head(s) : come(s, &rng);
        for (uint32_t line = 0; line < s->lines; line++)
            clean(s, line);
        for (uint32_t line = 0; line < s->lines; line++)
            assert_memory_equal(s->memory[line], s->expected[line], s->p->sectors * 32);
        for (uint32_t r = DONE; r <= NO_ROOM; r++)
            assert_in_range(s->count[r], r == PASSED ? 10 : 100, 12000);
        assert_in_range(s->gone, 100, 100000);
        assert_in_range(s->looked, 50, 12000);
        dut_close(&s->dut);
        free(s);
    }
}

/* All turns of the answer; what is wanted gets that byte everywhere. Returns how many sectors came out, and how many of them went back. */
static uint32_t turns(struct dut *d, uint32_t byte, uint32_t *back)
{
    uint32_t out = 0;
    *back = 0;
    dut_tick(d);
    for (dut_eval(d); !d->out.idle; dut_eval(d)) {
        out += (uint32_t)d->out.out_valid;
        *back += (uint32_t)d->out.out_back;
        d->in.in_valid = 1;
        for (uint32_t w = 0; w < 8; w++)
            d->in.in_data[w] = byte * 0x01010101u;
        dut_tick(d);
    }
    return out;
}

/* The operation is done, and everything that moves by it has moved. */
static void does(struct dut *d, in_t op)
{
    uint32_t back;
    assert_int_equal(ask(d, op), DONE);
    turns(d, 0x33, &back);
}

static in_t comes(uint32_t line, uint32_t entry, uint32_t sectors)
{
    in_t in = request(COME, line, sectors);
    in.op_entry = entry;
    return in;
}

static in_t head_of(in_t op)
{
    op.op_head = 1;
    return op;
}

static void test_l2_slice__operations_follow_each_other(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t answers = 0;
        dut_open(&d, &slice, backends[b]);
        for (uint32_t line = 0; line < 8; line++)
            does(&d, request(WRITE, line, 1)); /* valid, with all bytes */
        wait_idle(&d);
        for (uint32_t t = 0; t < 12; t++) { /* a read in each cycle, of another set, is answered in each cycle */
            d.in = request(READ, t % 8, 1);
            d.in.op_valid = t < 8;
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, 1);
            assert_int_equal(d.out.ans_valid, t >= 3 && t < 11);
            answers += d.out.ans_valid && d.out.ans_result == DONE;
            assert_int_equal(d.out.out_valid, t >= 5); /* each moves its sector in the cycle behind its answer */
        }
        assert_int_equal(answers, 8);
        wait_idle(&d);
        for (uint32_t t = 0; t < 4; t++) { /* of one set every other one waits */
            d.in = request(READ, t % 2 * 128, 1);
            d.in.op_valid = 1;
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, t % 2 == 0);
        }
        dut_close(&d);
    }
}

/* Three sectors move in three turns; who has bytes to move in their time is told, and may come again. */
static void test_l2_slice__bytes_that_move_make_others_wait(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t result[4];
        dut_open(&d, &slice, backends[b]);
        does(&d, request(WRITE, 0, 7));
        does(&d, request(WRITE, 1, 1));
        wait_idle(&d);
        for (uint32_t t = 0; t < 7; t++) {
            const uint32_t line[4] = {0, 1, 2, 1}, kind[4] = {READ, READ, CLEAN, READ};
            d.in = request(kind[t % 4], line[t % 4], t == 0 ? 7 : 1);
            d.in.op_valid = t < 4;
            dut_cycle(&d);
            if (t >= 3)
                result[t - 3] = (uint32_t)d.out.ans_result;
        }
        assert_int_equal(result[0], DONE);
        assert_int_equal(result[1], BUSY); /* the second of three turns is to come */
        assert_int_equal(result[2], DONE); /* a line that is not here moves nothing */
        assert_int_equal(result[3], DONE); /* the last turn is now */
        wait_idle(&d);
        does(&d, request(READ, 1, 1));
        dut_close(&d);
    }
}

/* Of a line that is not here: what is asked of memory, by groups and whole lines, for ordinary and persistent memory. */
static void test_l2_slice__memory_is_asked_for_what_is_missing(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t back;
        in_t op = request(READ, 5, 1);
        dut_open(&d, &odd, backends[b]); /* groups of two of three sectors */
        assert_int_equal(ask(&d, op), MISSED);
        assert_int_equal(d.out.ans_fetch, 1);
        assert_int_equal(d.out.ans_entry, 0);
        turns(&d, 0, &back);
        op.op_sectors = 7;
        op.act_req = 1;
        assert_int_equal(ask(&d, op), MISSED); /* 0 and 1 are on their way */
        assert_int_equal(d.out.ans_fetch, 4);
        turns(&d, 0, &back);
        op = request(READ, 7, 1);
        op.op_pm = 1;
        op.act_req = 2;
        assert_int_equal(ask(&d, op), MISSED);
        assert_int_equal(d.out.ans_entry, 1);
        turns(&d, 0, &back);
        op.op_sectors = 2;
        assert_int_equal(ask(&d, op), MISSED); /* persistent memory sends no groups */
        assert_int_equal(d.out.ans_fetch, 2);
        turns(&d, 0, &back);
        does(&d, comes(5, 0, 3));
        dut_eval(&d);
        assert_int_equal(d.out.head_valid, 1);
        assert_int_equal(d.out.head_req, 0);
        does(&d, head_of(request(READ, 5, 1)));
        dut_eval(&d);
        assert_int_equal(d.out.head_valid, 0);              /* the next one needs sector 2 */
        assert_int_equal(ask(&d, comes(5, 2, 4)), NO_ROOM); /* no entry has that number */
        turns(&d, 0, &back);
        does(&d, comes(5, 0, 4));
        does(&d, head_of(request(READ, 5, 7)));
        assert_int_equal(ask(&d, request(READ, 5, 7)), DONE);
        assert_int_equal(turns(&d, 0, &back), 3);
        dut_close(&d);
        dut_open(&d, &whole, backends[b]);
        assert_int_equal(ask(&d, request(READ, 5, 2)), MISSED);
        assert_int_equal(d.out.ans_fetch, 15);
        dut_close(&d);
    }
}

static uint32_t result_with(struct dut *d, in_t op, uint32_t space, bool told, bool pm)
{
    uint32_t back;
    op.mem_space = space;
    op.mem_told = told;
    op.mem_pm = pm;
    const uint32_t result = ask(d, op);
    turns(d, 0, &back);
    return result;
}

/* A miss of a write that goes on, where a dirty line has to go: three places; one less, and nothing has changed. */
static void test_l2_slice__memory_without_room_changes_nothing(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t back;
        in_t op = request(WRITE, 1, 1);
        dut_open(&d, &minimal, backends[b]);
        does(&d, request(WRITE, 3, 1));
        op.op_pass = 1;
        assert_int_equal(result_with(&d, op, 2, true, true), NO_MEMORY);
        assert_int_equal(result_with(&d, op, 3, false, true), NO_MEMORY);
        op.op_pm = 1;
        assert_int_equal(result_with(&d, op, 0, true, true), NO_MEMORY); /* the dirty line needs a place */
        assert_int_equal(result_with(&d, op, 3, true, false), NO_MEMORY);
        assert_int_equal(result_with(&d, request(CLEAN, 3, 0), 0, true, true), NO_MEMORY);
        assert_int_equal(ask(&d, request(READ, 3, 1)), DONE); /* still here */
        turns(&d, 0, &back);
        op.mem_space = 1; /* persistent memory's read needs no place, its write none, and nobody is told */
        op.mem_told = 0;
        assert_int_equal(ask(&d, op), DONE);
        assert_int_equal(d.out.ans_fetch, 1);
        assert_int_equal(d.out.ans_back, 1);
        assert_int_equal(d.out.ans_line, 3);
        assert_int_equal(turns(&d, 0, &back), 1);
        assert_int_equal(back, 1);
        assert_int_equal(result_with(&d, request(READ, 0, 1), 3, true, true), NO_ROOM);  /* the one entry is in use */
        assert_int_equal(result_with(&d, request(WRITE, 3, 1), 3, true, true), NO_ROOM); /* the one line of the set is fetched */
        assert_int_equal(result_with(&d, request(DROP, 1, 0), 3, true, true), NO_ROOM);
        does(&d, comes(1, 0, 1));
        does(&d, request(DROP, 1, 0));
        assert_int_equal(ask(&d, request(CLEAN, 1, 0)), DONE); /* not here */
        assert_int_equal(d.out.ans_back, 0);
        dut_close(&d);
    }
}

/* A line's bytes in parts: valid by the last of them; clean after CLEAN; persistent memory's are never dirty; what comes leaves them. */
static void test_l2_slice__parts_of_a_sector_add_up(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t back;
        in_t op = request(WRITE, 6, 2);
        dut_open(&d, &slice, backends[b]);
        op.op_mask[1] = 0x0000ffff;
        does(&d, op);
        assert_int_equal(ask(&d, request(LOOK, 6, 6)), DONE);
        dut_cycle(&d);
        dut_cycle(&d);
        dut_eval(&d); /* sector 1, of which half is here */
        assert_int_equal(d.out.out_mask, 0x0000ffff);
        assert_int_equal(d.out.out_data[3], 0x33333333);
        assert_int_equal(d.out.out_data[4], 0);
        assert_int_equal(ask(&d, request(LOOK, 5, 15)), DONE); /* is not here */
        assert_int_equal(turns(&d, 0, &back), 0);
        assert_int_equal(ask(&d, request(CLEAN, 6, 0)), DONE);
        assert_int_equal(d.out.ans_back, 2);
        assert_int_equal(turns(&d, 0, &back), 1);
        assert_int_equal(back, 1);
        assert_int_equal(ask(&d, request(CLEAN, 6, 0)), DONE); /* is clean */
        assert_int_equal(d.out.ans_back, 0);
        turns(&d, 0, &back);
        op.op_mask[1] = 0xffff0000;
        op.op_pm = 1;
        does(&d, op);
        assert_int_equal(ask(&d, request(READ, 6, 2)), DONE); /* both halves */
        turns(&d, 0, &back);
        assert_int_equal(ask(&d, request(CLEAN, 6, 0)), DONE);
        assert_int_equal(d.out.ans_back, 0);
        turns(&d, 0, &back);
        assert_int_equal(ask(&d, request(ATOMIC, 6, 2)), DONE);
        assert_int_equal(turns(&d, 0x77, &back), 1);
        assert_int_equal(ask(&d, request(CLEAN, 6, 0)), DONE);
        assert_int_equal(d.out.ans_back, 2);
        dut_close(&d);
    }
}

/* The host's line is valid, the one used last, and not dirty; with op_head only its bytes are new. Kind 7 does nothing. */
static void test_l2_slice__the_host_brings_lines(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t back;
        dut_open(&d, &odd, backends[b]); /* three ways of two sets */
        for (uint32_t line = 0; line < 6; line += 2)
            does(&d, request(LOAD, line, 7));
        does(&d, request(LOAD, 0, 7));
        does(&d, head_of(request(LOAD, 2, 7))); /* is no use */
        does(&d, request(LOOK, 2, 7));
        does(&d, request(WRITE, 8, 1)); /* line 2 goes, without a word to memory */
        assert_int_equal(ask(&d, request(CLEAN, 2, 0)), DONE);
        assert_int_equal(d.out.ans_way, 0);
        turns(&d, 0, &back);
        assert_int_equal(ask(&d, request(READ, 0, 7)), DONE);
        assert_int_equal(d.out.ans_way, 0);
        assert_int_equal(turns(&d, 0, &back), 3);
        assert_int_equal(ask(&d, request(READ, 4, 7)), DONE);
        assert_int_equal(d.out.ans_way, 2);
        turns(&d, 0, &back);
        assert_int_equal(ask(&d, request(READ, 2, 1)), MISSED);
        dut_close(&d);
    }
}

static void test_l2_slice__a_reset_sweeps(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &whole, backends[b]);
        for (uint32_t line = 0; line < 4; line++)
            does(&d, request(WRITE, line, 15));
        d.inst.ops->reset(d.inst.self);
        for (uint32_t t = 0; t < 10; t++) {
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, t >= 5);
            assert_int_equal(d.out.idle, t >= 5);
            assert_int_equal(d.out.empty, 1);
        }
        for (uint32_t line = 0; line < 4; line++) {
            uint32_t back;
            assert_int_equal(ask(&d, request(CLEAN, line, 0)), DONE);
            assert_int_equal(d.out.ans_back, 0);
            turns(&d, 0, &back);
        }
        assert_int_equal(ask(&d, request(READ, 1, 1)), MISSED);
        dut_cycle(&d);
        wait_idle(&d);
        assert_int_equal(d.out.empty, 0);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_l2_slice__fills),
    cmocka_unit_test(test_l2_slice__c_equals_rtl),
    cmocka_unit_test(test_l2_slice__broken_copies_are_caught),
    cmocka_unit_test(test_l2_slice__bytes_are_those_of_a_memory),
    cmocka_unit_test(test_l2_slice__operations_follow_each_other),
    cmocka_unit_test(test_l2_slice__bytes_that_move_make_others_wait),
    cmocka_unit_test(test_l2_slice__memory_is_asked_for_what_is_missing),
    cmocka_unit_test(test_l2_slice__memory_without_room_changes_nothing),
    cmocka_unit_test(test_l2_slice__parts_of_a_sector_add_up),
    cmocka_unit_test(test_l2_slice__the_host_brings_lines),
    cmocka_unit_test(test_l2_slice__a_reset_sweeps),
};
CW_TEST_MAIN(tests)
