/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: it counts moments, stops where an order says, and serves the face's commands while it stands. */
#define _GNU_SOURCE /* open_memstream */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debugger/debug_private.h"

#define LOOK_STEPS 256u  /* how often it is looked whether the face wants something, and whether a process is to stand still */
#define VERDICT    1330u /* characters of the words about a launch that has failed, and which stop it is */

/* ---- the socket ---- */

static void send_all(struct cw_debug *d, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t done = send(d->socket, text, bytes, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            cw_debug__end_all(d, 1);
        text += done;
        bytes -= (size_t)done;
    }
}

/* More of what the face says. Whoever has no face any more ends. */
static void receive(struct cw_debug *d)
{
    if (d->input_room - d->input_bytes < 4096) {
        char *larger = realloc(d->input, d->input_room + 8192);
        if (larger == NULL)
            cw_debug__end_all(d, 1);
        d->input = larger;
        d->input_room += 8192;
    }
    struct pollfd files[2] = {{.fd = d->socket, .events = POLLIN}, {.fd = d->life[0], .events = POLLIN}};
    poll(files, 2, -1);
    if ((files[1].revents & (POLLIN | POLLHUP)) != 0)
        _exit(1);
    const ssize_t got = recv(d->socket, d->input + d->input_bytes, d->input_room - d->input_bytes - 1, 0);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0)
        cw_debug__end_all(d, 1);
    d->input_bytes += (size_t)got;
}

/* The next line, owned by the caller. */
static char *read_line(struct cw_debug *d)
{
    char *end;
    while (d->input == NULL || (end = memchr(d->input, '\n', d->input_bytes)) == NULL)
        receive(d);
    const size_t length = (size_t)(end - d->input);
    char *line = strndup(d->input, length);
    d->input_bytes -= length + 1;
    memmove(d->input, end + 1, d->input_bytes);
    if (line == NULL)
        cw_debug__end_all(d, 1);
    return line;
}

static bool face_waits(const struct cw_debug *d)
{
    struct pollfd file = {.fd = d->socket, .events = POLLIN};
    return d->input_bytes > 0 || poll(&file, 1, 0) > 0;
}

/* ---- answers ---- */

struct answer {
    FILE *out;
    char *text;
    size_t bytes;
};

static void answer_begin(struct cw_debug *d, struct answer *a, const char *member, const char *text)
{
    *a = (struct answer){0};
    a->out = open_memstream(&a->text, &a->bytes);
    if (a->out == NULL)
        cw_debug__end_all(d, 1);
    fprintf(a->out, "{\"%s\":", member);
    cw_debug__string(a->out, text);
}

static void answer_end(struct cw_debug *d, struct answer *a)
{
    fputs("}\n", a->out);
    fclose(a->out);
    send_all(d, a->text, a->bytes);
    free(a->text);
}

static void answer(struct cw_debug *d, const char *member, const char *text)
{
    struct answer a;
    answer_begin(d, &a, member, text);
    answer_end(d, &a);
}

/* ---- orders ---- */

static void begin_order(struct cw_debug *d)
{
    struct cw_debug_order *o = &d->order;
    o->seeks = o->has_found = o->goes_to = o->inclusive = o->has_issued = o->stops = false;
    o->pace = CW_DEBUG_FREE;
    o->wave[0] = '\0';
    o->focus = d->focus;
}

/* Why the pace that a word names cannot be; NULL: it can. */
static const char *cannot_go(const struct cw_debug *d, char **word, uint32_t cnt)
{
    struct cw_look_warp w;
    if (cnt > 0 && strcmp(word[0], "answer") == 0)
        return cnt > 1 && cw_debug__unit(d, word[1], strlen(word[1])) != NULL ? NULL : "no unit has that name; 'ports' lists them";
    if (cnt == 0 || strcmp(word[0], "finish") != 0)
        return NULL;
    if (!cw_debug__warp(d, &d->focus, &w) || w.active == 0 || w.pc >= d->code->launch.kernel->uop_cnt)
        return NULL; /* until it runs again */
    return w.in_region || d->code->depth_of[w.pc] > d->focus.frame ? NULL
                                                                   : "finish: this is the kernel itself, and the warp is in no transaction";
}

/* The pace that a word names. false: it names none. */
static bool set_pace(struct cw_debug *d, char **word, uint32_t cnt)
{
    static const struct {
        const char *name;
        uint32_t pace;
    } paces[] = {{"go", CW_DEBUG_FREE},          {"step", CW_DEBUG_INSTRUCTION}, {"next", CW_DEBUG_SOURCE_LINE},
                 {"line", CW_DEBUG_SOURCE_LINE}, {"cycles", CW_DEBUG_CYCLES},    {"finish", CW_DEBUG_REGION},
                 {"answer", CW_DEBUG_ANSWER}};
    struct cw_look_warp w;
    for (uint32_t i = 0; cnt > 0 && i < sizeof paces / sizeof paces[0]; i++) {
        if (strcmp(word[0], paces[i].name) != 0)
            continue;
        begin_order(d);
        d->order.pace = paces[i].pace;
        d->order.stops = paces[i].pace == CW_DEBUG_FREE;
        d->order.depth = UINT32_MAX;
        const bool runs = cw_debug__warp(d, &d->focus, &w) && w.active != 0 && w.pc < d->code->launch.kernel->uop_cnt;
        const uint32_t depth = runs ? d->code->depth_of[w.pc] : 0;
        if (strcmp(word[0], "next") == 0 && runs)
            d->order.depth = depth;
        if (paces[i].pace == CW_DEBUG_REGION && depth > d->focus.frame) { /* it is in a function, and leaves it */
            d->order.pace = CW_DEBUG_OUT;
            d->order.depth = depth - d->focus.frame - 1;
        }
        d->order.cycle = cnt > 1 ? strtoull(word[1], NULL, 0) : 1;
        snprintf(d->order.unit, sizeof d->order.unit, "%s", cnt > 1 ? word[1] : "");
        return true;
    }
    return false;
}

static bool is_same(const struct cw_debug_at *a, const struct cw_debug_at *b)
{
    return a->launch == b->launch && a->now == b->now && a->moment == b->moment && a->index == b->index;
}

/* Goes to a place that has been, or answers that there is none. */
static void go_to(struct cw_debug *d, const struct cw_debug_at *place, const char *why, const struct cw_debug_focus *focus)
{
    begin_order(d);
    d->order.goes_to = true;
    d->order.target = *place;
    d->order.found_focus = *focus;
    snprintf(d->order.why, sizeof d->order.why, "%s", why);
    if (!cw_debug__hand_over(d, place, &d->order))
        answer(d, "error", "the run cannot be gone back in: no process could be made for it");
}

static void go_to_start(struct cw_debug *d)
{
    const struct cw_debug_at start = {.moment = CW_DEBUG_START, .index = 1};
    go_to(d, &start, "the run begins here", &d->focus);
}

/* All places before `end` in this stretch have been looked at. */
static void end_seek(struct cw_debug *d)
{
    struct cw_debug_order *o = &d->order;
    if (o->has_found) {
        const struct cw_debug_at found = o->found;
        const struct cw_debug_focus focus = o->found_focus;
        char why[sizeof o->why];
        memcpy(why, o->why, sizeof why);
        go_to(d, &found, why, &focus);
        return;
    }
    if (d->began.moment == CW_DEBUG_START) {
        go_to_start(d);
        return;
    }
    o->target = d->began;
    o->inclusive = true;
    if (!cw_debug__hand_over(d, &d->began, o))
        go_to_start(d);
}

/* "wave FILE N" */
static const char *make_wave(struct cw_debug *d, char **word, uint32_t cnt)
{
    const uint64_t now = cw_gpu_cycles(d->gpu), cycles = cnt > 1 ? strtoull(word[1], NULL, 0) : 0;
    if (cycles == 0 || strlen(word[0]) >= sizeof d->order.wave)
        return "wave takes a file's name, of at most 199 bytes, and a number of cycles";
    if (d->at.moment == CW_DEBUG_START || now == 0)
        return "the run begins here, so there is nothing to show";
    const struct cw_debug_at place = d->at;
    const uint64_t from = now > cycles ? now - cycles : 0;
    struct cw_debug_at before = {.now = from * cw_gpu_clocks(d->gpu)->period[CW_DOMAIN_CORE], .moment = CW_DEBUG_STEP};
    if (from == 0)
        before.moment = CW_DEBUG_START;
    begin_order(d);
    d->order.goes_to = true;
    d->order.target = place;
    d->order.found_focus = d->focus;
    d->order.cycle = from;
    snprintf(d->order.wave, sizeof d->order.wave, "%s", word[0]);
    snprintf(d->order.why, sizeof d->order.why, "wave of the cycles %" PRIu64 " to %" PRIu64, from, now);
    cw_debug__hand_over(d, &before, &d->order);
    return "the run cannot be gone back in: no process could be made for it";
}

/* "back PACE" */
static const char *go_back(struct cw_debug *d, char **word, uint32_t cnt)
{
    if (d->at.moment == CW_DEBUG_START)
        return "the run begins here";
    if (cnt > 0 && strcmp(word[0], "start") == 0) {
        go_to_start(d);
        return "the run cannot be gone back in";
    }
    const char *wrong = cannot_go(d, word, cnt);
    if (wrong == NULL && !set_pace(d, word, cnt))
        wrong = "back takes go, step, line, next, finish, answer UNIT, cycles N or start";
    if (wrong != NULL)
        return wrong;
    d->order.seeks = true;
    d->order.target = d->at;
    const uint64_t now = cw_gpu_cycles(d->gpu);
    struct cw_debug_at before = d->at;
    if (d->order.pace == CW_DEBUG_CYCLES) { /* the place is known: there is nothing to seek */
        d->order.seeks = false;
        d->order.cycle = d->order.cycle < now ? now - d->order.cycle : 0;
        before = (struct cw_debug_at){.now = d->order.cycle * cw_gpu_clocks(d->gpu)->period[CW_DOMAIN_CORE], .moment = CW_DEBUG_STEP};
    }
    if (!cw_debug__hand_over(d, &before, &d->order))
        go_to_start(d);
    return "the run cannot be gone back in";
}

/* "at CYCLE" */
static const char *go_at(struct cw_debug *d, char **word, uint32_t cnt)
{
    char text[32];
    char *words[] = {NULL, text};
    static char cycles[] = "cycles";
    const uint64_t now = cw_gpu_cycles(d->gpu), cycle = cnt > 0 ? strtoull(word[0], NULL, 0) : now;
    words[0] = cycles;
    snprintf(text, sizeof text, "%" PRIu64, cycle > now ? cycle - now : now - cycle);
    if (cycle < now)
        return go_back(d, words, 2);
    set_pace(d, words, 2);
    d->order.cycle = cycle;
    return NULL;
}

/* ---- commands ---- */

static uint32_t split(char *line, char *word[CW_DEBUG_WORDS])
{
    uint32_t cnt = 0;
    for (char *at = strtok(line, " \t\r"); at != NULL && cnt < CW_DEBUG_WORDS; at = strtok(NULL, " \t\r"))
        word[cnt++] = at;
    return cnt;
}

static const char *select_focus(struct cw_debug *d, char **word, uint32_t cnt)
{
    struct cw_debug_focus f = d->focus;
    uint32_t *const parts[] = {&f.core, &f.warp, &f.lane};
    for (uint32_t i = 0; i < cnt && i < 3; i++)
        *parts[i] = (uint32_t)strtoul(word[i], NULL, 0);
    if (f.core >= d->cores || f.warp >= d->slots || f.lane >= cw_gpu_config(d->gpu)->core_warp_width)
        return "there is no such core, warp or lane";
    d->focus = f;
    d->focus.frame = 0;
    cw_debug__use(d, f.core, f.warp);
    return NULL;
}

/* "frame N" */
static const char *select_frame(struct cw_debug *d, char **word, uint32_t cnt)
{
    struct cw_debug_frame frame[CW_DEBUG_FRAMES];
    const uint32_t number = cnt > 0 ? (uint32_t)strtoul(word[0], NULL, 0) : 0;
    if (number >= cw_debug__frames(d, &d->focus, frame, CW_DEBUG_FRAMES))
        return "there is no such frame; 'backtrace' lists them";
    d->focus.frame = number;
    return NULL;
}

/* Whether the run is to go on. */
static bool carry_out(struct cw_debug *d, char **word, uint32_t cnt)
{
    struct answer a;
    const char *wrong = NULL;
    if (strcmp(word[0], "quit") == 0)
        cw_debug__end_all(d, 0);
    if (strcmp(word[0], "interrupt") == 0) /* which has come too late */
        return false;
    wrong = cannot_go(d, word, cnt);
    if (wrong == NULL && set_pace(d, word, cnt)) {
        if (d->order.pace == CW_DEBUG_CYCLES)
            d->order.cycle += cw_gpu_cycles(d->gpu);
        return true;
    }
    if (strcmp(word[0], "at") == 0) {
        wrong = go_at(d, word + 1, cnt - 1);
        if (wrong == NULL)
            return true;
    } else if (strcmp(word[0], "back") == 0) {
        wrong = go_back(d, word + 1, cnt - 1);
    } else if (strcmp(word[0], "wave") == 0) {
        wrong = make_wave(d, word + 1, cnt - 1);
    }
    if (wrong != NULL) {
        answer(d, "error", wrong);
        return false;
    }
    answer_begin(d, &a, "answer", word[0]);
    if (strcmp(word[0], "stop") == 0)
        wrong = cw_debug__add_stop(d, word + 1, cnt - 1);
    else if (strcmp(word[0], "delete") == 0)
        wrong = cnt > 1 && cw_debug__delete_stop(d, (uint32_t)strtoul(word[1], NULL, 0)) ? NULL : "there is no stop of that number";
    else if (strcmp(word[0], "select") == 0)
        wrong = select_focus(d, word + 1, cnt - 1);
    else if (strcmp(word[0], "frame") == 0)
        wrong = select_frame(d, word + 1, cnt - 1);
    else
        wrong = cw_debug__show(d, word, cnt, a.out);
    if (wrong == NULL) {
        answer_end(d, &a);
        return false;
    }
    fclose(a.out);
    free(a.text);
    answer(d, "error", wrong);
    return false;
}

/* Stands, and serves the face, until the run is to go on. */
static void stand(struct cw_debug *d, const char *why, const struct cw_debug_focus *focus)
{
    char *word[CW_DEBUG_WORDS];
    struct answer a;
    bool goes = false;
    if (focus != NULL)
        d->focus = *focus;
    d->focus.frame = 0;
    cw_debug__use(d, d->focus.core, d->focus.warp);
    fflush(NULL);
    answer_begin(d, &a, "stopped", why);
    cw_debug__tell_place(d, a.out);
    answer_end(d, &a);
    while (!goes) {
        char *line = read_line(d);
        const uint32_t cnt = split(line, word);
        goes = cnt > 0 && carry_out(d, word, cnt);
        free(line);
    }
}

/* ---- moments ---- */

static void come_to(struct cw_debug *d, uint32_t moment)
{
    const cw_time now = cw_gpu_now(d->gpu);
    if (now != d->at.now) {
        d->at.now = now;
        memset(d->count, 0, sizeof d->count);
    }
    d->at.moment = moment;
    d->at.index = ++d->count[moment];
}

/* The place to which the wave goes has been reached. */
static void end_wave(struct cw_debug *d)
{
    struct cw_error err;
    if (d->order.wave[0] != '\0' && d->wave_error[0] == '\0' && d->waves.close(d->waves.context, &err) != CW_OK)
        snprintf(d->wave_error, sizeof d->wave_error, "%.1290s", err.text);
}

static void judge(struct cw_debug *d, const struct cw_event *e, uint32_t moment, bool first)
{
    struct cw_debug_order *o = &d->order;
    struct cw_debug_hit hit;
    const bool there = (o->goes_to || o->seeks) && is_same(&d->at, &o->target);
    if (o->goes_to && there) {
        const struct cw_debug_focus focus = o->found_focus;
        char why[sizeof o->why];
        memcpy(why, o->why, sizeof why);
        end_wave(d);
        begin_order(d);
        stand(d, d->wave_error[0] != '\0' ? d->wave_error : why, &focus);
        return;
    }
    if (o->goes_to || (there && !o->inclusive && o->seeks)) {
        if (o->seeks)
            end_seek(d);
        return;
    }
    const bool hits = cw_debug__hits(d, e, moment, first, &hit);
    if (hits && o->seeks) {
        o->has_found = true;
        o->found = d->at;
        o->found_focus = hit.has_focus ? hit.focus : d->focus;
        memcpy(o->why, hit.why, sizeof o->why);
    } else if (hits) {
        stand(d, hit.why, hit.has_focus ? &hit.focus : NULL);
    }
    if (there && o->seeks)
        end_seek(d);
}

/* The block that begins takes warps that nobody has. */
static void forget_lanes(struct cw_debug *d, uint32_t core)
{
    struct cw_look_warp look;
    for (struct cw_debug_focus f = {.core = core}; f.warp < d->slots; f.warp++)
        if (!cw_debug__warp(d, &f, &look)) {
            d->warp[core * d->slots + f.warp].ran = 0;
            cw_debug__forget_stores(&d->warp[core * d->slots + f.warp]);
        }
}

/* The warp has executed the instruction that it was told of last. */
static void has_executed(struct cw_debug *d, const struct cw_event *e, struct cw_debug_warp *w)
{
    w->tried = false;
    if (d->order.pace != CW_DEBUG_SOURCE_LINE || d->code->depth_of[w->pc] <= d->order.depth) /* a call is part of its line */
        w->line = d->code->line_of[w->pc];
    d->order.has_issued |= e->core == d->order.focus.core && e->warp == d->order.focus.warp;
}

/* A unit is clocked. */
static void hear_unit(void *self, const struct cw_tap *tap, enum cw_tap_op op, const void *in)
{
    struct cw_debug *d = self;
    (void)in;
    if (op == CW_TAP_EVAL && d->clocked != NULL && tap->index < d->clocked_cnt)
        d->clocked[tap->index] = 1;
}

static void judge_event(struct cw_debug *d, const struct cw_event *e, uint32_t pc, bool first)
{
    d->is_before = e->type == CW_EVENT_BEFORE;
    d->before_core = e->core;
    d->before_warp = e->warp;
    d->before_pc = pc;
    judge(d, e, e->type, first);
    d->is_before = false;
    cw_debug__use(d, e->core, e->warp); /* the face may have looked at another one */
}

/* This is done for each event, and nearly none of them concerns a stop. */
static void hear(void *self, const struct cw_event *e)
{
    struct cw_debug *d = self;
    struct cw_debug_warp *const w = e->type == CW_EVENT_BEFORE || e->type == CW_EVENT_ISSUE ? &d->warp[e->core * d->slots + e->warp] : NULL;
    cw_debug__use(d, e->core, e->warp);
    const uint32_t pc = w != NULL ? (uint32_t)(e->u.access.uop - d->code->launch.kernel->uop) : 0;
    bool first = false;
    come_to(d, e->type);
    if (e->type == CW_EVENT_BEFORE) {
        first = !w->tried || w->pc != pc;
        if (w->tried && first) /* what rides on another instruction is told to have issued behind that one */
            has_executed(d, e, w);
        w->tried = true;
        w->pc = pc;
    } else if (e->type == CW_EVENT_ISSUE) {
        if (w->pc == pc)
            has_executed(d, e, w);
    } else if (e->type == CW_EVENT_REGION_READ || e->type == CW_EVENT_REGION_ISSUE) {
        cw_debug__keep_word(d, e);
    } else if (e->type == CW_EVENT_REGION_BEGIN) {
        cw_debug__forget_words(d, e);
    }
    if (e->type == CW_EVENT_LANES)
        cw_debug__keep_stores(d, e);
    if (cw_debug__concerns(d, e->type, pc))
        judge_event(d, e, pc, first);
    if (e->type == CW_EVENT_BLOCK_BEGIN)
        forget_lanes(d, e->core);
    if (e->type == CW_EVENT_BEFORE) {
        w->ran = cw_debug__active(d, e->core, e->warp);
        d->code->begun = true;
    }
}

void cw_debug_listen(struct cw_debug *d)
{
    d->listener = (struct cw_event_listener){.self = d, .hear = hear};
    static const uint8_t types[] = {CW_EVENT_BEFORE,       CW_EVENT_ISSUE,       CW_EVENT_LANES,        CW_EVENT_SYNC,
                                    CW_EVENT_REGION_BEGIN, CW_EVENT_REGION_READ, CW_EVENT_REGION_ISSUE, CW_EVENT_REGION_COMMIT,
                                    CW_EVENT_REGION_ABORT, CW_EVENT_BRANCHED,    CW_EVENT_BLOCK_BEGIN,  CW_EVENT_PERSIST};
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++)
        d->listener.types |= UINT64_C(1) << types[i];
    cw_gpu_listen(d->gpu, &d->listener);
    cw_taps_on_op(d->taps, hear_unit, d);
    free(d->clocked);
    d->clocked_cnt = cw_taps_count(d->taps);
    d->clocked = calloc(d->clocked_cnt + 1u, 1);
}

void cw_debug_step(struct cw_debug *d)
{
    d->last_step = d->step;
    come_to(d, CW_DEBUG_STEP);
    d->step = d->at.now;
    if (cw_debug__concerns(d, CW_DEBUG_STEP, 0))
        judge(d, NULL, CW_DEBUG_STEP, false);
    if (d->clocked != NULL)
        memset(d->clocked, 0, d->clocked_cnt);
    while (cw_gpu_finding_at(d->gpu, d->findings) != NULL)
        d->findings++;
    d->violated = cw_gpu_persist_violation(d->gpu) != NULL;
    if (++d->steps % LOOK_STEPS != 0)
        return;
    if (!d->order.goes_to && !d->order.seeks && face_waits(d))
        stand(d, "interrupted", NULL);
    cw_debug__mark_due(d);
}

void cw_debug_launch(struct cw_debug *d, const struct cw_debug_launch *launch, uint32_t cnt)
{
    memset(d->count, 0, sizeof d->count);
    for (uint32_t i = 0; i < d->cores * d->slots; i++) {
        d->warp[i].tried = false;
        d->warp[i].line = UINT32_MAX;
        d->warp[i].ran = 0;
        d->warp[i].word_cnt = 0;
        cw_debug__forget_stores(&d->warp[i]);
    }
    if (!cw_debug__code(d, launch, cnt))
        cw_debug__end_all(d, 1);
    cw_debug__mark_stops(d);
    d->error[0] = '\0';
    d->at.launch++;
    come_to(d, CW_DEBUG_LAUNCH);
    d->step = d->at.now;
    judge(d, NULL, CW_DEBUG_LAUNCH, false);
    cw_debug__mark_due(d);
}

/* The thread that the text of a fault names. */
static void find_faulty(const struct cw_debug *d, struct cw_debug_focus *focus)
{
    uint32_t block[3], thread[3];
    const char *at = strstr(d->error, ": block (");
    if (at == NULL || sscanf(at, ": block (%" SCNu32 ", %" SCNu32 ", %" SCNu32 ") thread (%" SCNu32 ", %" SCNu32 ", %" SCNu32 ")", block,
                             block + 1, block + 2, thread, thread + 1, thread + 2) != 6)
        return;
    cw_debug__find_thread(d, block, thread, focus);
}

/* The number of the stop for verdicts of oracles; 0: there is none. */
static uint32_t oracle_stop(const struct cw_debug *d)
{
    for (uint32_t i = 0; i < d->order.stop_cnt; i++)
        if (d->order.stop[i].id != 0 && d->order.stop[i].kind == CW_DEBUG_ON_ORACLE)
            return d->order.stop[i].id;
    return 0;
}

/* The oracles have judged the launch. */
static void hear_verdict(struct cw_debug *d, char text[VERDICT])
{
    const struct cw_serial_report *r = cw_gpu_serial_report(d->gpu);
    const uint32_t stop = oracle_stop(d);
    d->order.verdict = (struct cw_debug_verdict){.last = r->last};
    snprintf(d->order.verdict.text, sizeof d->order.verdict.text, "%.190s", r->text);
    if (stop != 0)
        snprintf(text, VERDICT, "stop %" PRIu32 ": %s", stop, d->error);
}

void cw_debug_launched(struct cw_debug *d, int status, const struct cw_error *err)
{
    struct cw_debug_focus focus = d->focus;
    char why[VERDICT];
    come_to(d, CW_DEBUG_LAUNCHED);
    if (status != CW_OK)
        snprintf(d->error, sizeof d->error, "%.1290s", err->text);
    judge(d, NULL, CW_DEBUG_LAUNCHED, false);
    if (status != CW_OK && !d->order.goes_to && !d->order.seeks) {
        find_faulty(d, &focus);
        snprintf(why, sizeof why, "%s", d->error);
        if (status == CW_ECHECK)
            hear_verdict(d, why);
        stand(d, why, &focus);
    }
}

void cw_debug_finish(struct cw_debug *d)
{
    if (d->common->active != getpid()) /* a child of the program's own */
        return;
    come_to(d, CW_DEBUG_END);
    judge(d, NULL, CW_DEBUG_END, false);
    if (!d->order.goes_to && !d->order.seeks)
        stand(d, "the run ends here", NULL);
}

bool cw_debug_is_travelling(const struct cw_debug *d)
{
    return d->order.goes_to || d->order.seeks;
}

int cw_debug_create(struct cw_debug **out, int socket, struct cw_gpu *gpu, struct cw_taps *taps, const struct cw_debug_waves *waves,
                    struct cw_error *err)
{
    struct cw_debug *d = calloc(1, sizeof *d);
    *out = NULL;
    if (d == NULL || fcntl(socket, F_SETFD, FD_CLOEXEC) != 0) {
        free(d);
        return cw_fail(err, CW_EIO, "the debugger's socket %d is not open; 'cowarp debug' opens it", socket);
    }
    d->gpu = gpu;
    d->socket = socket;
    d->cores = cw_gpu_config(gpu)->core_count;
    d->slots = cw_look_slots(cw_debug__warps(d, 0));
    d->warp = calloc((size_t)d->cores * d->slots, sizeof *d->warp);
    d->taps = taps;
    d->waves = *waves;
    int status = d->warp != NULL && cw_debug__code(d, NULL, 0) ? cw_debug__travel_begin(d, err) : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status != CW_OK) {
        cw_debug_destroy(d);
        return status;
    }
    cw_debug_listen(d);
    come_to(d, CW_DEBUG_START);
    d->began = d->at;
    if (!cw_debug__mark(d))
        stand(d, "the run begins here", NULL);
    else
        judge(d, NULL, CW_DEBUG_START, false);
    *out = d;
    return CW_OK;
}

void cw_debug_destroy(struct cw_debug *d)
{
    if (d == NULL)
        return;
    cw_debug__forget_code(d);
    free(d->input);
    for (uint32_t i = 0; d->warp != NULL && i < d->cores * d->slots; i++) {
        free(d->warp[i].word);
        free(d->warp[i].stored);
    }
    free(d->warp);
    free(d->clocked);
    free(d);
}
