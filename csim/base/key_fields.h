/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a struct from the list of keys CW_LIST, and no more of CW_LIST: base/keys.h shows the use. It has no guard, as each list has
 * its own turn. */
#define X CW_KEY_FIELD
#define E CW_KEY_FIELD
#define P CW_KEY_FIELD
#include CW_LIST
#undef X
#undef E
#undef P
#undef CW_LIST
