/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table of struct cw_key from the list of keys CW_LIST, and no more of CW_LIST: base/keys.h shows the use. It has no guard, as
 * each list has its own turn. */
#define X CW_KEY_NUMBER
#define E CW_KEY_CHOICE
#define P CW_KEY_POWER
#include CW_LIST
#undef X
#undef E
#undef P
#undef CW_LIST
