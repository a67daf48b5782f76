/* SPDX-License-Identifier: Apache-2.0 */
#include "cw_test.h"

#include <string.h>

#include "msg/message.h"

/* Bodies of both sizes of the pool. */
static const struct cw_message_type of_size[] = {{.name = "small", .bytes = CW_MESSAGE_BODY_SMALL},
                                                 {.name = "large", .bytes = CW_MESSAGE_BODY_LARGE}};

static void test_message__new_is_zero_and_counted(void **state)
{
    (void)state;
    struct cw_message_pool pool;
    cw_message_pool_create(&pool);
    struct cw_message *p = cw_message_new(&pool, &cw_line_body_type);
    assert_non_null(p);
    p->addr = 128;
    p->sectors = 3;
    p->attempt = 7;
    p->born = 9;
    cw_message_free(&pool, p);
    assert_int_equal(pool.in_use, 0);
    struct cw_message *q = cw_message_new(&pool, &cw_line_body_type), zero = {0};
    assert_int_equal(pool.in_use, 1);
    zero.type = &cw_line_body_type;
    assert_memory_equal(q, &zero, offsetof(struct cw_message, body));
    assert_null(q->next);
    cw_message_free(&pool, q);
    cw_message_pool_destroy(&pool);
}

static void test_message__live_messages_are_distinct(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct cw_message *p[N];
    struct cw_message_pool pool;
    cw_message_pool_create(&pool);
    for (uint32_t i = 0; i < N; i++) {
        const struct cw_message_type *const type = &of_size[i % 3 == 0];
        p[i] = cw_message_new(&pool, type);
        assert_non_null(p[i]);
        p[i]->tag = i;
        memset(p[i]->body, (int)(i & 0xff), type->bytes);
    }
    assert_int_equal(pool.in_use, N);
    for (uint32_t i = 0; i < N; i++) {
        const size_t body = i % 3 == 0 ? CW_MESSAGE_BODY_LARGE : CW_MESSAGE_BODY_SMALL;
        assert_int_equal(p[i]->tag, i);
        for (size_t k = 0; k < body; k += 16)
            assert_int_equal(p[i]->body[k], i & 0xff);
        assert_int_equal(p[i]->body[body - 1], i & 0xff);
        cw_message_free(&pool, p[i]);
    }
    assert_int_equal(pool.in_use, 0);
    cw_message_pool_destroy(&pool);
}

static void test_message__a_copy_has_head_and_body(void **state)
{
    (void)state;
    struct cw_message_pool pool;
    cw_message_pool_create(&pool);
    for (uint32_t large = 0; large < 2; large++) {
        const size_t body = large != 0 ? CW_MESSAGE_BODY_LARGE : CW_MESSAGE_BODY_SMALL;
        struct cw_message *p = cw_message_new(&pool, &of_size[large]);
        p->addr = 0x1234;
        memset(p->body, 0x5a, body);
        struct cw_message *copy = cw_message_copy(&pool, p);
        assert_ptr_not_equal(copy, p);
        assert_int_equal(copy->addr, 0x1234);
        assert_memory_equal(copy->body, p->body, body);
        cw_message_free(&pool, p);
        cw_message_free(&pool, copy);
    }
    assert_int_equal(pool.in_use, 0);
    cw_message_pool_destroy(&pool);
}

static void test_message__flits_round_up(void **state)
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
    cmocka_unit_test(test_message__new_is_zero_and_counted),
    cmocka_unit_test(test_message__live_messages_are_distinct),
    cmocka_unit_test(test_message__a_copy_has_head_and_body),
    cmocka_unit_test(test_message__flits_round_up),
};
CW_TEST_MAIN(tests)
