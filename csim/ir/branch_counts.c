/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/branch_counts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ir/module.h"

#define VERSION     UINT64_C(1)
#define AGAIN       "record it again (--record-branches)"
#define DIGEST_SIZE 16u /* hexadecimal digits */

uint32_t cw_branch_ways(const struct cw_branch_shape *s, uint32_t *to)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < s->target_cnt; i++) {
        uint32_t j = 0;
        while (j < cnt && to[j] != s->target[i])
            j++;
        if (j == cnt)
            to[cnt++] = s->target[i];
    }
    if (s->guarded)
        to[cnt++] = s->at + 1;
    return cnt;
}

/* ---- entries ---- */

/* Room for one more element; false: no memory, and nothing has changed. */
static bool fit(void **array, uint32_t *cap, uint32_t cnt, size_t bytes)
{
    if (cnt < *cap)
        return true;
    const uint32_t want = *cap < 8 ? 8 : 2 * *cap;
    void *larger = *cap > UINT32_MAX / 4 ? NULL : realloc(*array, want * bytes);
    if (larger == NULL)
        return false;
    *array = larger;
    *cap = want;
    return true;
}

static bool push_way(struct cw_kernel_counts *k, struct cw_branch_way way)
{
    if (!fit((void **)&k->way, &k->way_cap, k->way_cnt, sizeof *k->way))
        return false;
    k->way[k->way_cnt++] = way;
    k->branch[k->branch_cnt - 1].way_cnt++;
    return true;
}

static bool push_branch(struct cw_kernel_counts *k, struct cw_branch_count branch)
{
    if (!fit((void **)&k->branch, &k->branch_cap, k->branch_cnt, sizeof *k->branch))
        return false;
    branch.way = k->way_cnt;
    k->branch[k->branch_cnt++] = branch;
    return true;
}

/* An entry without branches, the last one. NULL: no memory. */
static struct cw_kernel_counts *push_kernel(struct cw_branch_counts *c, const char *name, size_t length, uint64_t digest)
{
    struct cw_kernel_counts *k = NULL;
    char *copy = malloc(length + 1);
    if (copy != NULL && fit((void **)&c->kernel, &c->kernel_cap, c->kernel_cnt, sizeof(*c->kernel)))
        k = calloc(1, sizeof *k);
    if (k == NULL) {
        free(copy);
        return NULL;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    k->name = copy;
    k->digest = digest;
    c->kernel[c->kernel_cnt++] = k;
    return k;
}

struct cw_branch_counts *cw_branch_counts_create(void)
{
    return calloc(1, sizeof(struct cw_branch_counts));
}

void cw_branch_counts_destroy(struct cw_branch_counts *c)
{
    for (uint32_t i = 0; c != NULL && i < c->kernel_cnt; i++) {
        free(c->kernel[i]->name);
        free(c->kernel[i]->branch);
        free(c->kernel[i]->way);
        free(c->kernel[i]);
    }
    if (c != NULL) {
        free(c->kernel);
        free(c->file);
    }
    free(c);
}

static bool is_named(const struct cw_kernel_counts *k, const char *name, size_t length)
{
    return strlen(k->name) == length && memcmp(k->name, name, length) == 0;
}

struct cw_kernel_counts *cw_branch_counts_find(const struct cw_branch_counts *c, const char *name, size_t length, uint64_t digest)
{
    for (uint32_t i = 0; i < c->kernel_cnt; i++)
        if (c->kernel[i]->digest == digest && is_named(c->kernel[i], name, length))
            return c->kernel[i];
    return NULL;
}

/* Appends the branch with counts of 0; whether there was memory for it. */
static bool add_branch(struct cw_kernel_counts *k, const struct cw_branch_shape *s, uint32_t line)
{
    uint32_t *to = malloc((s->target_cnt + 1) * sizeof *to);
    bool ok = to != NULL && push_branch(k, (struct cw_branch_count){.at = s->at, .line = line, .falls = s->guarded});
    const uint32_t cnt = ok ? cw_branch_ways(s, to) : 0;
    for (uint32_t i = 0; i < cnt && ok; i++)
        ok = push_way(k, (struct cw_branch_way){.to = to[i]});
    free(to);
    return ok;
}

int cw_branch_counts_add(struct cw_branch_counts *c, struct cw_kernel_counts **entry, const struct cw_kernel *kernel, struct cw_error *err)
{
    *entry = cw_branch_counts_find(c, kernel->name, strlen(kernel->name), kernel->digest);
    if (*entry != NULL)
        return CW_OK;
    struct cw_kernel_counts *k = *entry = push_kernel(c, kernel->name, strlen(kernel->name), kernel->digest);
    bool ok = k != NULL;
    for (uint32_t i = 0; i < kernel->uop_cnt && ok; i++) {
        const struct cw_uop *u = &kernel->uop[i];
        struct cw_branch_shape s = {.at = i, .guarded = u->guard >= 0, .target = &u->target, .target_cnt = 1};
        if (u->op == CW_OP_BRX) {
            s.target = kernel->brx[u->target].target;
            s.target_cnt = kernel->brx[u->target].cnt;
        }
        if (u->op == CW_OP_BRX || (u->op == CW_OP_BRA && s.guarded))
            ok = add_branch(k, &s, u->line);
    }
    return ok ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for the branches of kernel %s", kernel->name);
}

/* ---- as text ---- */

static void write_kernel(const struct cw_kernel_counts *k, FILE *out)
{
    fprintf(out, "kernel %s %016" PRIx64 " %" PRIu32 "\n", k->name, k->digest, k->branch_cnt);
    for (uint32_t i = 0; i < k->branch_cnt; i++) {
        const struct cw_branch_count *b = &k->branch[i];
        fprintf(out, "branch %" PRIu32 " line %" PRIu32 ":", b->at, b->line);
        for (uint32_t j = 0; j < b->way_cnt; j++) {
            const struct cw_branch_way *w = &k->way[b->way + j];
            if (b->falls && j + 1 == b->way_cnt)
                fprintf(out, " next=%" PRIu64, w->threads);
            else
                fprintf(out, " %" PRIu32 "=%" PRIu64, w->to, w->threads);
        }
        fputc('\n', out);
    }
}

void cw_branch_counts_write(const struct cw_branch_counts *c, FILE *out)
{
    fprintf(out, "cowarp branches %" PRIu64 "\n", VERSION);
    for (uint32_t i = 0; i < c->kernel_cnt; i++)
        write_kernel(c->kernel[i], out);
    fputs("end\n", out);
}

/* ---- reading: the first error is kept, and nothing is taken behind it ---- */

struct scan {
    const char *at, *end, *file;
    uint32_t line;
    int status;
    struct cw_error *err;
};

static bool __attribute__((format(printf, 2, 3))) fail(struct scan *s, const char *fmt, ...)
{
    char what[6000];
    va_list ap;
    if (s->status != CW_OK)
        return false;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    s->status = cw_fail(s->err, CW_EINVAL, "%s:%" PRIu32 ": %s", s->file, s->line, what);
    return false;
}

static bool no_memory(struct scan *s)
{
    if (s->status == CW_OK)
        s->status = cw_fail(s->err, CW_ENOMEM, "%s: out of memory", s->file);
    return false;
}

/* Whether there is more text; the form ends with a line of its own, so there has to be. */
static bool goes_on(struct scan *s)
{
    return s->status == CW_OK && (s->at < s->end || fail(s, "the file ends here, before its 'end'; " AGAIN));
}

/* The word at this place, for messages. */
static const char *word(const struct scan *s, char text[48])
{
    uint32_t n = 0;
    for (const char *c = s->at; c < s->end && *c != ' ' && *c != '\n' && n < 40; c++)
        text[n++] = (char)(*c > 32 && *c < 127 ? *c : '?');
    text[n] = '\0';
    return text;
}

/* Takes exactly these characters. */
static bool expect(struct scan *s, const char *what)
{
    const char *const start = s->at, *text = what + strspn(what, " ");
    char found[48];
    for (const char *c = what; *c != '\0'; c++, s->at++) {
        if (!goes_on(s))
            return false;
        if (*s->at != *c) {
            s->at = c < text ? start : start + (text - what); /* the whole word, for the message */
            if (*text == '\0')
                return fail(s, "expected a blank, not '%s'; " AGAIN, word(s, found));
            return fail(s, "expected '%.*s', not '%s'; " AGAIN, (int)strcspn(text, " \n"), text, word(s, found));
        }
        s->line += *c == '\n';
    }
    return true;
}

static bool expect_end_of_line(struct scan *s)
{
    char text[48];
    if (goes_on(s) && *s->at != '\n')
        return fail(s, "expected the end of the line, not '%s'; " AGAIN, word(s, text));
    return expect(s, "\n");
}

static bool take_number(struct scan *s, uint64_t max, const char *what, uint64_t *value)
{
    char text[48];
    if (!goes_on(s))
        return false;
    const char *start = s->at;
    word(s, text);
    *value = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        const uint64_t digit = (uint64_t)(*s->at - '0');
        if ((s->at > start && *start == '0') || *value > (max - digit) / 10)
            return fail(s, "'%s': no %s, which is a number from 0 to %" PRIu64, text, what, max);
        *value = 10 * *value + digit;
    }
    return s->at > start || fail(s, "'%s': no %s, which is a number from 0 to %" PRIu64, text, what, max);
}

static bool take_micro_op(struct scan *s, uint32_t *value)
{
    uint64_t wide;
    if (!take_number(s, UINT32_MAX - 1, "instruction", &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

static bool take_digest(struct scan *s, uint64_t *digest)
{
    static const char digits[] = "0123456789abcdef";
    char text[48];
    *digest = 0;
    for (uint32_t i = 0; i < DIGEST_SIZE; i++, s->at++) {
        const char *digit = goes_on(s) ? memchr(digits, *s->at, sizeof digits - 1) : NULL;
        if (digit == NULL)
            return fail(s, "'%s': expected a digest of %u hexadecimal digits", word(s, text), DIGEST_SIZE);
        *digest = *digest << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

/* " TO=THREADS" or " next=THREADS", the latter as the last one of a branch. */
static bool take_way(struct scan *s, struct cw_kernel_counts *k)
{
    struct cw_branch_count *b = &k->branch[k->branch_cnt - 1];
    struct cw_branch_way way = {.to = b->at + 1};
    if (b->falls)
        return fail(s, "a branch has nothing behind 'next'; " AGAIN);
    if (!expect(s, " ") || !goes_on(s))
        return false;
    b->falls = *s->at == 'n';
    if (!(b->falls ? expect(s, "next") : take_micro_op(s, &way.to)))
        return false;
    if (!expect(s, "=") || !take_number(s, UINT64_MAX, "count of threads", &way.threads))
        return false;
    return push_way(k, way) || no_memory(s);
}

static bool take_branch(struct scan *s, struct cw_kernel_counts *k)
{
    struct cw_branch_count b = {.where = s->line};
    uint64_t line;
    if (!expect(s, "branch ") || !take_micro_op(s, &b.at) || !expect(s, " line ") || !take_number(s, UINT32_MAX, "line", &line) ||
        !expect(s, ":"))
        return false;
    b.line = (uint32_t)line;
    if (k->branch_cnt > 0 && k->branch[k->branch_cnt - 1].at >= b.at)
        return fail(s, "the branch at instruction %" PRIu32 " stands behind that at %" PRIu32 "; " AGAIN, b.at,
                    k->branch[k->branch_cnt - 1].at);
    if (!push_branch(k, b))
        return no_memory(s);
    do {
        if (!take_way(s, k))
            return false;
    } while (goes_on(s) && *s->at == ' ');
    return expect_end_of_line(s);
}

static bool is_printing(char c)
{
    return c >= '!' && c <= '~';
}

static bool take_kernel(struct scan *s, struct cw_branch_counts *c)
{
    uint64_t digest, branches;
    const uint32_t where = s->line;
    if (!expect(s, "kernel "))
        return false;
    const char *name = s->at;
    while (s->at != s->end && is_printing(*s->at))
        s->at++;
    const size_t length = (size_t)(s->at - name);
    if (goes_on(s) && length == 0)
        return fail(s, "the kernel has no name; " AGAIN);
    if (!expect(s, " ") || !take_digest(s, &digest) || !expect(s, " ") || !take_number(s, UINT32_MAX, "number of branches", &branches))
        return false;
    if (cw_branch_counts_find(c, name, length, digest) != NULL)
        return fail(s, "kernel '%.*s' for the second time; " AGAIN, (int)length, name);
    struct cw_kernel_counts *k = push_kernel(c, name, length, digest);
    if (k == NULL)
        return no_memory(s);
    k->where = where;
    bool ok = expect_end_of_line(s);
    while (ok && k->branch_cnt < branches) {
        if (goes_on(s) && *s->at != 'b')
            return fail(s, "kernel '%s' has %" PRIu64 " branches, and here are %" PRIu32 "; " AGAIN, k->name, branches, k->branch_cnt);
        ok = take_branch(s, k);
    }
    return ok;
}

static void take_all(struct scan *s, struct cw_branch_counts *c)
{
    static const char first[] = "cowarp branches ";
    char text[48];
    uint64_t version;
    if (s->at == s->end) {
        fail(s, "the file is empty; " AGAIN);
        return;
    }
    if ((size_t)(s->end - s->at) < sizeof first || memcmp(s->at, first, sizeof first - 1) != 0) {
        fail(s, "these are no counts of branches, which begin with '%s%" PRIu64 "'; record some (--record-branches)", first, VERSION);
        return;
    }
    s->at += sizeof first - 1;
    if (take_number(s, UINT64_MAX, "version", &version) && version != VERSION)
        fail(s, "counts of branches in version %" PRIu64 ", and this program reads version %" PRIu64 "; " AGAIN, version, VERSION);
    bool ok = expect_end_of_line(s);
    while (ok && goes_on(s) && *s->at == 'k')
        ok = take_kernel(s, c);
    if (ok && goes_on(s) && *s->at != 'e')
        ok = fail(s, "expected a kernel or 'end', not '%s'; " AGAIN, word(s, text));
    if (ok && expect(s, "end\n") && s->at < s->end)
        fail(s, "there is something behind 'end'; " AGAIN);
}

int cw_branch_counts_read(struct cw_branch_counts **out, const char *text, size_t length, const char *file, struct cw_error *err)
{
    struct cw_branch_counts *c = cw_branch_counts_create();
    struct scan s = {.at = text, .end = text + length, .file = file, .line = 1, .err = err};
    *out = NULL;
    if (c != NULL)
        c->file = malloc(strlen(file) + 1);
    if (c == NULL || c->file == NULL) {
        no_memory(&s);
    } else {
        strcpy(c->file, file);
        take_all(&s, c);
    }
    if (s.status == CW_OK)
        *out = c;
    else
        cw_branch_counts_destroy(c);
    return s.status;
}
