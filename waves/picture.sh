#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws a view of a wave file, without a display: waves/picture.sh VIEW FST OUT.png [FROM TO]
# VIEW is a name or a file (getm, waves/getm.gtkw); FROM and TO are picoseconds, else all of the file is drawn.
# Needs gtkwave, Xvfb (package xvfb) and import (package imagemagick).
set -euo pipefail

[ $# -eq 3 ] || [ $# -eq 5 ] || { echo "usage: waves/picture.sh VIEW FST OUT.png [FROM TO]" >&2; exit 2; }
for tool in gtkwave Xvfb import; do
    command -v "$tool" >/dev/null || { echo "picture.sh: $tool is not installed; apt-get install gtkwave xvfb imagemagick" >&2; exit 2; }
done
root=$(cd "$(dirname "$0")/.." && pwd)
view=$1
[ -f "$view" ] || view=$root/waves/$1.gtkw
[ -f "$view" ] || { echo "picture.sh: no view $1" >&2; exit 2; }
[ -f "$2" ] || { echo "picture.sh: no wave file $2" >&2; exit 2; }
view=$(realpath "$view")
fst=$(realpath "$2")
out=$(realpath "$3")

work=$(mktemp -d)
server= viewer=
finish() {
    [ -z "$viewer" ] || kill "$viewer" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

wait_for() { # at most 20 s
    local n
    for ((n = 0; n < 200; n++)); do
        [ -s "$1" ] && return
        sleep 0.1
    done
    echo "picture.sh: $2" >&2
    cat "$work"/*.log >&2
    exit 1
}

size=$(sed -n 's/^\[size\] \([0-9]*\) \([0-9]*\)/\1x\2/p' "$view")
Xvfb -displayfd 3 -screen 0 "${size}x24" -nolisten tcp 3>"$work/display" 2>"$work/server.log" &
server=$!
wait_for "$work/display" "Xvfb does not start"

if [ $# -eq 5 ]; then
    echo "gtkwave::setZoomRangeTimes ${4}ps ${5}ps"
else
    echo "gtkwave::/Time/Zoom/Zoom_Full"
fi >"$work/zoom.tcl"
echo "set f [open $work/ready w]; puts \$f drawn; close \$f" >>"$work/zoom.tcl"

cd "$root" # the views name their filter files from here
DISPLAY=:$(cat "$work/display") gtkwave --nomenus --rcvar 'splash_disable on' --rcvar 'hide_sst on' --rcvar 'left_justify_sigs on' \
    --script "$work/zoom.tcl" "$fst" "$view" >"$work/viewer.log" 2>&1 &
viewer=$!
wait_for "$work/ready" "gtkwave does not start"
sleep 1 # its last drawing
DISPLAY=:$(cat "$work/display") import -window root +dither -colors 32 "png8:$work/picture.png"
cp "$work/picture.png" "$out.$$" # whole or not at all
mv "$out.$$" "$out"
