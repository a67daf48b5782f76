/* SPDX-License-Identifier: Apache-2.0 */
/* cw_rtl_build_runtime DIR: builds libcw_verilated-<version>.so into DIR. For the build system. */
#include <stdio.h>

#include "base/error.h"
#include "rtl_build.h"

int main(int argc, char **argv)
{
    struct cw_error err = {""};
    char path[CW_PATH_MAX];
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIR\n", argv[0]);
        return 2;
    }
    if (cw_rtl_build_runtime(path, argv[1], NULL, &err) == CW_OK)
        return 0;
    fprintf(stderr, "error: %s\n", err.text);
    return 1;
}
