#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz_fatbin.sh SOURCE_DIR WORK_DIR PYTHON OPTION ...: the same as fuzz.sh, of files that nvcc makes. The corpus is made of tests/cuda/kernels.ptx.
set -euo pipefail
source_dir=$1 work=$2 python=$3
shift 3
mkdir -p "$work/corpus"
cd "$work"
"$python" "$source_dir/tests/cuda/fatbin.py" "$source_dir/tests/cuda/kernels.ptx" corpus
clang-14 -std=c11 -gline-tables-only -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -DCW_FATBIN_TEXT_MOST='((size_t)1 << 20)' \
    -I"$source_dir/harness" -I"$source_dir/csim" \
    "$source_dir"/tests/fuzz/fuzz_fatbin.c "$source_dir"/harness/fatbin/*.c "$source_dir"/csim/base/error.c -llz4 -lzstd -o fuzz_fatbin
./fuzz_fatbin corpus -max_len=20000 -timeout=10 "$@" -print_final_stats=1 2>fuzz.log || { tail -n 60 fuzz.log >&2; exit 1; }
grep -E '^Done|stat::(number_of_executed_units|new_units_added|peak_rss_mb)' fuzz.log
grep -q '^Done [1-9]' fuzz.log
