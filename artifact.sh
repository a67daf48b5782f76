#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The artifact of cowarp, from a clean Debian 12 to a table expected / measured / verdict:
#
#   ./artifact.sh --subset          GETM's Figures 10, 11 and 12 with one seed, in build/artifact: half an hour on two processors
#   ./artifact.sh --all             each figure and table of all papers with three seeds: about four hours of a processor
#   ./artifact.sh --archive FILE    sources of the commit and the results of build/artifact as FILE (.tar.gz), with its SHA-256; twice it is the same file
set -euo pipefail
cd "$(dirname "$0")"
usage() {
    sed -n '3,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

make_results() {
    ./setup
    scripts/build release cowarp kernels
    build/cowarp reproduce "$@" --out build/artifact
    exec build/cowarp reproduce --expected --out build/artifact
}

# No file in it has a time, an owner or an order of this machine.
archive() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    git archive --format=tar --prefix=cowarp/ HEAD >"$work/all.tar"
    if [ -d build/artifact ]; then
        tar --append --file "$work/all.tar" --directory build --exclude runs --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner \
            --mode=u=rwX,go=rX --transform 's,^artifact,cowarp/results,' artifact
    fi
    gzip -9n <"$work/all.tar" >"$work/all.tar.gz"
    mv "$work/all.tar.gz" "$1"
    sha256sum "$1"
}

case ${1:-} in
--subset) [ $# -eq 1 ] || usage; make_results getm.fig10 getm.fig11 getm.fig12 --seeds 1 ;;
--all) [ $# -eq 1 ] || usage; make_results all ;;
--archive) [ $# -eq 2 ] || usage; archive "$2" ;;
*) usage ;;
esac
