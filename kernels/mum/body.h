/* SPDX-License-Identifier: Apache-2.0 */
/* The two walks, included once for each way in which the tree and the reference are read: NAME(kernel), WORD(address) and LETTER(address). */

/* How many letters of an edge agree with the query from its letter *at on; the first is known to. *at: the letter behind them. */
static uint NAME(along)(__global const uchar *edge, uint length, __global const uchar *text, uint query_length, uint *at)
{
    uint i = 1;
    ++*at;
    while (i < length && *at < query_length && LETTER(&edge[i]) == text[*at]) {
        i++;
        ++*at;
    }
    return i;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void NAME(match_by_child)(__global const struct node *tree,
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
            uint next = WORD(&tree[node].child[text[at]]);
            if (next == 0)
                break;
            node = next;
            uint edge = WORD(&tree[node].start), length = WORD(&tree[node].length);
            uint agree = NAME(along)(reference + edge, length, text, query_length, &at);
            where = edge + agree;
            if (agree < length)
                break;
        }
        out[(size_t)query * query_length + from] = (struct match){at - from, where - (at - from)};
    }
}

__kernel __attribute__((reqd_work_group_size(192, 1, 1))) void NAME(match_in_preorder)(__global const struct preorder *tree,
                                                                                       __global const uchar *reference,
                                                                                       __global const uchar *queries, uint query_cnt,
                                                                                       uint query_length, __global struct match *out)
{
    uint query = get_global_id(0);
    if (query >= query_cnt)
        return;
    __global const uchar *text = queries + (size_t)query * query_length;
    for (uint from = 0; from < query_length; from++) {
        uint node = 1, end = WORD(&tree[0].skip), at = from, where = 0;
        while (at < query_length && node < end) {
            uint edge = WORD(&tree[node].start);
            if (LETTER(&reference[edge]) != text[at]) {
                node = WORD(&tree[node].skip);
                continue;
            }
            uint length = WORD(&tree[node].length);
            uint agree = NAME(along)(reference + edge, length, text, query_length, &at);
            where = edge + agree;
            if (agree < length)
                break;
            end = WORD(&tree[node].skip);
            node++;
        }
        out[(size_t)query * query_length + from] = (struct match){at - from, where - (at - from)};
    }
}
