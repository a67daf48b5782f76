/* SPDX-License-Identifier: Apache-2.0 */
/* it-hc, it-lc: each work-group fills an indexed table in shared memory (GPU-LocalTM 6, IT). The check: the places of each row from the
 * first on hold the row's keys, each once; the places after them are empty, and the row's index says how many they are. */
#include "../session.h"

#define WORDS 1024u /* places of a table */
#define ROWS  256u  /* at the most */

enum { GROUPS, WAVEFRONTS, KEYS, ROW_CNT };

struct tables {
    struct session s;
    uint32_t groups, threads, keys_per_thread, n, rows; /* n: keys of a work-group */
    uint32_t *key, *table, *next;
};

/* Key i of a work-group is i + 1 in the low 16 bits. So keys differ, and one that is found says which it is. */
static void make_keys(struct tables *t, uint32_t *key)
{
    uint32_t used[ROWS] = {0};
    for (uint32_t i = 0; i < t->n;) {
        const uint32_t random = session_below(&t->s, 1u << 16) << 16 | (i + 1), row = (random >> 16) % t->rows;
        if (used[row] == WORDS / t->rows)
            continue;
        used[row]++;
        key[i++] = random;
    }
}

static void open_tables(struct tables *t, struct cowarp_workload_context *x)
{
    *t = (struct tables){.groups = (uint32_t)x->param[GROUPS],
                         .threads = 64 * (uint32_t)x->param[WAVEFRONTS],
                         .keys_per_thread = (uint32_t)x->param[KEYS],
                         .rows = (uint32_t)x->param[ROW_CNT]};
    t->n = t->threads * t->keys_per_thread;
    session_open(&t->s, x);
    if (t->n > WORDS / t->rows * t->rows)
        session_fail(&t->s, COWARP_EINVAL, "%u keys do not fit into a table of %u places; lower wavefronts or keys", t->n, WORDS);
    t->key = session_array(&t->s, (uint64_t)t->groups * t->n, sizeof *t->key);
    t->table = session_array(&t->s, (uint64_t)t->groups * WORDS, sizeof *t->table);
    t->next = session_array(&t->s, (uint64_t)t->groups * t->rows, sizeof *t->next);
    for (uint32_t g = 0; t->s.status == 0 && g < t->groups; g++)
        make_keys(t, t->key + g * t->n);
}

static void check_place(struct tables *t, uint32_t group, uint32_t place, uint8_t *seen)
{
    const uint32_t row = place % t->rows, key = t->table[group * WORDS + place], i = (key & 0xffff) - 1;
    const uint32_t next = row + t->rows * t->next[group * t->rows + row];
    if (place >= next && key != 0)
        session_fail(&t->s, COWARP_ECHECK, "work-group %u: place %u of row %u is taken, but the row's index is %u", group, place / t->rows,
                     row, t->next[group * t->rows + row]);
    if (place >= next)
        return;
    if (i >= t->n || key != t->key[group * t->n + i] || (key >> 16) % t->rows != row)
        session_fail(&t->s, COWARP_ECHECK, "work-group %u: place %u of row %u holds %#x, no key of this row", group, place / t->rows, row,
                     key);
    else if (seen[i]++ != 0)
        session_fail(&t->s, COWARP_ECHECK, "work-group %u: key %#x is there twice", group, key);
}

static void check(struct tables *t)
{
    uint8_t *seen = session_array(&t->s, (uint64_t)t->groups * t->n, 1);
    for (uint32_t g = 0; t->s.status == 0 && g < t->groups; g++) {
        uint32_t taken = 0;
        for (uint32_t row = 0; row < t->rows; row++)
            taken += t->next[g * t->rows + row];
        if (taken != t->n)
            session_fail(&t->s, COWARP_ECHECK, "work-group %u: the rows' indices add up to %u, expected %u", g, taken, t->n);
        for (uint32_t place = 0; t->s.status == 0 && place < WORDS; place++)
            check_place(t, g, place, seen + g * t->n);
    }
    session_passed(&t->s, "%u keys are in %u tables of %u rows, each in a place of its own, without gaps", t->groups * t->n, t->groups,
                   t->rows);
}

static int run(struct cowarp_workload_context *x)
{
    struct tables t;
    open_tables(&t, x);
    const uint64_t key = session_upload(&t.s, t.key, (uint64_t)t.groups * t.n * 4);
    const uint64_t table = session_upload(&t.s, NULL, t.groups * WORDS * UINT64_C(4));
    const uint64_t next = session_upload(&t.s, NULL, (uint64_t)t.groups * t.rows * 4);
    session_launch(&t.s, x->variant == COWARP_TX ? "it_tx" : "it_cglock", t.groups, t.threads, COWARP_U64(key), COWARP_U64(table),
                   COWARP_U64(next), COWARP_U32(t.rows), COWARP_U32(t.keys_per_thread));
    session_read(&t.s, t.table, table, t.groups * WORDS * UINT64_C(4));
    session_read(&t.s, t.next, next, (uint64_t)t.groups * t.rows * 4);
    if (t.s.status == 0)
        check(&t);
    return session_close(&t.s);
}

#define IT(id, word, row_cnt, contention)                                                        \
    static const struct cowarp_workload_param params_##id[] = {                                  \
        [GROUPS] = {"groups", 64, 1, 4096, "work-groups, each with a table of 1,024 places"},    \
        [WAVEFRONTS] = {"wavefronts", 4, 1, 4, "of 64 work-items, per work-group"},              \
        [KEYS] = {"keys", 2, 1, 16, "keys per work-item"},                                       \
        [ROW_CNT] = {"rows", row_cnt, 1, ROWS, "rows of a table"},                               \
    };                                                                                           \
    const struct cowarp_workload cowarp_workload_##id = {                                        \
        .name = word,                                                                            \
        .folder = "it",                                                                          \
        .what = "indexed table in shared memory, " contention " contention (GPU-LocalTM 6, IT)", \
        .system = "localtm",                                                                     \
        .variants = COWARP_TX | COWARP_CGLOCK,                                                   \
        .params = params_##id,                                                                   \
        .param_count = sizeof params_##id / sizeof params_##id[0],                               \
        .run = run,                                                                              \
    }

IT(it_hc, "it-hc", 16, "high");
IT(it_lc, "it-lc", 256, "low");
