#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sanitized.sh SOURCE_DIR BUILD_DIR: the unit and system tests once more, built with the address and undefined-behaviour sanitizers. Left out is
# what runs the command hundreds of times (system.waves: ten minutes), mostly compiles Verilog, or makes long runs of what others run (system.artifact).
set -euo pipefail
source_dir=$1 build=$2
cd "$source_dir"
mkdir -p "$build"
if ! { cmake --preset debug -B "$build" && cmake --build "$build"; } >"$build/build.log" 2>&1; then
    tail -n 40 "$build/build.log" >&2
    exit 1
fi
ctest --test-dir "$build" -R '^(unit|system)[.]' -E '^system[.](waves|reproduce|unit_from_a_path|artifact)$' --output-on-failure
# Of the waves, the part with the most memory to itself: going back to before an event.
python3 tests/system/wave_test.py "$build/cowarp" "$source_dir" Triggers.test_cycle
