/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run stops: the stops that the face has set, and the pace at which it goes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/debug_private.h"

/* ---- reading a stop ---- */

static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 0);
    return end != text && *end == '\0';
}

/* "access r|w|rw SPACE ADDRESS BYTES" */
static const char *read_access(struct cw_debug_stop *s, char **word, uint32_t cnt)
{
    if (cnt < 5)
        return "access takes r, w or rw, a space, an address and a number of bytes";
    s->reads = strchr(word[1], 'r') != NULL;
    s->writes = strchr(word[1], 'w') != NULL;
    s->space = cw_debug__space(word[2]);
    if (s->space == UINT32_MAX || (!s->reads && !s->writes))
        return "access: unknown space or direction";
    return read_number(word[3], &s->address) && read_number(word[4], &s->bytes) && s->bytes > 0 ? NULL : "access: no address or size";
}

static const struct {
    const char *name;
    uint32_t kind;
    uint32_t words; /* that it takes */
    bool number;    /* the last of them is one; the others are a name */
} kinds[] = {
    {"ptx", CW_DEBUG_ON_LINE, 1, true},           {"source", CW_DEBUG_ON_LINE, 2, true},      {"pc", CW_DEBUG_ON_PC, 1, true},
    {"kernel", CW_DEBUG_ON_KERNEL, 1, false},     {"cycle", CW_DEBUG_ON_CYCLE, 1, true},      {"barrier", CW_DEBUG_ON_BARRIER, 0, false},
    {"abort", CW_DEBUG_ON_ABORT, 1, false},       {"commit", CW_DEBUG_ON_COMMIT, 0, false},   {"begin", CW_DEBUG_ON_BEGIN, 0, false},
    {"persist", CW_DEBUG_ON_PERSIST, 0, false},   {"diverge", CW_DEBUG_ON_DIVERGE, 0, false}, {"block", CW_DEBUG_ON_BLOCK, 0, false},
    {"converge", CW_DEBUG_ON_CONVERGE, 0, false}, {"port", CW_DEBUG_ON_PORT, 2, true},        {"finding", CW_DEBUG_ON_FINDING, 0, false},
    {"oracle", CW_DEBUG_ON_ORACLE, 0, false},
};

static const char *read_plain(struct cw_debug_stop *s, char **word, uint32_t cnt)
{
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(word[0], kinds[i].name) != 0)
            continue;
        if (cnt <= kinds[i].words)
            return "that kind of stop needs more words";
        s->kind = kinds[i].kind;
        if (kinds[i].words > 0 && (!kinds[i].number || kinds[i].words > 1) && strcmp(word[1], "-") != 0)
            snprintf(s->name, sizeof s->name, "%s", word[1]);
        return !kinds[i].number || read_number(word[kinds[i].words], &s->number) ? NULL : "that kind of stop needs a number";
    }
    return "unknown kind of stop";
}

/* "core N", "warp N", "if CONDITION" behind it. */
static const char *read_further(struct cw_debug_stop *s, char **word, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++) {
        uint64_t number = 0;
        if (strcmp(word[i], "if") == 0) {
            for (i++; i < cnt; i++) {
                const size_t used = strlen(s->condition);
                snprintf(s->condition + used, sizeof s->condition - used, "%s%s", used > 0 ? " " : "", word[i]);
            }
            return s->condition[0] != '\0' ? NULL : "nothing stands behind 'if'";
        }
        if (strcmp(word[i], "core") == 0 && i + 1 < cnt && read_number(word[i + 1], &number))
            s->core = (int64_t)number;
        else if (strcmp(word[i], "warp") == 0 && i + 1 < cnt && read_number(word[i + 1], &number))
            s->warp = (int64_t)number;
        if ((strcmp(word[i], "core") == 0 || strcmp(word[i], "warp") == 0) && i + 1 < cnt)
            i++;
    }
    return NULL;
}

const char *cw_debug__add_stop(struct cw_debug *d, char **word, uint32_t cnt)
{
    struct cw_debug_stop s = {.core = -1, .warp = -1};
    uint64_t id = 0;
    if (cnt < 2 || !read_number(word[0], &id) || id == 0 || id > UINT32_MAX)
        return "stop takes a number and a kind";
    s.id = (uint32_t)id;
    const bool access = strcmp(word[1], "access") == 0;
    if (access)
        s.kind = CW_DEBUG_ON_ACCESS;
    const char *wrong = access ? read_access(&s, word + 1, cnt - 1) : read_plain(&s, word + 1, cnt - 1);
    if (wrong == NULL)
        wrong = read_further(&s, word + 2, cnt - 2);
    struct cw_debug_port port;
    if (wrong == NULL && s.kind == CW_DEBUG_ON_PORT && !cw_debug__port(d, s.name, &port))
        wrong = "no unit has a port of that name; 'ports' lists the units, and 'ports UNIT' its ports";
    for (uint32_t i = 0; wrong == NULL && i < CW_DEBUG_STOPS; i++)
        if (d->order.stop[i].id == 0) {
            d->order.stop[i] = s;
            d->order.stop_cnt = d->order.stop_cnt > i ? d->order.stop_cnt : i + 1;
            cw_debug__mark_stops(d);
            return NULL;
        }
    return wrong != NULL ? wrong : "there are as many stops as there may be";
}

bool cw_debug__delete_stop(struct cw_debug *d, uint32_t id)
{
    for (uint32_t i = 0; i < CW_DEBUG_STOPS; i++)
        if (d->order.stop[i].id == id) {
            d->order.stop[i] = (struct cw_debug_stop){0};
            cw_debug__mark_stops(d);
            return true;
        }
    return false;
}

/* ---- lines ---- */

/* The file's name is `name`, or ends with it behind a slash. */
static bool is_file(const char *path, const char *name)
{
    const size_t whole = strlen(path), length = strlen(name);
    return whole >= length && strcmp(path + whole - length, name) == 0 && (whole == length || path[whole - length - 1] == '/');
}

static bool is_line(const struct cw_debug_code *c, const struct cw_debug_stop *s, uint32_t pc)
{
    const struct cw_uop *u = &c->launch.kernel->uop[pc];
    uint32_t line = 0;
    if (s->name[0] == '\0')
        return u->line == s->number;
    const char *file = cw_module_source(c->launch.module, u->line, &line);
    return file != NULL && line == s->number && is_file(file, s->name);
}

/* A line begins where a way into it may lead: behind another line, and where branches go. */
static void mark_lines_of(struct cw_debug *d, struct cw_debug_code *c)
{
    const struct cw_kernel *k = c->launch.kernel;
    if (k == NULL || c->marked == NULL)
        return;
    memset(c->marked, 0, k->uop_cnt);
    for (uint32_t i = 0; i < CW_DEBUG_STOPS; i++) {
        const struct cw_debug_stop *s = &d->order.stop[i];
        for (uint32_t pc = 0; s->id != 0 && s->kind == CW_DEBUG_ON_LINE && pc < k->uop_cnt; pc++)
            c->marked[pc] |= is_line(c, s, pc) && (pc == 0 || !is_line(c, s, pc - 1));
        if (s->id != 0 && s->kind == CW_DEBUG_ON_PC && s->number < k->uop_cnt)
            c->marked[s->number] = 1;
    }
}

static uint64_t moments_of(uint32_t kind)
{
    static const uint64_t of[] = {
        [CW_DEBUG_ON_LINE] = UINT64_C(1) << CW_EVENT_BEFORE,
        [CW_DEBUG_ON_PC] = UINT64_C(1) << CW_EVENT_BEFORE,
        [CW_DEBUG_ON_KERNEL] = UINT64_C(1) << CW_EVENT_BEFORE,
        [CW_DEBUG_ON_CONVERGE] = UINT64_C(1) << CW_EVENT_BEFORE,
        [CW_DEBUG_ON_CYCLE] = UINT64_C(1) << CW_DEBUG_STEP,
        [CW_DEBUG_ON_ACCESS] = UINT64_C(1) << CW_EVENT_LANES,
        [CW_DEBUG_ON_BARRIER] = UINT64_C(1) << CW_EVENT_SYNC,
        [CW_DEBUG_ON_ABORT] = UINT64_C(1) << CW_EVENT_REGION_ABORT,
        [CW_DEBUG_ON_COMMIT] = UINT64_C(1) << CW_EVENT_REGION_COMMIT,
        [CW_DEBUG_ON_BEGIN] = UINT64_C(1) << CW_EVENT_REGION_BEGIN,
        [CW_DEBUG_ON_PERSIST] = UINT64_C(1) << CW_EVENT_PERSIST,
        [CW_DEBUG_ON_DIVERGE] = UINT64_C(1) << CW_EVENT_BRANCHED,
        [CW_DEBUG_ON_BLOCK] = UINT64_C(1) << CW_EVENT_BLOCK_BEGIN,
        [CW_DEBUG_ON_PORT] = UINT64_C(1) << CW_DEBUG_STEP,
        [CW_DEBUG_ON_FINDING] = UINT64_C(1) << CW_DEBUG_STEP,
        [CW_DEBUG_ON_ORACLE] = UINT64_C(1) << CW_DEBUG_STEP | UINT64_C(1) << CW_EVENT_REGION_COMMIT,
    };
    return of[kind];
}

void cw_debug__mark_stops(struct cw_debug *d)
{
    memset(d->tape, 0, sizeof d->tape);
    d->asked = 0;
    d->asks_all = false;
    for (uint32_t i = 0; i < CW_DEBUG_STOPS; i++)
        if (d->order.stop[i].id != 0) {
            d->asked |= moments_of(d->order.stop[i].kind);
            d->asks_all |= d->order.stop[i].kind == CW_DEBUG_ON_CONVERGE;
        }
    for (uint32_t i = 0; i < d->code_cnt; i++)
        mark_lines_of(d, &d->codes[i]);
}

bool cw_debug__concerns(const struct cw_debug *d, uint32_t moment, uint32_t pc)
{
    const struct cw_debug_order *o = &d->order;
    if (o->goes_to || o->seeks || o->pace != CW_DEBUG_FREE)
        return true;
    if (!o->stops || (d->asked >> moment & 1) == 0)
        return false;
    return moment != CW_EVENT_BEFORE || d->asks_all || !d->code->begun || d->code->marked[pc] != 0;
}

/* ---- whether it stops ---- */

static bool condition_holds(struct cw_debug *d, const struct cw_debug_stop *s, cw_lanes lanes, struct cw_debug_hit *hit)
{
    struct cw_debug_value v;
    struct cw_debug_tape *const tape = d->is_before ? &d->tape[s - d->order.stop] : NULL;
    const char *wrong = NULL;
    if (s->condition[0] == '\0')
        return true;
    d->has_values = false;
    for (cw_lanes left = hit->has_focus ? lanes : 1; left != 0; left = cw_lanes_rest(left)) {
        if (hit->has_focus)
            hit->focus.lane = cw_lanes_first(left);
        wrong = cw_debug__ask(d, s->condition, tape, &hit->focus, &v);
        if (wrong != NULL) /* a condition that means nothing here is told, rather than passed over */
            break;
        if (v.is_float ? v.number != 0 : v.bits != 0)
            return true;
    }
    if (wrong != NULL)
        snprintf(hit->why, sizeof hit->why, "stop %" PRIu32 ": its condition cannot be worked out: %.120s", s->id, wrong);
    return wrong != NULL;
}

/* An instruction is about to be executed. */
static bool hits_before(const struct cw_debug *d, const struct cw_debug_stop *s, const struct cw_event *e, struct cw_debug_hit *hit)
{
    const struct cw_debug_code *c = d->code;
    const uint32_t pc = (uint32_t)(e->u.access.uop - c->launch.kernel->uop);
    if (s->kind == CW_DEBUG_ON_KERNEL) {
        snprintf(hit->why, sizeof hit->why, "kernel %.100s begins", c->launch.kernel->name);
        return !c->begun && (s->name[0] == '\0' || strcmp(s->name, c->launch.kernel->name) == 0);
    }
    if (s->kind == CW_DEBUG_ON_PC) {
        snprintf(hit->why, sizeof hit->why, "instruction %" PRIu32, pc);
        return s->number == pc;
    }
    if (s->kind == CW_DEBUG_ON_CONVERGE) {
        const cw_lanes ran = d->warp[e->core * d->slots + e->warp].ran, run = cw_debug__active(d, e->core, e->warp);
        snprintf(hit->why, sizeof hit->why, "lanes come together");
        return ran != 0 && ran != run && (ran & ~run) == 0;
    }
    if (s->kind != CW_DEBUG_ON_LINE || c->marked == NULL || !c->marked[pc] || !is_line(c, s, pc))
        return false;
    if (s->name[0] != '\0')
        snprintf(hit->why, sizeof hit->why, "%.100s:%" PRIu64, s->name, s->number);
    else
        snprintf(hit->why, sizeof hit->why, "PTX line %" PRIu64, s->number);
    return true;
}

static bool hits_access(const struct cw_debug_stop *s, const struct cw_event *e, struct cw_debug_hit *hit)
{
    const bool loads = e->u.lanes.uop->op == CW_OP_LD, stores = e->u.lanes.uop->op == CW_OP_ST, atomic = !loads && !stores;
    if (s->kind != CW_DEBUG_ON_ACCESS || e->u.lanes.space != s->space || !((s->reads && !stores) || (s->writes && !loads)))
        return false;
    const uint64_t bytes = (uint64_t)e->u.lanes.elem_bytes * e->u.lanes.vec;
    for (uint32_t left = e->u.lanes.lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t at = e->u.lanes.addr[lane];
        if (at >= s->address + s->bytes || at + bytes <= s->address)
            continue;
        hit->focus.lane = lane + CW_LANES * e->u.lanes.half;
        const uint64_t skip = s->address > at ? (s->address - at) / e->u.lanes.elem_bytes : 0;
        if (stores)
            snprintf(hit->why, sizeof hit->why, "lane %" PRIu32 " stores 0x%" PRIx64 " to %s 0x%" PRIx64, hit->focus.lane,
                     e->u.lanes.value[skip][lane], s->space == CW_SPACE_SHARED ? "shared" : "address", at + skip * e->u.lanes.elem_bytes);
        else
            snprintf(hit->why, sizeof hit->why, "lane %" PRIu32 " %s %s 0x%" PRIx64, hit->focus.lane,
                     atomic ? "has an atomic at" : "loads from", s->space == CW_SPACE_SHARED ? "shared" : "address", at);
        return true;
    }
    return false;
}

/* The commit with which what the oracle has found was sealed: it is known behind the launch, and one goes back to it. */
static bool hits_verdict(const struct cw_debug *d, const struct cw_event *e, struct cw_debug_hit *hit)
{
    const struct cw_serial_culprit *last = &d->order.verdict.last;
    if (last->at == 0 || e->now != last->at || e->core != last->core || e->warp != last->warp || e->lane != last->lane)
        return false;
    snprintf(hit->why, sizeof hit->why, "lane %" PRIu32 " commits, the last one of: %.120s", e->lane, d->order.verdict.text);
    return true;
}

/* The persistency oracle has found the violation in this step. */
static bool hits_violation(const struct cw_debug *d, const struct cw_debug_stop *s, struct cw_debug_hit *hit)
{
    const char *text = cw_gpu_persist_violation(d->gpu);
    if (text == NULL || d->violated)
        return false;
    snprintf(hit->why, sizeof hit->why, "stop %" PRIu32 ": %.180s", s->id, text);
    return true;
}

static bool hits_word(const struct cw_debug *d, const struct cw_debug_stop *s, const struct cw_event *e, struct cw_debug_hit *hit)
{
    switch (e->type) {
    case CW_EVENT_REGION_ABORT:
        hit->focus.lane = e->lane;
        snprintf(hit->why, sizeof hit->why, "lane %" PRIu32 " aborts: %s", e->lane, e->u.cause);
        return s->kind == CW_DEBUG_ON_ABORT && (s->name[0] == '\0' || strcmp(s->name, e->u.cause) == 0);
    case CW_EVENT_REGION_COMMIT:
        hit->focus.lane = e->lane;
        if (s->kind == CW_DEBUG_ON_ORACLE)
            return hits_verdict(d, e, hit);
        snprintf(hit->why, sizeof hit->why, "lane %" PRIu32 " commits %" PRIu32 " words", e->lane, e->u.set.cnt);
        return s->kind == CW_DEBUG_ON_COMMIT;
    case CW_EVENT_REGION_BEGIN:
        hit->focus.lane = e->lane;
        snprintf(hit->why, sizeof hit->why, "lane %" PRIu32 " begins an attempt", e->lane);
        return s->kind == CW_DEBUG_ON_BEGIN;
    case CW_EVENT_SYNC:
        if (s->kind != CW_DEBUG_ON_BARRIER)
            return false;
        hit->has_focus = e->u.sync.kind != CW_SYNC_PASS;
        snprintf(hit->why, sizeof hit->why, "%s barrier %" PRIu32, e->u.sync.kind == CW_SYNC_PASS ? "all have come to" : "comes to",
                 e->u.sync.id);
        return e->u.sync.kind <= CW_SYNC_PASS;
    case CW_EVENT_BRANCHED:
        if (s->kind != CW_DEBUG_ON_DIVERGE || !e->u.branched.diverged)
            return false;
        snprintf(hit->why, sizeof hit->why, "the warp diverges");
        return true;
    case CW_EVENT_PERSIST:
        hit->has_focus = false;
        snprintf(hit->why, sizeof hit->why, "bytes of the line 0x%" PRIx64 " are durable", e->u.line.addr);
        return s->kind == CW_DEBUG_ON_PERSIST;
    case CW_EVENT_BLOCK_BEGIN:
        hit->has_focus = false;
        snprintf(hit->why, sizeof hit->why, "block (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ") begins", e->u.block.ctaid[0],
                 e->u.block.ctaid[1], e->u.block.ctaid[2]);
        return s->kind == CW_DEBUG_ON_BLOCK;
    default:
        return false;
    }
}

/* --check has found something at a place where it had found nothing. */
static bool hits_finding(const struct cw_debug *d, const struct cw_debug_stop *s, struct cw_debug_hit *hit)
{
    const struct cw_sanitizer_place *p = cw_gpu_finding_at(d->gpu, d->findings);
    if (p == NULL)
        return false;
    snprintf(hit->why, sizeof hit->why, "stop %" PRIu32 ": PTX line %" PRIu32 ": %.140s", s->id, p->first.line, p->first.text);
    hit->has_focus = cw_debug__find_thread(d, p->first.block, p->first.thread, &hit->focus);
    return true;
}

/* A time step is over. */
static bool hits_step(const struct cw_debug *d, const struct cw_debug_stop *s, struct cw_debug_hit *hit)
{
    struct cw_debug_port port;
    if (s->kind == CW_DEBUG_ON_CYCLE) {
        const cw_time at = s->number * cw_gpu_clocks(d->gpu)->period[CW_DOMAIN_CORE];
        snprintf(hit->why, sizeof hit->why, "cycle %" PRIu64, s->number);
        return d->at.now >= at && d->last_step < at;
    }
    if (s->kind == CW_DEBUG_ON_FINDING)
        return hits_finding(d, s, hit);
    if (s->kind == CW_DEBUG_ON_ORACLE)
        return hits_violation(d, s, hit);
    if (s->kind != CW_DEBUG_ON_PORT || !cw_debug__port(d, s->name, &port) || d->clocked == NULL || d->clocked[port.tap->index] == 0)
        return false;
    snprintf(hit->why, sizeof hit->why, "stop %" PRIu32 ": %.100s is %" PRIu64, s->id, s->name, s->number);
    return cw_debug__port_value(&port) == s->number;
}

/* This is done for each event: the rest of the text is left as it is. */
static void forget_hit(struct cw_debug_hit *hit)
{
    hit->why[0] = '\0';
    hit->focus = (struct cw_debug_focus){0};
    hit->has_focus = false;
}

static bool hits_stop(struct cw_debug *d, const struct cw_debug_stop *s, const struct cw_event *e, uint32_t moment, bool first,
                      struct cw_debug_hit *hit)
{
    char why[sizeof hit->why];
    bool is = false;
    forget_hit(hit);
    if (e == NULL)
        return moment == CW_DEBUG_STEP && hits_step(d, s, hit) &&
               condition_holds(d, s, hit->has_focus ? (cw_lanes)1 << hit->focus.lane : 0, hit);
    hit->has_focus = true;
    hit->focus = (struct cw_debug_focus){.core = e->core, .warp = e->warp, .lane = d->focus.lane};
    if ((s->core >= 0 && s->core != e->core) || (s->warp >= 0 && s->warp != e->warp))
        return false;
    cw_lanes lanes = 1;
    if (e->type == CW_EVENT_BEFORE) {
        is = first && hits_before(d, s, e, hit);
        lanes = e->u.access.lanes;
        hit->focus.lane = lanes != 0 ? cw_lanes_first(lanes) : 0;
    } else {
        is = e->type == CW_EVENT_LANES ? hits_access(s, e, hit) : hits_word(d, s, e, hit);
        lanes = (cw_lanes)1 << hit->focus.lane;
    }
    if (!is || !condition_holds(d, s, lanes, hit))
        return false;
    if (strncmp(hit->why, "stop ", 5) != 0) {
        memcpy(why, hit->why, sizeof why);
        snprintf(hit->why, sizeof hit->why, "stop %" PRIu32 ": %.180s", s->id, why);
    }
    return true;
}

/* A valid output of the unit, which has been clocked in this step: it has answered. */
static bool answers(const struct cw_debug *d, const char *name, struct cw_debug_hit *hit)
{
    const struct cw_tap *t = cw_debug__unit(d, name, strlen(name));
    for (uint32_t i = 0; t != NULL && d->clocked != NULL && d->clocked[t->index] != 0 && i < t->unit->port_cnt; i++) {
        const struct cw_debug_port port = {t, &t->port[i]};
        const size_t length = strlen(t->port[i].name);
        if (t->port[i].dir == CW_PORT_IN || length < 5 || strcmp(t->port[i].name + length - 5, "valid") != 0 ||
            cw_debug__port_value(&port) == 0)
            continue;
        snprintf(hit->why, sizeof hit->why, "%.100s answers: %.60s", name, t->port[i].name);
        return true;
    }
    return false;
}

static bool hits_pace(struct cw_debug *d, const struct cw_event *e, uint32_t moment, bool first, struct cw_debug_hit *hit)
{
    const struct cw_debug_order *o = &d->order;
    struct cw_look_warp w;
    forget_hit(hit);
    memcpy(hit->why, "step", sizeof "step");
    if (o->pace == CW_DEBUG_ANSWER)
        return moment == CW_DEBUG_STEP && answers(d, o->unit, hit);
    if (o->pace == CW_DEBUG_CYCLES)
        return moment == CW_DEBUG_STEP && cw_gpu_cycles(d->gpu) >= o->cycle;
    if (e == NULL || e->core != o->focus.core || e->warp != o->focus.warp)
        return false;
    hit->has_focus = true;
    hit->focus = o->focus;
    if (e->type != CW_EVENT_BEFORE || !first || (!o->seeks && !o->has_issued))
        return false;
    if (o->focus.lane < 64 && e->u.access.lanes != 0 && !cw_lanes_has(e->u.access.lanes, o->focus.lane))
        hit->focus.lane = cw_lanes_first(e->u.access.lanes);
    const uint32_t pc = (uint32_t)(e->u.access.uop - d->code->launch.kernel->uop);
    switch ((enum cw_debug_pace)o->pace) {
    case CW_DEBUG_INSTRUCTION:
        return true;
    case CW_DEBUG_SOURCE_LINE:
        return d->code->line_of[pc] != d->warp[e->core * d->slots + e->warp].line && d->code->depth_of[pc] <= o->depth;
    case CW_DEBUG_OUT:
        return d->code->depth_of[pc] <= o->depth;
    default:
        return cw_debug__warp(d, &o->focus, &w) && !w.in_region;
    }
}

bool cw_debug__hits(struct cw_debug *d, const struct cw_event *e, uint32_t moment, bool first, struct cw_debug_hit *hit)
{
    if (d->order.pace != CW_DEBUG_FREE && hits_pace(d, e, moment, first, hit))
        return true;
    if (e != NULL && e->type == CW_EVENT_ISSUE) /* What stops there has stopped before it */
        return false;
    for (uint32_t i = 0; d->order.stops && i < d->order.stop_cnt; i++)
        if (d->order.stop[i].id != 0 && hits_stop(d, &d->order.stop[i], e, moment, first, hit))
            return true;
    return false;
}
