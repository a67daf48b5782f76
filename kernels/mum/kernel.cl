/* SPDX-License-Identifier: Apache-2.0 */
/* Longest matches of queries in a reference, by walks down the reference's suffix tree. A thread has one query. For each of its positions
 * it walks from the root as far as the query's letters go on. A letter is 0 to 3, and 4 is the end of the reference, which no query has.
 *
 * The two kernels keep the tree in two layouts. */
#define LETTERS 5

struct match {
    uint length, where; /* of the match; where it stands in the reference, if it has a length */
};

/* How many letters of an edge agree with the query from its letter *at on; the first is known to. *at: the letter behind them. */
static uint along(__global const uchar *edge, uint length, __global const uchar *text, uint query_length, uint *at)
{
    uint i = 1;
    ++*at;
    while (i < length && *at < query_length && edge[i] == text[*at]) {
        i++;
        ++*at;
    }
    return i;
}

/* A node with its children by letter; 0 is none, since the root is nobody's child. The edge that leads to the node is a piece of the
 * reference. */
struct node {
    uint start, length;
    uint child[LETTERS];
};

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void match_by_child(__global const struct node *tree,
                                                                              __global const uchar *reference,
                                                                              __global const uchar *queries, uint query_cnt,
                                                                              uint query_length, __global struct match *out)
{
    uint query = get_global_id(0);
    if (query >= query_cnt)
        return;
    __global const uchar *text = queries + (size_t)query * query_length;
    for (uint from = 0; from < query_length; from++) {
        uint node = 0, at = from, where = 0;
        while (at < query_length) {
            uint next = tree[node].child[text[at]];
            if (next == 0)
                break;
            node = next;
            uint edge = tree[node].start, length = tree[node].length;
            uint agree = along(reference + edge, length, text, query_length, &at);
            where = edge + agree;
            if (agree < length)
                break;
        }
        out[(size_t)query * query_length + from] = (struct match){at - from, where - (at - from)};
    }
}

/* A node in preorder: its first child is the node behind it, and `skip` is the node behind its last descendant. A leaf skips to the next.
 */
struct preorder {
    uint start, length, skip;
};

__kernel __attribute__((reqd_work_group_size(192, 1, 1))) void match_in_preorder(__global const struct preorder *tree,
                                                                                 __global const uchar *reference,
                                                                                 __global const uchar *queries, uint query_cnt,
                                                                                 uint query_length, __global struct match *out)
{
    uint query = get_global_id(0);
    if (query >= query_cnt)
        return;
    __global const uchar *text = queries + (size_t)query * query_length;
    for (uint from = 0; from < query_length; from++) {
        uint node = 1, end = tree[0].skip, at = from, where = 0;
        while (at < query_length && node < end) {
            uint edge = tree[node].start;
            if (reference[edge] != text[at]) {
                node = tree[node].skip;
                continue;
            }
            uint length = tree[node].length;
            uint agree = along(reference + edge, length, text, query_length, &at);
            where = edge + agree;
            if (agree < length)
                break;
            end = tree[node].skip;
            node++;
        }
        out[(size_t)query * query_length + from] = (struct match){at - from, where - (at - from)};
    }
}
