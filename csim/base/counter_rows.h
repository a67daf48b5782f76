/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table of struct cw_counter from the list of counters CW_LIST, and no more of CW_LIST: base/stats.h shows the use. It has no
 * guard, as each list has its own turn. */
#define X CW_COUNTER_SUM
#define M CW_COUNTER_MAX
#define W CW_COUNTER_SHOWN
#define P CW_COUNTER_PART
#define S CW_COUNTER_PART_SHOWN
#include CW_LIST
#undef X
#undef M
#undef W
#undef P
#undef S
#undef CW_LIST
