/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events are only appended while the machine runs; everything is judged in cw_serial_check().
 *
 * A read belongs to the newest version of its word. Should its value be another one, it is kept aside until the
 * word's next version: the memory takes a write a few cycles before it is reported, and a read in between sees the
 * new version. A read that no version explains is a value error.
 */
#include "check/serial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/serial_graph.h"

#define NONE UINT32_MAX

enum fate { RUNNING, COMMITTED, ABORTED };

struct attempt {
    uint32_t core;
    uint16_t warp;
    uint8_t lane, fate;
    uint32_t reads, set; /* first in the chains of reads and of write-set entries, or NONE */
    uint32_t node;       /* in the graph, committed ones only */
};

struct word {
    uint64_t addr;
    uint32_t version; /* newest */
    uint32_t early;   /* chain of reads whose value is not the newest version's, or NONE */
};

/* Versions of a word in the order in which they reached memory. Version 0 of a word has writer 0. */
struct version {
    uint32_t word, value;
    uint32_t known;          /* bits of value that are known: all, unless the word was first seen when it was partly written */
    uint32_t writer;         /* attempt, or 0 */
    uint32_t previous, next; /* or NONE */
    uint8_t bytes;
};

struct read {
    uint32_t attempt, word, value;
    uint32_t version; /* NONE: none explains it */
    bool replaced;    /* by a validation of the same word */
    uint32_t next, next_early;
};

/* A word that a committing attempt says it has written. */
struct promised {
    uint64_t addr;
    uint32_t attempt, value, next;
    uint32_t arrived; /* times */
    bool wrong;       /* arrived with another value */
};

#define LIST(type, name)   \
    struct {               \
        struct type *at;   \
        uint32_t cnt, cap; \
    } name

struct cw_serial {
    const struct cw_memory *memory;
    struct cw_tm_observer observer;
    bool out_of_memory;
    LIST(attempt, attempt); /* index = number; 0 is "before the launch" */
    LIST(word, word);
    LIST(version, version);
    LIST(read, read);
    LIST(promised, promised);
    uint32_t *slot; /* hash table of words: index + 1 */
    uint32_t slot_cnt;
};

/* Storage */

static bool grow(struct cw_serial *s, void *list, uint32_t cnt, uint32_t *cap, size_t bytes)
{
    void **at = list;
    if (cnt < *cap)
        return true;
    uint32_t larger = *cap == 0 ? 256 : 2 * *cap;
    void *moved = realloc(*at, larger * bytes);
    if (moved == NULL) {
        s->out_of_memory = true;
        return false;
    }
    *at = moved;
    *cap = larger;
    return true;
}

/* Index of a new element of the list, or NONE when out of memory. */
#define NEW(s, list) (grow((s), &(s)->list.at, (s)->list.cnt, &(s)->list.cap, sizeof *(s)->list.at) ? (s)->list.cnt++ : NONE)

static uint32_t slot_of(const struct cw_serial *s, uint64_t addr)
{
    uint32_t at = (uint32_t)(((addr >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (s->slot_cnt - 1);
    while (s->slot[at] != 0 && s->word.at[s->slot[at] - 1].addr != addr)
        at = (at + 1) & (s->slot_cnt - 1);
    return at;
}

static bool grow_slots(struct cw_serial *s)
{
    if (s->slot_cnt > 2 * s->word.cnt)
        return true;
    uint32_t cnt = s->slot_cnt == 0 ? 1024 : 2 * s->slot_cnt;
    uint32_t *slot = calloc(cnt, sizeof *slot);
    if (slot == NULL) {
        s->out_of_memory = true;
        return false;
    }
    free(s->slot);
    s->slot = slot;
    s->slot_cnt = cnt;
    for (uint32_t i = 0; i < s->word.cnt; i++)
        slot[slot_of(s, s->word.at[i].addr)] = i + 1;
    return true;
}

static uint32_t memory_word(const struct cw_serial *s, uint64_t addr)
{
    uint32_t value;
    cw_memory_read(s->memory, addr, &value, sizeof value);
    return value;
}

static uint32_t new_version(struct cw_serial *s, uint32_t word, struct version v)
{
    uint32_t i = NEW(s, version);
    if (i == NONE)
        return NONE;
    struct word *w = s->word.at + word;
    v.word = word;
    v.previous = w->version;
    v.next = NONE;
    s->version.at[i] = v;
    if (w->version != NONE)
        s->version.at[w->version].next = i;
    w->version = i;
    return i;
}

/* The word's index. A word first seen by a write has an unknown value before it. */
static uint32_t find_word(struct cw_serial *s, uint64_t addr, bool known)
{
    if (!grow_slots(s))
        return NONE;
    uint32_t at = slot_of(s, addr);
    if (s->slot[at] != 0)
        return s->slot[at] - 1;
    uint32_t i = NEW(s, word);
    if (i == NONE)
        return NONE;
    s->word.at[i] = (struct word){.addr = addr, .version = NONE, .early = NONE};
    struct version first = {.value = known ? memory_word(s, addr) : 0, .known = known ? UINT32_MAX : 0};
    if (new_version(s, i, first) == NONE)
        return NONE;
    s->slot[at] = i + 1;
    return i;
}

/* Events */

static uint64_t on_begin(void *self, uint32_t core, uint32_t warp, uint32_t lane, cw_time now)
{
    struct cw_serial *s = self;
    uint32_t i = NEW(s, attempt);
    (void)now;
    if (i == NONE)
        return 0;
    s->attempt.at[i] =
        (struct attempt){.core = core, .warp = (uint16_t)warp, .lane = (uint8_t)lane, .reads = NONE, .set = NONE, .node = NONE};
    return i;
}

static bool agrees(const struct version *v, uint32_t value)
{
    return ((v->value ^ value) & v->known) == 0;
}

static void on_read(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now)
{
    struct cw_serial *s = self;
    (void)now;
    uint32_t word = find_word(s, addr, true), i = word != NONE ? NEW(s, read) : NONE;
    if (i == NONE)
        return;
    struct word *w = s->word.at + word;
    struct attempt *a = s->attempt.at + attempt;
    struct read *r = s->read.at + i;
    bool fits = agrees(s->version.at + w->version, value);
    *r = (struct read){.attempt = (uint32_t)attempt,
                       .word = word,
                       .value = value,
                       .version = fits ? w->version : NONE,
                       .next = a->reads,
                       .next_early = NONE};
    a->reads = i;
    if (fits)
        return;
    r->next_early = w->early;
    w->early = i;
}

/* The attempt's earlier reads of the word no longer count; one of the version that memory holds now takes their place. */
static void on_validate(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now)
{
    struct cw_serial *s = self;
    uint32_t word = find_word(s, addr, true);
    if (word == NONE)
        return;
    for (uint32_t i = s->attempt.at[attempt].reads; i != NONE; i = s->read.at[i].next)
        if (s->read.at[i].word == word)
            s->read.at[i].replaced = true;
    on_read(self, attempt, addr, value, now);
}

static uint32_t byte_mask(uint32_t bytes)
{
    uint32_t mask = 0;
    for (uint32_t b = 0; b < 4; b++)
        mask |= bytes >> b & 1 ? 0xffu << (8 * b) : 0;
    return mask;
}

static void on_write(void *self, uint64_t attempt, uint64_t addr, uint32_t value, uint32_t bytes, cw_time now)
{
    struct cw_serial *s = self;
    (void)now;
    uint32_t word = find_word(s, addr, false);
    if (word == NONE)
        return;
    const struct version *old = s->version.at + s->word.at[word].version;
    uint32_t mask = byte_mask(bytes);
    struct version v = {
        .value = (old->value & ~mask) | (value & mask), .known = old->known | mask, .writer = (uint32_t)attempt, .bytes = (uint8_t)bytes};
    uint32_t i = new_version(s, word, v), *link = &s->word.at[word].early;
    while (i != NONE && *link != NONE) {
        struct read *r = s->read.at + *link;
        if (agrees(&v, r->value)) {
            r->version = i;
            *link = r->next_early;
        } else {
            link = &r->next_early;
        }
    }
}

static void on_commit(void *self, uint64_t attempt, uint32_t write_cnt, const uint64_t *addr, const uint32_t *value, cw_time now)
{
    struct cw_serial *s = self;
    struct attempt *a = s->attempt.at + attempt;
    (void)now;
    a->fate = COMMITTED;
    for (uint32_t k = 0; k < write_cnt; k++) {
        uint32_t i = NEW(s, promised);
        if (i == NONE)
            return;
        s->promised.at[i] = (struct promised){.addr = addr[k], .attempt = (uint32_t)attempt, .value = value[k], .next = a->set};
        a->set = i;
    }
}

static void on_abort(void *self, uint64_t attempt, cw_time now)
{
    struct cw_serial *s = self;
    (void)now;
    s->attempt.at[attempt].fate = ABORTED;
}

/* Judgement */

struct verdict {
    struct cw_serial *s;
    struct cw_serial_report *report;
    struct cw_graph graph;
    char values[512]; /* first violation other than a cycle */
};

static const char *name(const struct cw_serial *s, uint32_t attempt, char text[80])
{
    const struct attempt *a = s->attempt.at + attempt;
    if (attempt == 0)
        snprintf(text, 80, "the initial state");
    else
        snprintf(text, 80, "transaction %u (core %u warp %u lane %u)", attempt, a->core, a->warp, a->lane);
    return text;
}

#define NOTE(v, ...)                                               \
    do {                                                           \
        if ((v)->values[0] == '\0')                                \
            snprintf((v)->values, sizeof(v)->values, __VA_ARGS__); \
    } while (0)

static void judge_reads(struct verdict *v)
{
    struct cw_serial *s = v->s;
    char who[80];
    for (uint32_t i = 0; i < s->read.cnt; i++) {
        const struct read *r = s->read.at + i;
        if (s->attempt.at[r->attempt].fate != COMMITTED || r->replaced)
            continue;
        v->report->reads++;
        if (r->version != NONE)
            continue;
        v->report->value_errors++;
        NOTE(v, "%s read 0x%08x from 0x%llx, which never held that", name(s, r->attempt, who), r->value,
             (unsigned long long)s->word.at[r->word].addr);
    }
}

/* Write sets are a few words, seldom hundreds: a search through the chain will do. */
static struct promised *find_promise(struct cw_serial *s, uint32_t attempt, uint64_t addr)
{
    for (uint32_t i = s->attempt.at[attempt].set; i != NONE; i = s->promised.at[i].next)
        if (s->promised.at[i].addr == addr)
            return s->promised.at + i;
    return NULL;
}

static void judge_arrivals(struct verdict *v)
{
    struct cw_serial *s = v->s;
    char who[80];
    for (uint32_t i = 0; i < s->version.cnt; i++) {
        const struct version *w = s->version.at + i;
        uint64_t addr = s->word.at[w->word].addr;
        if (w->writer == 0)
            continue;
        struct promised *p = s->attempt.at[w->writer].fate == COMMITTED ? find_promise(s, w->writer, addr) : NULL;
        if (p == NULL) {
            v->report->lost_writes++;
            NOTE(v, "%s wrote 0x%llx, which is in no committed write set", name(s, w->writer, who), (unsigned long long)addr);
            continue;
        }
        v->report->writes++;
        p->wrong = p->wrong || ((w->value ^ p->value) & byte_mask(w->bytes)) != 0;
        if (++p->arrived != 2)
            continue;
        v->report->lost_writes++;
        NOTE(v, "%s wrote 0x%llx twice", name(s, w->writer, who), (unsigned long long)addr);
    }
    for (uint32_t i = 0; i < s->promised.cnt; i++) {
        const struct promised *p = s->promised.at + i;
        if (p->arrived == 0)
            NOTE(v, "the write of %s to 0x%llx never reached memory", name(s, p->attempt, who), (unsigned long long)p->addr);
        else if (p->wrong)
            NOTE(v, "the write of %s to 0x%llx reached memory with another value than 0x%08x", name(s, p->attempt, who),
                 (unsigned long long)p->addr, p->value);
        v->report->lost_writes += p->arrived == 0;
        v->report->value_errors += p->arrived != 0 && p->wrong;
    }
}

static void judge_memory(struct verdict *v)
{
    struct cw_serial *s = v->s;
    char who[80];
    for (uint32_t i = 0; i < s->word.cnt; i++) {
        const struct version *last = s->version.at + s->word.at[i].version;
        uint32_t value = memory_word(s, s->word.at[i].addr);
        if (last->writer == 0 || agrees(last, value))
            continue;
        v->report->value_errors++;
        NOTE(v, "memory holds 0x%08x at 0x%llx, but %s wrote 0x%08x last", value, (unsigned long long)s->word.at[i].addr,
             name(s, last->writer, who), last->value);
    }
}

static uint32_t node_of(const struct cw_serial *s, uint32_t attempt)
{
    return attempt != 0 ? s->attempt.at[attempt].node : NONE;
}

/* Edge between committed attempts; why: what it is and about which version. */
static void add_edge(struct verdict *v, uint32_t from, uint32_t to, enum cw_edge_kind kind, uint32_t version)
{
    uint32_t a = node_of(v->s, from), b = node_of(v->s, to);
    if (a != NONE && b != NONE && a != b && !cw_graph_edge(&v->graph, a, b, kind, version))
        v->s->out_of_memory = true;
}

/* The next version's writer, its own versions skipped: an attempt does not conflict with itself. */
static uint32_t next_writer(const struct cw_serial *s, uint32_t version, uint32_t self)
{
    uint32_t i = s->version.at[version].next;
    while (i != NONE && s->version.at[i].writer == self)
        i = s->version.at[i].next;
    return i;
}

static bool build_graph(struct verdict *v)
{
    struct cw_serial *s = v->s;
    uint32_t nodes = 0;
    for (uint32_t i = 1; i < s->attempt.cnt; i++)
        if (s->attempt.at[i].fate == COMMITTED)
            s->attempt.at[i].node = nodes++;
    cw_graph_init(&v->graph, nodes);
    for (uint32_t i = 0; i < s->version.cnt; i++) {
        const struct version *w = s->version.at + i;
        if (w->next != NONE)
            add_edge(v, w->writer, s->version.at[w->next].writer, CW_EDGE_WW, w->next);
    }
    for (uint32_t i = 0; i < s->read.cnt; i++) {
        const struct read *r = s->read.at + i;
        if (r->version == NONE || r->replaced || s->attempt.at[r->attempt].fate != COMMITTED)
            continue;
        uint32_t next = next_writer(s, r->version, r->attempt);
        add_edge(v, s->version.at[r->version].writer, r->attempt, CW_EDGE_WR, r->version);
        if (next != NONE)
            add_edge(v, r->attempt, s->version.at[next].writer, CW_EDGE_RW, next);
    }
    return !s->out_of_memory && cw_graph_close(&v->graph);
}

static void describe_cycle(struct verdict *v, const struct cw_edge *const *cycle, uint32_t length)
{
    static const char *const kind[] = {[CW_EDGE_WR] = "wrote what the next read",
                                       [CW_EDGE_RW] = "read before the next wrote",
                                       [CW_EDGE_WW] = "wrote before the next wrote"};
    struct cw_serial *s = v->s;
    char *text = v->report->text, who[80];
    size_t size = sizeof v->report->text, at = 0;
    uint32_t *attempt = malloc(v->graph.node_cnt * sizeof *attempt);
    if (attempt == NULL)
        return;
    for (uint32_t i = 1; i < s->attempt.cnt; i++)
        if (s->attempt.at[i].node != NONE)
            attempt[s->attempt.at[i].node] = i;
    at += (size_t)snprintf(text, size, "not serializable: cycle of %u transactions", length);
    for (uint32_t i = 0; i < length && at < size; i++) {
        const struct version *w = s->version.at + cycle[i]->label;
        at += (size_t)snprintf(text + at, size - at, "%s %s %s 0x%llx (0x%08x)", i == 0 ? ":" : ",", name(s, attempt[cycle[i]->from], who),
                               kind[cycle[i]->kind], (unsigned long long)s->word.at[w->word].addr, w->value);
    }
    free(attempt);
}

/* Whether the attempt, had it committed, would close a cycle: then no moment exists at which all its reads were true together. */
static bool inconsistent(struct verdict *v, uint32_t attempt)
{
    struct cw_serial *s = v->s;
    uint32_t from[64], to[64], from_cnt = 0, to_cnt = 0;
    for (uint32_t i = s->attempt.at[attempt].reads; i != NONE; i = s->read.at[i].next) {
        const struct read *r = s->read.at + i;
        if (r->version == NONE)
            return true;
        uint32_t writer = node_of(s, s->version.at[r->version].writer), next = next_writer(s, r->version, attempt);
        uint32_t after = next != NONE ? node_of(s, s->version.at[next].writer) : NONE;
        if (writer != NONE && to_cnt < 64)
            to[to_cnt++] = writer;
        if (after != NONE && from_cnt < 64)
            from[from_cnt++] = after;
    }
    return from_cnt > 0 && to_cnt > 0 && cw_graph_reaches(&v->graph, from, from_cnt, to, to_cnt);
}

static void judge_graph(struct verdict *v)
{
    const struct cw_edge *cycle[16];
    struct cw_serial *s = v->s;
    uint32_t length = cw_graph_shortest_cycle(&v->graph, cycle, 16);
    v->report->cycle_length = length;
    if (length > 0) {
        describe_cycle(v, cycle, length < 16 ? length : 16);
        return;
    }
    for (uint32_t i = 1; i < s->attempt.cnt; i++)
        if (s->attempt.at[i].fate == ABORTED)
            v->report->inconsistent_aborted += inconsistent(v, i);
}

static void forget(struct cw_serial *s)
{
    s->attempt.cnt = s->word.cnt = s->version.cnt = s->read.cnt = s->promised.cnt = 0;
    if (s->slot != NULL)
        memset(s->slot, 0, s->slot_cnt * sizeof *s->slot);
    if (NEW(s, attempt) != NONE)
        s->attempt.at[0] = (struct attempt){.fate = COMMITTED, .reads = NONE, .set = NONE, .node = NONE};
}

int cw_serial_check(struct cw_serial *s, struct cw_serial_report *report, struct cw_error *err)
{
    struct verdict v = {.s = s, .report = report};
    *report = (struct cw_serial_report){0};
    for (uint32_t i = 1; i < s->attempt.cnt; i++) {
        report->committed += s->attempt.at[i].fate == COMMITTED;
        report->aborted += s->attempt.at[i].fate == ABORTED;
    }
    judge_reads(&v);
    judge_arrivals(&v);
    judge_memory(&v);
    if (build_graph(&v))
        judge_graph(&v);
    else
        s->out_of_memory = true;
    cw_graph_free(&v.graph);
    if (report->text[0] == '\0')
        memcpy(report->text, v.values, sizeof v.values);
    bool incomplete = s->out_of_memory;
    s->out_of_memory = false;
    forget(s);
    if (incomplete)
        return cw_fail(err, CW_ENOMEM, "serializability oracle: out of host memory");
    return report->text[0] == '\0' ? CW_OK : cw_fail(err, CW_ECHECK, "%s", report->text);
}

int cw_serial_create(struct cw_serial **out, const struct cw_memory *memory, struct cw_error *err)
{
    struct cw_serial *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "serializability oracle: out of host memory");
    s->memory = memory;
    s->observer = (struct cw_tm_observer){
        .self = s, .begin = on_begin, .read = on_read, .validate = on_validate, .write = on_write, .commit = on_commit, .abort = on_abort};
    forget(s);
    if (!s->out_of_memory)
        return CW_OK;
    cw_serial_destroy(s);
    *out = NULL;
    return cw_fail(err, CW_ENOMEM, "serializability oracle: out of host memory");
}

void cw_serial_destroy(struct cw_serial *s)
{
    if (s == NULL)
        return;
    free(s->attempt.at);
    free(s->word.at);
    free(s->version.at);
    free(s->read.at);
    free(s->promised.at);
    free(s->slot);
    free(s);
}

struct cw_tm_observer *cw_serial_observer(struct cw_serial *s)
{
    return &s->observer;
}
