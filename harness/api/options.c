/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that the user fills in: their defaults, and those of other versions. */
#include <string.h>

#include "api.h"

void cowarp_options_init_size(struct cowarp_options *options, uint32_t size)
{
    const struct cowarp_options defaults = {.size = size, .preset = "getm", .system = "none", .seed = 1};
    memset(options, 0, size);
    memcpy(options, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

int cowarp__take(void *to, uint32_t known, const void *from, const char *what, struct cw_error *err)
{
    uint32_t given;
    memcpy(&given, from, sizeof given);
    if (given == 0)
        return cw_fail(err, CW_EINVAL, "%s: its size is 0; begin it with .size = sizeof(%s)", what, what);
    if (given > known)
        return cw_fail(err, CW_EINVAL, "%s: its size is %u, but this library (%s) knows %u bytes; build with this library's cowarp.h", what,
                       (unsigned)given, COWARP_VERSION, (unsigned)known);
    memset(to, 0, known);
    memcpy(to, from, given);
    return CW_OK;
}
