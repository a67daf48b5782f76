/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of branches as text: what is written, what is read, and what is refused, with its line. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <inttypes.h>

#include "ir/branch_counts.h"
#include "ptx_fixture.h"

static const char good[] = "cowarp branches 1\n"
                           "kernel k 0123456789abcdef 2\n"
                           "branch 3 line 12: 7=0 next=18446744073709551615\n"
                           "branch 9 line 4294967295: 12=5 10=6 3=7\n"
                           "kernel other$_1 ffffffffffffffff 0\n"
                           "end\n";

static char *text_of(const struct cw_branch_counts *c)
{
    char *text;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    assert_non_null(f);
    cw_branch_counts_write(c, f);
    fclose(f);
    return text;
}

static void test_ptx_branch_counts__what_is_written_is_read(void **state)
{
    (void)state;
    struct cw_branch_counts *c;
    struct cw_error err;
    if (cw_branch_counts_read(&c, good, sizeof good - 1, "b.txt", &err) != CW_OK)
        fail_msg("%s", err.text);
    assert_int_equal(c->kernel_cnt, 2);
    const struct cw_kernel_counts *k = cw_branch_counts_find(c, "k", 1, UINT64_C(0x0123456789abcdef));
    assert_non_null(k);
    assert_null(cw_branch_counts_find(c, "k", 1, UINT64_C(0x0123456789abcdee)));
    assert_null(cw_branch_counts_find(c, "other", 5, UINT64_MAX));
    assert_int_equal(k->branch_cnt, 2);
    assert_true(k->branch[0].falls && !k->branch[1].falls);
    assert_int_equal(k->branch[1].where, 4);
    assert_int_equal(k->way[k->branch[0].way + 1].to, 4); /* the instruction behind 3 */
    assert_true(k->way[k->branch[0].way + 1].threads == UINT64_MAX);
    char *text = text_of(c);
    assert_string_equal(text, good);
    free(text);
    cw_branch_counts_destroy(c);
}

/* A kernel's own: its branches with a condition, their targets each once, and nothing of the others. Lines count from the first of the
 * file, micro-ops from 0. */
static void test_ptx_branch_counts__of_a_kernel(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_KERNEL("@%p1 bra J;\nmembar.cta;\nJ: bra.uni K;\nK: ts: .branchtargets J, K, L, J;\n"
                                            "@%p2 brx.idx %r1, ts;\nbrx.idx %r1, ts;\nL: @%p3 bra.uni L;\n@%p3 exit;\nret;"));
    struct cw_branch_counts *c = cw_branch_counts_create();
    struct cw_kernel_counts *k, *same;
    struct cw_error err;
    char expected[400];
    assert_non_null(c);
    assert_int_equal(cw_branch_counts_add(c, &k, &m->kernel[0], &err), CW_OK);
    assert_int_equal(cw_branch_counts_add(c, &same, &m->kernel[0], &err), CW_OK);
    assert_ptr_equal(same, k);
    for (uint32_t i = 0; i < k->way_cnt; i++)
        k->way[i].threads = 10 + i;
    snprintf(expected, sizeof expected,
             "cowarp branches 1\nkernel k %016" PRIx64 " 4\nbranch 0 line 7: 2=10 next=11\nbranch 3 line 11: 2=12 3=13 5=14 next=15\n"
             "branch 4 line 12: 2=16 3=17 5=18\nbranch 5 line 13: 5=19 next=20\nend\n",
             m->kernel[0].digest);
    char *text = text_of(c);
    assert_string_equal(text, expected);
    free(text);
    cw_branch_counts_destroy(c);
    cw_module_destroy(m);
}

static void expect_refused(const char *text, size_t length, const char *message)
{
    struct cw_branch_counts *c;
    struct cw_error err;
    if (cw_branch_counts_read(&c, text, length, "b.txt", &err) != CW_EINVAL)
        fail_msg("taken: %.*s", (int)length, text);
    assert_null(c);
    if (strncmp(err.text, message, strlen(message)) != 0)
        fail_msg("expected '%s', not '%s'", message, err.text);
}

/* However much of the end is missing. */
static void test_ptx_branch_counts__truncated(void **state)
{
    (void)state;
    expect_refused(good, 0, "b.txt:1: the file is empty");
    expect_refused(good, 15, "b.txt:1: these are no counts of branches");
    for (size_t length = 18; length < sizeof good - 1; length++) {
        char where[120];
        uint32_t line = 1;
        for (size_t i = 0; i < length; i++)
            line += good[i] == '\n';
        snprintf(where, sizeof where, "b.txt:%u: ", line);
        expect_refused(good, length, where);
    }
    expect_refused(good, sizeof good - 2, "b.txt:6: the file ends here, before its 'end'");
}

#define HEAD   "cowarp branches 1\n"
#define KERNEL HEAD "kernel k 0123456789abcdef 1\n"
#define BRANCH KERNEL "branch 3 line 4: "

static void test_ptx_branch_counts__damaged(void **state)
{
    (void)state;
    static const char *const t[][2] = {
        {"cowarp stats 1\n", "1: these are no counts of branches"},
        {"cowarp branches 2\nend\n", "1: counts of branches in version 2, and this program reads version 1"},
        {"cowarp branches x\nend\n", "1: 'x': no version"},
        {"cowarp branches 1\r\nend\r\n", "1: expected the end of the line"},
        {HEAD "krenel\n", "2: expected 'kernel', not 'krenel'"},
        {HEAD "branch 3 line 4: 5=1 next=2\nend\n", "2: expected a kernel or 'end', not 'branch'"},
        {HEAD "kernel  0123456789abcdef 0\nend\n", "2: the kernel has no name"},
        {HEAD "kernel k 0123456789ABCDEF 0\nend\n", "2: 'ABCDEF': expected a digest"},
        {HEAD "kernel k 0123456789abcde 0\nend\n", "2: '': expected a digest"},
        {HEAD "kernel k 0123456789abcdef -1\nend\n", "2: '-1': no number of branches"},
        {HEAD "kernel k 0123456789abcdef 0\nkernel k 0123456789abcdef 0\nend\n", "3: kernel 'k' for the second time"},
        {KERNEL "end\n", "3: kernel 'k' has 1 branches, and here are 0"},
        {BRANCH "5=1 next=2\nbranch 7 line 5: 6=1\nend\n", "4: expected a kernel or 'end', not 'branch'"},
        {KERNEL "branch 3: 5=1 next=2\nend\n", "3: expected 'line', not ':'"},
        {KERNEL "branch 3 line 4 5=1 next=2\nend\n", "3: expected ':', not ''"},
        {KERNEL "branch 4294967295 line 4: 5=1 next=2\nend\n", "3: '4294967295': no instruction"},
        {BRANCH "5=-3 next=2\nend\n", "3: '-3': no count of threads"},
        {BRANCH "5=+3 next=2\nend\n", "3: '+3': no count of threads"},
        {BRANCH "5=18446744073709551616 next=2\nend\n", "3: '18446744073709551616': no count of threads"},
        {BRANCH "5=99999999999999999999999 next=2\nend\n", "3: '99999999999999999999999': no count of threads"},
        {BRANCH "5=007 next=2\nend\n", "3: '007': no count of threads"},
        {BRANCH "5=1.5 next=2\nend\n", "3: expected the end of the line, not '.5'"},
        {BRANCH "5= next=2\nend\n", "3: '': no count of threads"},
        {BRANCH "5=1 next=2 6=3\nend\n", "3: a branch has nothing behind 'next'"},
        {BRANCH " next=2\nend\n", "3: '': no instruction"},
        {BRANCH "5=1 naught=2\nend\n", "3: expected 'next', not 'naught=2'"},
        {KERNEL "branch 3 line 4:\nend\n", "3: expected a blank, not ''"},
        {HEAD "kernel k 0123456789abcdef 2\nbranch 3 line 4: 5=1 next=2\nbranch 3 line 4: 5=1 next=2\nend\n",
         "4: the branch at instruction 3 stands behind that at 3"},
        {HEAD "end\n\n", "3: there is something behind 'end'"},
        {HEAD "end\nend\n", "3: there is something behind 'end'"},
    };
    for (uint32_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        char message[200];
        snprintf(message, sizeof message, "b.txt:%s", t[i][1]);
        expect_refused(t[i][0], strlen(t[i][0]), message);
    }
    static const char zero[] = HEAD "kernel k\0 0123456789abcdef 0\nend\n";
    expect_refused(zero, sizeof zero - 1, "b.txt:2: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx_branch_counts__what_is_written_is_read),
        cmocka_unit_test(test_ptx_branch_counts__of_a_kernel),
        cmocka_unit_test(test_ptx_branch_counts__truncated),
        cmocka_unit_test(test_ptx_branch_counts__damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
