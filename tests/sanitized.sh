#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The unit and system tests once more, built with the address and undefined-behaviour sanitizers (docs/testing.md).
#
#   sanitized.sh build SOURCE_DIR BUILD_DIR BESIDE TARGET ...     builds the targets; kernels and Verilog are those of the build BESIDE
#   sanitized.sh run BUILD_DIR PATTERN                            runs the tests whose names match; fails when none does
set -euo pipefail
verb=$1
shift
case $verb in
build)
    source_dir=$1 build=$2 beside=$3
    shift 3
    cd "$source_dir"
    mkdir -p "$build"
    for made in kernels rtl; do
        [ -L "$build/$made" ] || rm -rf "${build:?}/$made" # links to those of the other build
    done
    if ! { cmake --preset debug -B "$build" -D COWARP_BESIDE="$beside" && cmake --build "$build" -j "$(nproc)" --target "$@"; } >"$build/build.log" 2>&1; then
        tail -n 40 "$build/build.log" >&2
        exit 1
    fi
    ;;
run)
    build=$1 pattern=$2
    ctest --test-dir "$build" -R "$pattern" --no-tests=error --output-on-failure
    ;;
*)
    echo "sanitized.sh: neither build nor run: $verb" >&2
    exit 2
    ;;
esac
