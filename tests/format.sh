#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# format.sh SOURCE_DIR: every C and C++ file is laid out as .clang-format says. To mend: clang-format-14 -i FILE.
set -euo pipefail
cd "$1"
find csim include harness kernels tests examples benchmarks \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -not -path '*/corpus/*' -print0 |
    xargs -0 clang-format-14 --dry-run -Werror
