#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SOURCE_DIR WORK_DIR OPTION ...: builds the fuzz target of the PTX reader with clang and runs it on the corpus. The options are libFuzzer's,
# with a limit among them: -runs=N inputs, or -max_total_time=SECONDS. Fails on a crash, a sanitizer's report or an input that takes more than
# 10 s; the input is left in WORK_DIR.
set -euo pipefail
source_dir=$1 work=$2
shift 2
mkdir -p "$work/corpus"
cd "$work"
cmake -DFROM="$source_dir/csim/ptx/device_runtime.ptx" -DTO=device_runtime.c -DNAME=cw_ptx_device_runtime -P "$source_dir/cmake/text_to_c.cmake"
clang-14 -std=c11 -gline-tables-only -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -DCW_PTX_MAX_UOPS=20000u -DCW_PTX_MAX_BYTES='(UINT64_C(1) << 22)' \
    -I"$source_dir/include" -I"$source_dir/csim" \
    "$source_dir"/tests/fuzz/fuzz_ptx.c "$source_dir"/csim/ptx/*.c device_runtime.c "$source_dir"/csim/ir/*.c "$source_dir"/csim/base/error.c -o fuzz_ptx
# The limits above are lowered so that a kilobyte of doubling calls or a gigabyte array costs milliseconds; their checks are the same.
./fuzz_ptx corpus "$source_dir/tests/fuzz/corpus" "$source_dir/tests/ptx" -dict="$source_dir/tests/fuzz/ptx.dict" \
    -max_len=20000 -timeout=10 "$@" -print_final_stats=1 2>fuzz.log || { tail -n 60 fuzz.log >&2; exit 1; }
grep -E '^Done|stat::(number_of_executed_units|new_units_added|peak_rss_mb)' fuzz.log
grep -q '^Done [1-9]' fuzz.log
