/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/rng.h"
#include "cw_test.h"
#include "ir/uop.h"
#include "mem/device_memory.h"

#define GLOBAL CW_REGION_GLOBAL

static struct cw_memory *memory_of(uint64_t bytes)
{
    struct cw_error err;
    struct cw_memory *m;
    assert_int_equal(cw_memory_create(&m, bytes, 0, &err), CW_OK);
    return m;
}

static uint64_t alloc(struct cw_memory *m, uint64_t bytes, uint32_t kind)
{
    struct cw_error err;
    uint64_t addr = 0;
    assert_int_equal(cw_memory_alloc(m, &addr, bytes, kind, &err), CW_OK);
    return addr;
}

static uint8_t byte_at(const struct cw_memory *m, uint64_t addr)
{
    uint8_t byte;
    cw_memory_read(m, addr, &byte, 1);
    return byte;
}

static void test_device_memory__allocations_are_aligned_apart_and_zero(void **state)
{
    (void)state;
    struct cw_memory *m = memory_of(1 << 20);
    uint64_t end = CW_GLOBAL_BASE;
    for (uint32_t bytes = 1; bytes < 2000; bytes += 37) {
        const uint64_t addr = alloc(m, bytes, GLOBAL);
        const uint8_t mark = 0xff;
        assert_int_equal(addr, end); /* without a free, one follows the other */
        for (uint32_t b = 0; b < bytes; b++)
            assert_int_equal(byte_at(m, addr + b), 0);
        cw_memory_write(m, addr + bytes - 1, &mark, 1); /* must not appear in the next one */
        end = addr + (bytes + 255) / 256 * 256;
    }
    cw_memory_destroy(m);
}

static void test_device_memory__valid_ends_with_the_allocation(void **state)
{
    (void)state;
    struct cw_memory *m = memory_of(1 << 16);
    assert_false(cw_memory_valid(m, CW_GLOBAL_BASE, 1));
    const uint64_t a = alloc(m, 512, GLOBAL);
    assert_int_equal(a, CW_GLOBAL_BASE);
    assert_true(cw_memory_valid(m, a, 512));
    assert_true(cw_memory_valid(m, a + 511, 1));
    assert_false(cw_memory_valid(m, a + 511, 2));
    assert_false(cw_memory_valid(m, a + 512, 1));
    assert_false(cw_memory_valid(m, a - 1, 1));
    assert_false(cw_memory_valid(m, 0, 1));
    assert_false(cw_memory_valid(m, a, UINT64_MAX));
    assert_false(cw_memory_valid(m, UINT64_MAX, 2));
    cw_memory_destroy(m);
}

static void test_device_memory__red_zones_lie_between_allocations(void **state)
{
    (void)state;
    struct cw_memory *m = memory_of(1 << 16);
    uint64_t top;
    struct cw_error err;
    cw_memory_set_redzone(m, 300); /* 512 */
    assert_null(cw_memory_nearest(m, CW_GLOBAL_BASE));
    const uint64_t a = alloc(m, 10, GLOBAL), b = alloc(m, 256, GLOBAL);
    assert_int_equal(a, CW_GLOBAL_BASE + 512);
    assert_int_equal(b, a + 256 + 512);
    assert_int_equal(cw_memory_alloc_top(m, &top, 100, GLOBAL, &err), CW_OK);
    assert_int_equal(top, CW_GLOBAL_BASE + (1 << 16) - 512 - 256);
    assert_true(cw_memory_holds(m, a, 10));
    assert_false(cw_memory_holds(m, a + 9, 2));
    assert_false(cw_memory_holds(m, a + 10, 1));
    assert_true(cw_memory_valid(m, a, 256)); /* the padding, which lines need */
    assert_false(cw_memory_holds(m, a - 1, 2));
    assert_false(cw_memory_holds(m, 0, 1));
    assert_true(cw_memory_holds(m, b + 255, 1));
    assert_int_equal(cw_memory_nearest(m, 0)->base, a);
    assert_int_equal(cw_memory_nearest(m, a + 9)->base, a);
    assert_int_equal(cw_memory_nearest(m, a + 10 + 379)->base, a); /* halfway: 758 bytes lie between them */
    assert_int_equal(cw_memory_nearest(m, a + 10 + 380)->base, b);
    assert_int_equal(cw_memory_nearest(m, UINT64_MAX)->base, top);
    assert_int_equal(cw_memory_free(m, a, &err), CW_OK);
    assert_int_equal(alloc(m, 256, GLOBAL), a); /* the gap that it left is as large as before, and no larger */
    assert_int_equal(cw_memory_alloc_top(m, &top, (1 << 16) - 6 * 512, GLOBAL, &err), CW_ENOMEM);
    cw_memory_destroy(m);
}

static void test_device_memory__freed_places_are_kept_until_memory_is_short(void **state)
{
    (void)state;
    struct cw_memory *m = memory_of(1 << 14); /* 64 pieces of 256 bytes */
    struct cw_region freed;
    struct cw_error err;
    cw_memory_set_redzone(m, 1);
    cw_memory_keep_freed(m);
    uint64_t a[20];
    for (uint32_t i = 0; i < 20; i++)
        a[i] = alloc(m, 200, GLOBAL); /* all but 24 pieces, with the red zones */
    for (uint32_t i = 0; i < 20; i += 2)
        assert_int_equal(cw_memory_free(m, a[i], &err), CW_OK);
    assert_true(cw_memory_was_freed(m, a[2] + 199, &freed));
    assert_int_equal(freed.base, a[2]);
    assert_int_equal(freed.bytes, 200);
    assert_false(cw_memory_was_freed(m, a[2] + 200, &freed)); /* padding */
    assert_false(cw_memory_was_freed(m, a[1], &freed));
    assert_false(cw_memory_holds(m, a[2], 1));
    assert_int_equal(cw_memory_free(m, a[2], &err), CW_EINVAL); /* twice */
    assert_true(alloc(m, 200, GLOBAL) > a[19]);
    for (uint32_t i = 0; i < 10; i++)
        alloc(m, 200, GLOBAL);
    assert_true(cw_memory_was_freed(m, a[2], &freed));
    assert_int_equal(alloc(m, 200, GLOBAL), a[0]); /* nothing else was left */
    assert_false(cw_memory_was_freed(m, a[2], &freed));
    for (uint32_t i = 2; i < 20; i += 2)
        assert_int_equal(alloc(m, 200, GLOBAL), a[i]);
    cw_memory_destroy(m);
}

static void test_device_memory__without_red_zones_padding_may_be_accessed(void **state)
{
    (void)state;
    struct cw_memory *m = memory_of(1 << 16);
    const uint64_t a = alloc(m, 10, GLOBAL);
    alloc(m, 10, GLOBAL);
    assert_true(cw_memory_holds(m, a, 512)); /* both */
    assert_false(cw_memory_holds(m, a, 513));
    cw_memory_destroy(m);
}

static void test_device_memory__regions_have_kinds(void **state)
{
    (void)state;
    struct cw_memory *m = memory_of(1 << 16);
    assert_null(cw_memory_region(m, CW_GLOBAL_BASE));
    static const uint32_t kinds[] = {CW_REGION_MODULE, GLOBAL, CW_REGION_LOCAL, CW_REGION_MECHANISM + 1};
    uint64_t addr[4];
    for (int i = 0; i < 4; i++)
        addr[i] = alloc(m, 300, kinds[i]);
    for (int i = 0; i < 4; i++)
        for (uint64_t at = addr[i]; at < addr[i] + 512; at++) { /* the padding too */
            const struct cw_region *r = cw_memory_region(m, at);
            assert_non_null(r);
            assert_int_equal(r->base, addr[i]);
            assert_int_equal(r->bytes, 300);
            assert_int_equal(r->kind, kinds[i]);
        }
    assert_null(cw_memory_region(m, CW_GLOBAL_BASE - 1));
    assert_null(cw_memory_region(m, 0));
    assert_null(cw_memory_region(m, addr[3] + 512));
    cw_memory_destroy(m);
}

static void test_device_memory__full_is_an_error_and_changes_nothing(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_memory *m = memory_of(1000);
    uint64_t a = 7;
    assert_int_equal(cw_memory_alloc(m, &a, 1001, GLOBAL, &err), CW_ENOMEM);
    assert_int_equal(cw_memory_alloc(m, &a, UINT64_MAX, GLOBAL, &err), CW_ENOMEM);
    assert_int_equal(cw_memory_alloc(m, &a, 0, GLOBAL, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc(m, &a, 513, GLOBAL, &err), CW_OK);   /* 768 */
    assert_int_equal(cw_memory_alloc(m, &a, 1, GLOBAL, &err), CW_ENOMEM); /* 232 left: not a whole 256 */
    assert_int_equal(a, CW_GLOBAL_BASE);
    cw_memory_destroy(m);
    assert_int_equal(cw_memory_create(&m, 0, 0, &err), CW_EINVAL);
    assert_null(m);
}

static void test_device_memory__pieces_are_not_one_piece(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_memory *m = memory_of(4 * 256);
    uint64_t addr[4], a;
    for (int i = 0; i < 4; i++)
        addr[i] = alloc(m, 256, GLOBAL);
    assert_int_equal(cw_memory_free(m, addr[0], &err), CW_OK);
    assert_int_equal(cw_memory_free(m, addr[2], &err), CW_OK);
    assert_int_equal(cw_memory_alloc(m, &a, 512, GLOBAL, &err), CW_ENOMEM);
    assert_non_null(strstr(err.text, "512 of 1024 left, but not more than 256 in one piece"));
    assert_int_equal(cw_memory_free(m, addr[1], &err), CW_OK);
    assert_int_equal(alloc(m, 768, GLOBAL), addr[0]); /* the three have become one */
    cw_memory_destroy(m);
}

static void test_device_memory__wrong_free_is_refused(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_memory *m = memory_of(1 << 16);
    const uint64_t a = alloc(m, 1000, GLOBAL), b = alloc(m, 10, GLOBAL);
    assert_int_equal(cw_memory_free(m, a + 256, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "lies inside the allocation of 1000 bytes at 0x100000000"));
    assert_int_equal(cw_memory_free(m, 0, &err), CW_EINVAL);
    assert_int_equal(cw_memory_free(m, b + 256, &err), CW_EINVAL);
    assert_int_equal(cw_memory_free(m, UINT64_MAX, &err), CW_EINVAL);
    assert_true(cw_memory_valid(m, a, 1000 + 24 + 10));
    assert_int_equal(cw_memory_free(m, a, &err), CW_OK);
    assert_int_equal(cw_memory_free(m, a, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "nothing is allocated there"));
    assert_false(cw_memory_valid(m, a, 1));
    assert_false(cw_memory_valid(m, b - 1, 1));
    assert_false(cw_memory_valid(m, b - 1, 2));
    assert_true(cw_memory_valid(m, b, 10));
    cw_memory_destroy(m);
}

/* A large piece goes back to the host in pages, its ends are overwritten: all of it has to be zero again, and nothing beside it. */
static void test_device_memory__freed_memory_is_zero_again(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 256, 4096, 65536 - 256, 65536, 65536 + 512, 1 << 20, (1 << 20) + 12345};
    struct cw_error err;
    uint64_t checks = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct cw_memory *m = memory_of(4 << 20);
        const uint64_t before = alloc(m, 256, GLOBAL), a = alloc(m, sizes[i], GLOBAL), behind = alloc(m, 256, GLOBAL);
        uint8_t *bytes = malloc(sizes[i]);
        memset(bytes, 0xa5, sizes[i]);
        cw_memory_write(m, a, bytes, sizes[i]);
        cw_memory_write(m, before + 255, bytes, 1);
        cw_memory_write(m, behind, bytes, 1);
        assert_int_equal(cw_memory_free(m, a, &err), CW_OK);
        assert_int_equal(alloc(m, sizes[i], GLOBAL), a);
        cw_memory_read(m, a, bytes, sizes[i]);
        for (uint64_t b = 0; b < sizes[i]; b++, checks++)
            assert_int_equal(bytes[b], 0);
        assert_int_equal(byte_at(m, before + 255), 0xa5);
        assert_int_equal(byte_at(m, behind), 0xa5);
        free(bytes);
        cw_memory_destroy(m);
    }
    print_message("%llu bytes checked\n", (unsigned long long)checks);
}

/* A model that is as simple as can be: one owner per unit of 256 bytes. */
#define UNITS  96u
#define ROUNDS 20000u

struct model {
    uint32_t owner[UNITS]; /* number of the allocation, 0: free */
    uint64_t bytes[UNITS]; /* at its first unit: as asked for */
    uint32_t next;
    uint64_t checks;
};

static int is_free(const struct model *model, uint32_t place, uint32_t units)
{
    for (uint32_t u = place; u < place + units; u++)
        if (model->owner[u] != 0)
            return 0;
    return 1;
}

static void try_alloc(struct cw_memory *m, struct model *model, uint64_t bytes, int top)
{
    struct cw_error err;
    uint64_t addr = 0;
    const uint32_t units = (uint32_t)((bytes + 255) / 256);
    uint32_t place = UNITS;
    for (uint32_t at = 0; at + units <= UNITS; at++)
        if (is_free(model, at, units) && (top || place == UNITS))
            place = at;
    const int status = (top ? cw_memory_alloc_top : cw_memory_alloc)(m, &addr, bytes, model->next, &err);
    assert_int_equal(status, place < UNITS ? CW_OK : CW_ENOMEM);
    model->checks++;
    if (status != CW_OK)
        return;
    assert_int_equal(addr, CW_GLOBAL_BASE + 256 * (uint64_t)place);
    for (uint32_t u = place; u < place + units; u++)
        model->owner[u] = model->next;
    model->bytes[place] = bytes;
    for (uint64_t b = 0; b < bytes; b += 61) /* dirt of an earlier owner? */
        assert_int_equal(byte_at(m, addr + b), 0);
    const uint8_t dirt = (uint8_t)(model->next | 1);
    for (uint64_t b = 0; b < bytes; b += 61)
        cw_memory_write(m, addr + b, &dirt, 1);
    model->next++;
}

static void try_free(struct cw_memory *m, struct model *model, uint32_t unit)
{
    struct cw_error err;
    const uint32_t owner = model->owner[unit];
    const int begins = owner != 0 && (unit == 0 || model->owner[unit - 1] != owner);
    assert_int_equal(cw_memory_free(m, CW_GLOBAL_BASE + 256 * (uint64_t)unit, &err), begins ? CW_OK : CW_EINVAL);
    model->checks++;
    for (uint32_t u = unit; begins && u < UNITS && model->owner[u] == owner; u++)
        model->owner[u] = 0;
}

static void look_around(const struct cw_memory *m, struct model *model, struct cw_rng *rng)
{
    const uint64_t at = cw_rng_below(rng, UNITS * 256 + 100), bytes = 1 + cw_rng_below(rng, 3000);
    int all = at + bytes <= UNITS * 256;
    for (uint64_t u = at / 256; all && u <= (at + bytes - 1) / 256; u++)
        all = model->owner[u] != 0;
    assert_int_equal(cw_memory_valid(m, CW_GLOBAL_BASE + at, bytes), all);
    const struct cw_region *r = cw_memory_region(m, CW_GLOBAL_BASE + at);
    const uint32_t owner = at < UNITS * 256 ? model->owner[at / 256] : 0;
    assert_int_equal(r != NULL, owner != 0);
    if (r != NULL) {
        assert_int_equal(r->kind, owner);
        assert_int_equal(r->bytes, model->bytes[(r->base - CW_GLOBAL_BASE) / 256]);
        assert_true(r->base <= CW_GLOBAL_BASE + at);
    }
    model->checks += 2;
}

static void test_device_memory__random_against_a_model(void **state)
{
    (void)state;
    struct cw_rng rng;
    struct model model = {.next = CW_REGION_MECHANISM};
    struct cw_memory *m = memory_of(UNITS * 256);
    cw_rng_seed(&rng, cw_test_seed(1));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        /* by turns more allocations and more frees, so that memory is sometimes full and sometimes empty */
        const uint32_t allocs = round / 500 % 2 == 0 ? 60 : 20;
        if (cw_rng_below(&rng, 100) < allocs)
            try_alloc(m, &model, 1 + cw_rng_below(&rng, cw_rng_below(&rng, 8) == 0 ? 6000 : 900), cw_rng_below(&rng, 4) == 0);
        else
            try_free(m, &model, (uint32_t)cw_rng_below(&rng, UNITS));
        look_around(m, &model, &rng);
    }
    print_message("%llu checks\n", (unsigned long long)model.checks);
    assert_int_equal(model.checks, 3 * ROUNDS);
    cw_memory_destroy(m);
}

static void test_device_memory__masked_writes_leave_the_rest(void **state)
{
    (void)state;
    struct cw_rng rng;
    struct cw_memory *m = memory_of(1024);
    uint8_t want[128] = {0}, from[128], got[128];
    uint64_t checks = 0;
    const uint64_t a = alloc(m, 128, GLOBAL);
    cw_rng_seed(&rng, cw_test_seed(2));
    for (int round = 0; round < 2000; round++) {
        const uint32_t bytes = 1 + (uint32_t)cw_rng_below(&rng, 128);
        uint32_t mask[4];
        for (uint32_t b = 0; b < 128; b++)
            from[b] = (uint8_t)cw_rng_next(&rng);
        for (int w = 0; w < 4; w++)
            mask[w] = cw_rng_below(&rng, 3) == 0 ? UINT32_MAX : (uint32_t)cw_rng_next(&rng);
        for (uint32_t b = 0; b < bytes; b++)
            if (mask[b / 32] >> b % 32 & 1)
                want[b] = from[b];
        cw_memory_write_masked(m, a, from, mask, bytes);
        cw_memory_read(m, a, got, sizeof got);
        assert_memory_equal(got, want, sizeof want);
        checks += sizeof want;
    }
    print_message("%llu checks\n", (unsigned long long)checks);
    cw_memory_destroy(m);
}

static void test_device_memory__reserving_much_touches_little(void **state)
{
    (void)state;
    struct cw_memory *m = memory_of(UINT64_C(16) << 30);
    const uint64_t a = alloc(m, UINT64_C(16) << 30, GLOBAL), last = a + (UINT64_C(16) << 30) - 1;
    const uint8_t one = 1;
    cw_memory_write(m, last, &one, 1);
    assert_int_equal(byte_at(m, last), 1);
    assert_int_equal(byte_at(m, last - 1), 0);
    cw_memory_destroy(m);
}

/* Persistent memory */

#define PM CW_REGION_PERSISTENT

static struct cw_memory *memory_with_pm(uint64_t bytes, uint64_t pm_bytes)
{
    struct cw_error err;
    struct cw_memory *m;
    assert_int_equal(cw_memory_create(&m, bytes, pm_bytes, &err), CW_OK);
    return m;
}

static uint8_t durable_byte(const struct cw_memory *m, uint64_t addr)
{
    uint8_t byte;
    cw_memory_durable_read(m, addr, &byte, 1);
    return byte;
}

static void test_device_memory__persistent_memory_is_a_window_of_its_own(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_memory *m = memory_with_pm(1024, 2048);
    uint64_t a = 0;
    assert_int_equal(CW_PM_BASE, CW_GLOBAL_BASE + (UINT64_C(16) << 30));
    assert_int_equal(alloc(m, 512, PM), CW_PM_BASE);
    assert_int_equal(alloc(m, 1024, GLOBAL), CW_GLOBAL_BASE); /* all of it: the other window does not count */
    assert_int_equal(cw_memory_alloc(m, &a, 1, GLOBAL, &err), CW_ENOMEM);
    assert_non_null(strstr(err.text, "device memory: 1 bytes asked, 0 of 1024 left; set mem.mbytes higher"));
    assert_int_equal(alloc(m, 1, PM), CW_PM_BASE + 512);
    assert_int_equal(cw_memory_alloc_top(m, &a, 256, PM, &err), CW_OK);
    assert_int_equal(a, CW_PM_BASE + 2048 - 256);
    assert_int_equal(cw_memory_alloc(m, &a, 1536, PM, &err), CW_ENOMEM);
    assert_non_null(strstr(err.text, "persistent memory: 1536 bytes asked, 1024 of 2048 left; set pm.mbytes higher"));
    assert_true(cw_memory_valid(m, CW_PM_BASE, 768));
    assert_false(cw_memory_valid(m, CW_PM_BASE, 769));
    assert_false(cw_memory_valid(m, CW_PM_BASE - 1, 2));
    assert_int_equal(cw_memory_region(m, CW_PM_BASE)->kind, PM);
    assert_false(cw_memory_is_pm(CW_GLOBAL_BASE + 1023));
    assert_true(cw_memory_is_pm(CW_PM_BASE));
    assert_int_equal(cw_memory_free(m, CW_GLOBAL_BASE, &err), CW_OK);
    assert_int_equal(alloc(m, 1024, GLOBAL), CW_GLOBAL_BASE); /* the gap above belongs to nobody */
    cw_memory_destroy(m);
    m = memory_of(1024);
    assert_int_equal(cw_memory_alloc(m, &a, 1, PM, &err), CW_ENOMEM);
    cw_memory_destroy(m);
}

/* With 16 GiB below it, persistent memory follows without a gap: the windows stay apart, and one write may reach into both. */
static void test_device_memory__windows_may_touch(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_memory *m = memory_with_pm(UINT64_C(16) << 30, 4096);
    uint64_t top, a;
    assert_int_equal(cw_memory_alloc_top(m, &top, 256, GLOBAL, &err), CW_OK);
    assert_int_equal(top + 256, CW_PM_BASE);
    assert_int_equal(alloc(m, 256, PM), CW_PM_BASE);
    const uint8_t both[4] = {1, 2, 3, 4};
    cw_memory_write(m, CW_PM_BASE - 2, both, 4);
    assert_int_equal(byte_at(m, CW_PM_BASE - 1), 2);
    assert_int_equal(byte_at(m, CW_PM_BASE), 3);
    assert_int_equal(durable_byte(m, CW_PM_BASE), 3);
    assert_int_equal(durable_byte(m, CW_PM_BASE + 1), 4);
    assert_int_equal(cw_memory_alloc(m, &a, 4096, PM, &err), CW_ENOMEM);
    assert_int_equal(cw_memory_free(m, top, &err), CW_OK);
    assert_int_equal(cw_memory_alloc(m, &a, 4096, PM, &err), CW_ENOMEM); /* what is free below is no persistent memory */
    cw_memory_destroy(m);
    assert_int_equal(cw_memory_create(&m, (UINT64_C(16) << 30) + 1, 0, &err), CW_EINVAL);
    assert_int_equal(cw_memory_create(&m, 1, (UINT64_C(16) << 30) + 1, &err), CW_EINVAL);
}

/* AddressSanitizer's own reservations count against a limit. */
static bool sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return true;
#endif
#endif
    return false;
}

/* Addresses that this process has. */
static uint64_t own_addresses(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* With so many MiB of addresses: what is asked if it fits without the gap between the windows, else a part of it; each byte of it works. */
static void test_device_memory__a_host_that_limits_addresses(void **state)
{
    static const struct {
        uint64_t limit, bytes, pm, got, pm_got; /* MiB */
    } cases[] = {{3600, 1024, 1024, 1024, 1024}, {2100, 64, 1024, 64, 512}, {1500, 2048, 0, 1024, 0}, {600, 16384, 64, 128, 64}};
    (void)state;
    if (sanitized()) {
        printf("AddressSanitizer reserves addresses of its own: not run\n");
        skip();
    }
    struct rlimit before;
    struct cw_error err;
    struct cw_memory *m;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rlimit now = {own_addresses() + (cases[i].limit << 20), before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
        assert_int_equal(cw_memory_create(&m, cases[i].bytes << 20, cases[i].pm << 20, &err), CW_OK);
        assert_int_equal(cw_memory_bytes(m, false), cases[i].got << 20);
        assert_int_equal(cw_memory_bytes(m, true), cases[i].pm_got << 20);
        for (uint32_t pm = 0; pm < (cases[i].pm != 0 ? 2u : 1u); pm++) {
            const uint64_t a = alloc(m, (pm ? cases[i].pm_got : cases[i].got) << 20, pm ? PM : GLOBAL);
            const uint8_t last = 7;
            cw_memory_write(m, a + cw_memory_bytes(m, pm) - 1, &last, 1);
            assert_int_equal(byte_at(m, a + cw_memory_bytes(m, pm) - 1), 7);
            assert_int_equal(byte_at(m, a), 0);
        }
        cw_memory_destroy(m);
    }
    const struct rlimit none = {own_addresses() + (1 << 20), before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    assert_int_equal(cw_memory_create(&m, 1 << 30, 1 << 30, &err), CW_ENOMEM);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_non_null(strstr(err.text, "raise its limit (ulimit -v)"));
}

static void test_device_memory__allocations_at_an_address(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_memory *m = memory_with_pm(4096, 4096);
    const uint64_t b = CW_PM_BASE;
    assert_int_equal(cw_memory_alloc_at(m, b + 1024, 512, PM, &err), CW_OK);
    assert_int_equal(cw_memory_alloc_at(m, b + 1024, 1, PM, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b + 768, 257, PM, &err), CW_EINVAL); /* its padding reaches into the next */
    assert_int_equal(cw_memory_alloc_at(m, b + 1280, 256, PM, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b + 1536, 4096 - 1536 + 1, PM, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b + 100, 8, PM, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b - 256, 256, PM, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b + 4096, 256, PM, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b, 256, GLOBAL, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b, 0, PM, &err), CW_EINVAL);
    assert_int_equal(cw_memory_alloc_at(m, b + 768, 256, PM, &err), CW_OK);
    assert_int_equal(cw_memory_alloc_at(m, b + 1536, 4096 - 1536, PM, &err), CW_OK);
    assert_true(cw_memory_valid(m, b + 768, 4096 - 768));
    assert_int_equal(alloc(m, 768, PM), b);
    assert_int_equal(cw_memory_region(m, b + 1100)->base, b + 1024);
    cw_memory_destroy(m);
}

/* What each of the four ways to change bytes does to the two copies. */
static void test_device_memory__the_durable_image_has_what_was_accepted(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_memory *m = memory_with_pm(4096, 4096);
    const uint64_t a = alloc(m, 256, PM);
    const uint8_t host = 0x11, store[4] = {0x20, 0x21, 0x22, 0x23};
    const uint32_t mask = 0xa; /* bytes 1 and 3 */
    cw_memory_write(m, a + 1, &host, 1);
    assert_int_equal(byte_at(m, a + 1), 0x11);
    assert_int_equal(durable_byte(m, a + 1), 0x11);
    cw_memory_write_masked(m, a, store, &mask, 4);
    assert_int_equal(byte_at(m, a + 1), 0x21);
    assert_int_equal(durable_byte(m, a + 1), 0x11);
    assert_int_equal(durable_byte(m, a + 3), 0);
    const uint32_t third = 0x8;
    cw_memory_persist(m, a, store, &third, 4);
    assert_int_equal(durable_byte(m, a + 1), 0x11);
    assert_int_equal(durable_byte(m, a + 3), 0x23);
    cw_memory_persist(m, a + 8, store, &mask, 4); /* what loads see is another matter */
    assert_int_equal(byte_at(m, a + 9), 0);
    assert_int_equal(durable_byte(m, a + 9), 0x21);
    assert_int_equal(cw_memory_free(m, a, &err), CW_OK);
    assert_int_equal(alloc(m, 256, PM), a);
    assert_int_equal(durable_byte(m, a + 1), 0);
    assert_int_equal(durable_byte(m, a + 3), 0);
    cw_memory_destroy(m);
}

struct heard {
    struct cw_memory *m;
    uint64_t addr;
    uint32_t mask, cnt;
    uint8_t before, data; /* of byte 2 */
};

static void hear(void *self, uint64_t addr, const uint8_t *from, const uint32_t *mask, uint32_t bytes)
{
    struct heard *h = self;
    assert_int_equal(bytes, 4);
    *h = (struct heard){h->m, addr, mask[0], h->cnt + 1, durable_byte(h->m, addr + 2), from[2]};
}

static void test_device_memory__persists_are_told(void **state)
{
    (void)state;
    struct cw_memory *m = memory_with_pm(4096, 4096);
    struct heard h = {.m = m};
    const uint64_t a = alloc(m, 256, PM);
    const uint8_t data[4] = {1, 2, 3, 4};
    const uint32_t mask = 4;
    cw_memory_listen(m, hear, &h);
    cw_memory_write(m, a, data, 4);
    cw_memory_write_masked(m, a, data, &mask, 4);
    assert_int_equal(h.cnt, 0);
    cw_memory_persist(m, a + 128, data, &mask, 4);
    assert_int_equal(h.cnt, 1);
    assert_int_equal(h.addr, a + 128);
    assert_int_equal(h.mask, 4);
    assert_int_equal(h.before, 0); /* told before it is durable */
    assert_int_equal(h.data, 3);
    cw_memory_listen(m, NULL, NULL);
    cw_memory_persist(m, a, data, &mask, 4);
    assert_int_equal(h.cnt, 1);
    cw_memory_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_device_memory__allocations_are_aligned_apart_and_zero),
    cmocka_unit_test(test_device_memory__valid_ends_with_the_allocation),
    cmocka_unit_test(test_device_memory__red_zones_lie_between_allocations),
    cmocka_unit_test(test_device_memory__freed_places_are_kept_until_memory_is_short),
    cmocka_unit_test(test_device_memory__without_red_zones_padding_may_be_accessed),
    cmocka_unit_test(test_device_memory__regions_have_kinds),
    cmocka_unit_test(test_device_memory__full_is_an_error_and_changes_nothing),
    cmocka_unit_test(test_device_memory__pieces_are_not_one_piece),
    cmocka_unit_test(test_device_memory__wrong_free_is_refused),
    cmocka_unit_test(test_device_memory__freed_memory_is_zero_again),
    cmocka_unit_test(test_device_memory__random_against_a_model),
    cmocka_unit_test(test_device_memory__masked_writes_leave_the_rest),
    cmocka_unit_test(test_device_memory__reserving_much_touches_little),
    cmocka_unit_test(test_device_memory__persistent_memory_is_a_window_of_its_own),
    cmocka_unit_test(test_device_memory__windows_may_touch),
    cmocka_unit_test(test_device_memory__a_host_that_limits_addresses),
    cmocka_unit_test(test_device_memory__allocations_at_an_address),
    cmocka_unit_test(test_device_memory__the_durable_image_has_what_was_accepted),
    cmocka_unit_test(test_device_memory__persists_are_told),
};

CW_TEST_MAIN(tests)
