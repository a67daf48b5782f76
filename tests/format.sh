#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# format.sh SOURCE_DIR: every C and C++ file is laid out as .clang-format says; to mend, clang-format-14 -i FILE. Every file in git has its licence line,
# but for the kinds below, so what a run has left behind is noticed.
set -euo pipefail
cd "$1"
find csim include harness kernels tests examples benchmarks \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -not -path '*/corpus/*' -print0 |
    xargs -0 clang-format-14 --dry-run -Werror
[ -e .git ] || exit 0
bare=$(git ls-files | grep -vE '\.(csv|json|png|svg)$|^LICENSE$' | xargs -d '\n' grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
[ -z "$bare" ] || { printf '%s: no licence line; does it belong into the repository?\n' $bare >&2; exit 1; }
