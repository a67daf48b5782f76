#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# format.sh SOURCE_DIR: every C and C++ file is laid out as .clang-format says; to mend, clang-format-14 -i FILE. Every file in git has its licence line,
# but for the kinds below, so what a run has left behind is noticed. No script with pipefail has a reader that leaves before the end of its pipe:
# who still writes then dies of SIGPIPE, now and then, and the script with 141.
set -euo pipefail
cd "$1"
find csim include harness kernels tests examples benchmarks \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -not -path '*/corpus/*' -print0 |
    xargs -0 clang-format-14 --dry-run -Werror
early=$(grep -rlI pipefail check setup run .ci scripts tests waves experiments examples |
    xargs grep -nE '\| *(head|grep (-[a-zA-Z]*q|-m))' /dev/null | grep -v '^tests/format.sh:' || true)
[ -z "$early" ] || { printf 'leaves its pipe early (read it to the end, as sed -n does):\n%s\n' "$early" >&2; exit 1; }
[ -e .git ] || exit 0
bare=$(git ls-files | grep -vE '\.(csv|json|png|svg)$|^LICENSE$' | xargs -d '\n' grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
[ -z "$bare" ] || { printf '%s: no licence line; does it belong into the repository?\n' $bare >&2; exit 1; }
