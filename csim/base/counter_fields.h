/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a struct from the list of counters CW_LIST, and no more of CW_LIST: base/stats.h shows the use. It has no guard, as each list
 * has its own turn. */
#define X CW_COUNTER_FIELD
#define M CW_COUNTER_FIELD
#define W CW_COUNTER_FIELD
#define P CW_COUNTER_PART_FIELD
#define S CW_COUNTER_PART_FIELD
#include CW_LIST
#undef X
#undef M
#undef W
#undef P
#undef S
#undef CW_LIST
