/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_WORD 63u

int cw_vfail(struct cw_error *err, int status, const char *fmt, va_list ap)
{
    if (err == NULL)
        return status;
    /* by way of a copy: callers add context to the text that is already there, so err->text may be an argument */
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, fmt, ap);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' '; /* one line, whatever a quoted piece of input holds */
    memcpy(err->text, text, sizeof text);
    return status;
}

int cw_fail(struct cw_error *err, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    cw_vfail(err, status, fmt, ap);
    va_end(ap);
    return status;
}

static uint32_t min3(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* People write names in capitals, and - for _: both are the same letter. */
static bool same(char a, char b)
{
    a = (char)(a == '-' ? '_' : tolower((unsigned char)a));
    b = (char)(b == '-' ? '_' : tolower((unsigned char)b));
    return a == b;
}

/* Optimal string alignment distance: insertions, deletions, replacements and exchanges of neighbours cost one each. Both
 * words are at most MAX_WORD long. */
static uint32_t distance(const char *a, const char *b)
{
    uint32_t row[3][MAX_WORD + 1];
    uint32_t *before = row[0], *last = row[1], *now = row[2];
    uint32_t la = (uint32_t)strlen(a), lb = (uint32_t)strlen(b);
    for (uint32_t j = 0; j <= lb; j++)
        last[j] = j;
    memcpy(before, last, sizeof row[0]);
    for (uint32_t i = 1; i <= la; i++) {
        now[0] = i;
        for (uint32_t j = 1; j <= lb; j++) {
            uint32_t replace = last[j - 1] + !same(a[i - 1], b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, replace);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        uint32_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[lb];
}

/* The only name that begins with the word, of three letters at least, or NULL. */
static const char *only_longer(const char *word, size_t length, const char *const *names, uint32_t n)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < n && length > 2; i++) {
        size_t same_cnt = 0;
        while (same_cnt < length && same(word[same_cnt], names[i][same_cnt]))
            same_cnt++;
        if (same_cnt < length)
            continue;
        if (found != NULL)
            return NULL;
        found = names[i];
    }
    return found;
}

const char *cw_nearest(const char *word, const char *const *names, uint32_t n)
{
    size_t length = strlen(word);
    /* a third of the word may be wrong; more is a different word, and a silly suggestion is worse than none */
    uint32_t best = (uint32_t)length / 3 + 1;
    if (length == 0 || length > MAX_WORD)
        return NULL;
    const char *nearest = only_longer(word, length, names, n);
    if (nearest != NULL)
        return nearest;
    for (uint32_t i = 0; i < n; i++) {
        if (strlen(names[i]) > MAX_WORD)
            continue;
        uint32_t d = distance(word, names[i]);
        if (d < best || (d == best && nearest == NULL)) {
            best = d;
            nearest = names[i];
        }
    }
    return nearest;
}
