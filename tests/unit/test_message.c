/* SPDX-License-Identifier: Apache-2.0 */
#include "cw_test.h"

#include <string.h>

#include "msg/message.h"

static void test_packet__new_is_zero_and_counted(void **state)
{
    (void)state;
    struct cw_message_pool pool;
    cw_message_pool_create(&pool);
    struct cw_message *p = cw_message_new(&pool);
    assert_non_null(p);
    p->addr = 128;
    p->sectors = 3;
    p->byte_mask[3] = 7;
    p->born = 9;
    cw_message_free(&pool, p);
    assert_int_equal(pool.in_use, 0);
    struct cw_message *q = cw_message_new(&pool), zero;
    assert_int_equal(pool.in_use, 1);
    memset(&zero, 0, sizeof zero);
    assert_memory_equal(q, &zero, offsetof(struct cw_message, u));
    assert_null(q->next);
    cw_message_free(&pool, q);
    cw_message_pool_destroy(&pool);
}

static void test_packet__live_packets_are_distinct(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct cw_message *p[N];
    struct cw_message_pool pool;
    cw_message_pool_create(&pool);
    for (uint32_t i = 0; i < N; i++) {
        p[i] = cw_message_new(&pool);
        assert_non_null(p[i]);
        p[i]->tag = i;
        memset(&p[i]->u, (int)(i & 0xff), sizeof p[i]->u);
    }
    assert_int_equal(pool.in_use, N);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(p[i]->tag, i);
        assert_int_equal(p[i]->u.data[127], i & 0xff);
        cw_message_free(&pool, p[i]);
    }
    assert_int_equal(pool.in_use, 0);
    cw_message_pool_destroy(&pool);
}

static void test_packet__flits_round_up(void **state)
{
    (void)state;
    static const struct {
        uint32_t payload, header, flit, flits;
    } row[] = {{0, 8, 32, 1}, {24, 8, 32, 1}, {25, 8, 32, 2}, {128, 8, 32, 5}, {0, 0, 32, 1}, {32, 0, 32, 1}, {128, 0, 4, 32}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct cw_message p;
        cw_message_size(&p, row[i].payload, row[i].header, row[i].flit);
        assert_int_equal(p.flits, row[i].flits);
        assert_int_equal(p.payload_bytes, row[i].payload);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_packet__new_is_zero_and_counted),
    cmocka_unit_test(test_packet__live_packets_are_distinct),
    cmocka_unit_test(test_packet__flits_round_up),
};
CW_TEST_MAIN(tests)
