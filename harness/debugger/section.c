/* SPDX-License-Identifier: Apache-2.0 */
/* An assembler for the sections of debug information that stand in the text of a PTX: .b8 1,2 and .b64 LABEL. */
#include "debugger/section.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST (UINT32_C(1) << 28) /* of a section */

struct label {
    const char *name;
    uint32_t length;
    uint64_t value;
};

/* A number that waits for the value of a label, less that of another one. */
struct fixup {
    uint32_t section, at, bytes;
    struct label plus, minus; /* whose value is no matter; minus.length 0: none */
    uint64_t addend;
};

struct reader {
    const char *text, *at;
    uint32_t line;
    uint32_t section; /* CW_SECTIONS: one that nobody reads */
    struct cw_section_bytes *to;
    size_t room[CW_SECTIONS];
    struct label *label;
    size_t label_cnt, label_room;
    struct fixup *fixup;
    size_t fixup_cnt, fixup_room;
    const char *wrong;
};

/* ---- tables ---- */

/* Room for one more. */
static void *fit(struct reader *r, void *table, size_t cnt, size_t *room, size_t bytes)
{
    if (cnt < *room)
        return table;
    const size_t larger = *room == 0 ? 256 : 2 * *room;
    void *more = realloc(table, larger * bytes);
    if (more == NULL)
        r->wrong = "there is no memory for its debug information";
    else
        *room = larger;
    return more != NULL ? more : table;
}

static void add_label(struct reader *r, const char *name, size_t length, uint64_t value)
{
    r->label = fit(r, r->label, r->label_cnt, &r->label_room, sizeof *r->label);
    if (r->wrong == NULL)
        r->label[r->label_cnt++] = (struct label){name, (uint32_t)length, value};
}

static int by_name(const void *left, const void *right)
{
    const struct label *a = left, *b = right;
    const int order = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static void emit(struct reader *r, uint64_t value, uint32_t bytes)
{
    if (r->section == CW_SECTIONS)
        return;
    struct cw_section_bytes *s = &r->to[r->section];
    if (s->bytes + bytes >= BYTES_MOST)
        r->wrong = "its debug information is too large";
    while (r->wrong == NULL && s->bytes + bytes + 1 > r->room[r->section]) /* with the 0 behind its end */
        s->at = fit(r, s->at, r->room[r->section], &r->room[r->section], 1);
    for (uint32_t i = 0; r->wrong == NULL && i < bytes; i++)
        s->at[s->bytes++] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

/* ---- the text ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

size_t cw_section_word(const char *at)
{
    size_t length = 0;
    while (is_word(at[length]))
        length++;
    return length;
}

static void skip_blanks(struct reader *r, bool commas)
{
    for (; *r->at != '\0'; r->at++) {
        if (r->at[0] == '/' && r->at[1] == '/')
            r->at += strcspn(r->at, "\n");
        if (*r->at == '\n')
            r->line++;
        else if (!isspace((unsigned char)*r->at) && (*r->at != ',' || !commas))
            return;
    }
}

static struct label take_word(struct reader *r)
{
    const char *begin = r->at;
    r->at += cw_section_word(begin);
    return (struct label){begin, (uint32_t)(r->at - begin), 0};
}

static bool is(const struct label *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->name, text, word->length) == 0;
}

/* LABEL, LABEL+N, LABEL-N, LABEL-LABEL, N */
static void take_number(struct reader *r, uint32_t bytes)
{
    char *end;
    if (isdigit((unsigned char)*r->at) || *r->at == '-') {
        const uint64_t value = *r->at == '-' ? (uint64_t)strtoll(r->at, &end, 0) : strtoull(r->at, &end, 0);
        if (end == r->at)
            r->wrong = "a number of its debug information cannot be read";
        r->at = end;
        emit(r, value, bytes);
        return;
    }
    struct fixup f = {.section = r->section, .at = r->section < CW_SECTIONS ? r->to[r->section].bytes : 0, .bytes = bytes};
    f.plus = take_word(r);
    const char sign = *r->at;
    if (sign == '+' || sign == '-') {
        r->at++;
        if (isdigit((unsigned char)*r->at)) {
            const uint64_t number = strtoull(r->at, &end, 0);
            f.addend = sign == '+' ? number : 0 - number;
            r->at = end;
        } else {
            f.minus = take_word(r);
        }
    }
    emit(r, 0, bytes);
    if (r->section == CW_SECTIONS || r->wrong != NULL)
        return;
    r->fixup = fit(r, r->fixup, r->fixup_cnt, &r->fixup_room, sizeof *r->fixup);
    if (r->wrong == NULL)
        r->fixup[r->fixup_cnt++] = f;
}

/* Between the braces. */
static void take_section(struct reader *r)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } widths[] = {{".b8", 1}, {".b16", 2}, {".b32", 4}, {".b64", 8}};
    uint32_t bytes = 1;
    for (;;) {
        skip_blanks(r, true);
        const char *const here = r->at;
        if (*here == '}' || *here == '\0' || r->wrong != NULL)
            break;
        if (!is_word(*here) && *here != '-') {
            r->wrong = "its debug information has a sign that cannot be read";
            break;
        }
        const struct label word = take_word(r);
        uint32_t width = 0;
        for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
            width = is(&word, widths[i].name) ? widths[i].bytes : width;
        if (width != 0) {
            bytes = width;
        } else if (word.length > 0 && *r->at == ':') {
            r->at++;
            add_label(r, word.name, word.length, r->section < CW_SECTIONS ? r->to[r->section].bytes : 0);
        } else {
            r->at = here;
            take_number(r, bytes);
        }
    }
    if (*r->at == '}')
        r->at++;
    else if (r->wrong == NULL)
        r->wrong = "its debug information is cut off";
}

static const char *const names[CW_SECTIONS] = {".debug_abbrev", ".debug_info", ".debug_str", ".debug_loc", ".debug_ranges"};

/* A line of the text, or a section. */
static void take_line(struct reader *r)
{
    skip_blanks(r, false);
    const struct label word = take_word(r);
    if (is(&word, ".section")) {
        skip_blanks(r, false);
        const struct label name = take_word(r);
        r->section = CW_SECTIONS;
        for (uint32_t i = 0; i < CW_SECTIONS; i++)
            r->section = is(&name, names[i]) ? i : r->section;
        skip_blanks(r, false);
        if (*r->at == '{') {
            r->at++;
            take_section(r);
            return;
        }
    } else if (word.length > 0 && r->at[0] == ':' && r->at[1] != ':') {
        add_label(r, word.name, word.length, r->line);
    }
    r->at += strcspn(r->at, "\n");
}

/* What a name is: a label's value, a section's begin, or else a variable. */
static uint64_t value_of(const struct reader *r, const struct label *name)
{
    const struct label *found = r->label_cnt > 0 ? bsearch(name, r->label, r->label_cnt, sizeof *r->label, by_name) : NULL;
    if (found != NULL)
        return found->value;
    if (name->length == 0 || name->name[0] == '.')
        return 0;
    return CW_DWARF_SYMBOL | (uint64_t)(name->name - r->text);
}

static void settle(struct reader *r)
{
    if (r->label_cnt > 0)
        qsort(r->label, r->label_cnt, sizeof *r->label, by_name);
    for (size_t i = 0; i < r->fixup_cnt; i++) {
        const struct fixup *f = &r->fixup[i];
        const uint64_t value = value_of(r, &f->plus) + f->addend - (f->minus.length > 0 ? value_of(r, &f->minus) : 0);
        for (uint32_t k = 0; k < f->bytes; k++)
            r->to[f->section].at[f->at + k] = (uint8_t)(value >> 8 * k);
    }
}

const char *cw_sections_read(const char *text, struct cw_section_bytes to[CW_SECTIONS])
{
    struct reader r = {.text = text, .at = text, .line = 1, .to = to};
    memset(to, 0, CW_SECTIONS * sizeof *to);
    for (r.section = 0; r.section < CW_SECTIONS && r.wrong == NULL; r.section++)
        emit(&r, 0, 1); /* so that each is somewhere, if it is only a 0 */
    for (uint32_t i = 0; i < CW_SECTIONS; i++)
        to[i].bytes = 0;
    while (*r.at != '\0' && r.wrong == NULL)
        take_line(&r);
    if (r.wrong == NULL)
        settle(&r);
    for (uint32_t i = 0; i < CW_SECTIONS; i++) {
        if (r.wrong == NULL) {
            to[i].at[to[i].bytes] = 0;
        } else {
            free(to[i].at);
            to[i] = (struct cw_section_bytes){0};
        }
    }
    free(r.label);
    free(r.fixup);
    return r.wrong;
}
