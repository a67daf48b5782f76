/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information that is cut off, broken or goes round in circles: the debugger's reader refuses it, or has less of it, and ends. */
#include "debugger/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "debugger/debug_private.h"

#define BROKEN 400u

static const char *const files[] = {CW_SOURCE_DIR "/tests/debug/types.ptx", CW_BINARY_DIR "/types_clang.ptx"};

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long bytes = ftell(f);
    rewind(f);
    char *text = calloc((size_t)bytes + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)bytes, f), (size_t)bytes);
    fclose(f);
    return text;
}

/* All that the debugger asks of a type. */
static void walk_type(const struct cw_dwarf *w, uint32_t entry)
{
    char name[160];
    const char *member;
    struct cw_debug_object inner;
    const struct cw_debug_type type = cw_debug__type(w, entry);
    const struct cw_debug_object o = {.type = type};
    cw_debug__type_name(&type, name, sizeof name);
    assert_true(strlen(name) < sizeof name);
    cw_debug__size(&type);
    const enum cw_debug_class class = cw_debug__class(&type);
    if (class == CW_DEBUG_ENUM)
        cw_debug__enumerator(&type, 5);
    for (uint32_t i = 0; i < 50 && cw_debug__nth_member(&o, i, &member, &inner); i++)
        assert_true(strlen(member) < 1000);
    cw_debug__member(&o, "none", &inner);
    if (class == CW_DEBUG_ARRAY)
        cw_debug__element(&o, cw_debug__count(&type) / 2, &inner);
    if (class == CW_DEBUG_POINTER)
        cw_debug__pointed(&type, 0, 1, &inner);
}

static void walk(const struct cw_dwarf *w)
{
    uint32_t chain[CW_DWARF_DEPTH];
    struct cw_dwarf_location l;
    for (uint32_t i = 1; i < w->entry_cnt; i++) {
        assert_true(w->entry[i].end > i && w->entry[i].end <= w->entry_cnt && w->entry[i].parent < i);
        cw_dwarf_name(w, i);
        walk_type(w, i);
        walk_type(w, cw_dwarf_type(w, i));
        for (uint32_t line = 40; line < 400; line += 60) {
            cw_dwarf_locate(w, i, line, &l);
            assert_true(strlen(l.reg) < sizeof l.reg);
        }
    }
    for (uint32_t line = 0; line < 400; line += 7)
        for (uint32_t i = 0, cnt = cw_dwarf_around(w, line, chain); i < cnt; i++)
            assert_true(chain[i] > 0 && chain[i] < w->entry_cnt);
}

/* Whether it is read. */
static bool take(const char *text)
{
    const char *why = NULL;
    struct cw_dwarf *w = cw_dwarf_read(text, &why);
    if (w != NULL)
        walk(w);
    else
        assert_non_null(why);
    cw_dwarf_free(w);
    return w != NULL;
}

static void test_dwarf__whole(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        char *text = read_file(files[i]);
        assert_true(take(text));
        free(text);
    }
}

static void test_dwarf__cut_off(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        char *text = read_file(files[i]), *begin = strstr(text, ".debug_info"), *end = strchr(begin, '}');
        assert_non_null(end);
        for (size_t step = (size_t)(end - begin) / BROKEN, k = BROKEN; k > 0; k--) {
            begin[k * step] = '\0';
            assert_false(take(text));
        }
        free(text);
    }
}

/* Digits of the sections become others. */
static void test_dwarf__broken(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint32_t taken = 0;
    cw_rng_seed(&rng, cw_test_seed(1));
    for (uint32_t i = 0; i < 2 * BROKEN; i++) {
        char *text = read_file(files[i % 2]), *begin = strstr(text, ".section"), *end = text + strlen(text);
        for (uint32_t k = 0; k < 1 + i % 8;) {
            char *at = begin + cw_rng_below(&rng, (uint32_t)(end - begin));
            if (*at >= '0' && *at <= '9') {
                *at = (char)('0' + cw_rng_below(&rng, 10));
                k++;
            }
        }
        taken += take(text);
        free(text);
    }
    assert_true(taken > 0 && taken < 2 * BROKEN);
}

/* A typedef of itself (12), a structure (17) with itself in it, an array (30) of itself. */
static void test_dwarf__circles(void **state)
{
    (void)state;
    static const char text[] = ".section .debug_abbrev {\n"
                               ".b8 1,17,1,0,0\n"             /* a unit */
                               ".b8 2,22,0,73,19,0,0\n"       /* typedef: type */
                               ".b8 3,19,1,11,11,0,0\n"       /* structure: bytes */
                               ".b8 4,13,0,73,19,56,11,0,0\n" /* member: type, offset */
                               ".b8 5,1,1,73,19,0,0\n"        /* array: type */
                               ".b8 6,33,0,55,11,0,0\n"       /* of so many */
                               ".b8 0\n}\n"
                               ".section .debug_info {\n.b32 31\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8\n"
                               ".b8 1\n"
                               ".b8 2\n.b32 12\n"
                               ".b8 3,8\n.b8 4\n.b32 17\n.b8 0\n.b8 0\n"
                               ".b8 5\n.b32 26\n.b8 6,9\n.b8 0\n.b8 0\n}\n";
    const char *why;
    struct cw_dwarf *w = cw_dwarf_read(text, &why);
    if (w == NULL)
        fail_msg("%s", why);
    assert_int_equal(w->entry_cnt, 7);
    const struct cw_debug_type self = cw_debug__type(w, 2), structure = cw_debug__type(w, 3), array = cw_debug__type(w, 5);
    assert_int_equal(cw_debug__class(&self), CW_DEBUG_VOID);
    assert_int_equal(cw_debug__size(&self), 0);
    assert_int_equal(cw_debug__size(&structure), 8);
    assert_int_equal(cw_debug__class(&array), CW_DEBUG_ARRAY);
    assert_int_equal(cw_debug__size(&array), 0);
    assert_int_equal(cw_debug__count(&array), 9);
    struct cw_debug_object inner, o = {.type = structure};
    assert_non_null(cw_debug__member(&o, "none", &inner));
    walk(w);
    cw_dwarf_free(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_dwarf__whole),
    cmocka_unit_test(test_dwarf__cut_off),
    cmocka_unit_test(test_dwarf__broken),
    cmocka_unit_test(test_dwarf__circles),
};
CW_TEST_MAIN(tests)
