#!/bin/sh
# A compiler that behaves as its first word says. It lies in a folder with the answers that it gives, and leaves there
# which processes it was, which words it got and, of the last call of each command, which environment.
here=$(dirname "$0")
mode=$1
shift
echo "$$" >>"$here/pids"
echo "$*" >>"$here/calls"
while [ "$1" = --skills ]; do shift 2; done
tr '\0' '\n' <"/proc/$$/environ" >"$here/environment.$1" 2>/dev/null
[ "$(cat)" = "" ] || exit 99

hang() {
    # Ignored by everything that is started from here on, too.
    trap '' TERM
    sleep 1000 &
    echo "$!" >>"$here/pids"
    touch "$here/hanging"
    wait
}

case "$mode:$1" in
silent:contract) exit 0 ;;
refusing:contract) exit 1 ;;
foreign:contract) cat "$here/foreign.json" && exit 0 ;;
hang-contract:contract) hang ;;
hang-index:index) hang ;;
no-index:index) echo "no index today" >&2 && exit 1 ;;
*:contract) cat "$here/contract.json" && exit 0 ;;
*:index)
    mkdir -p "$4/generations" && touch "$4/manifest.json"
    exit 0
    ;;
esac

while [ $# -gt 0 ]; do
    case $1 in
    --output) packet=$2 ;;
    --manifest) manifest=$2 ;;
    esac
    shift
done

answer() {
    cp "$here/$1.md" "$packet" && cp "$here/$1.json" "$manifest"
}

case "$mode" in
low_confidence | budget_insufficient) answer "$mode" && exit 2 ;;
contradiction) answer low_confidence && exit 0 ;;
crash) answer ok && exit 70 ;;
killed) kill -9 $$ ;;
hang) hang ;;
leaving)
    sleep 1000 &
    echo "$!" >>"$here/pids"
    answer ok
    ;;
flood)
    head -c 10000000 /dev/zero | tr '\0' 'e' >&2
    echo >&2
    answer ok
    ;;
garbage)
    printf 'a \262\377 password=hunter2hunter2\n' | tee /dev/stderr
    answer ok
    ;;
nothing) exit 0 ;;
no_packet) answer ok && rm "$packet" ;;
no_json) echo "{" >"$manifest" ;;
huge) answer ok && dd if=/dev/zero of="$manifest" bs=1 count=0 seek=200M 2>/dev/null ;;
changed) answer ok && echo more >>"$packet" ;;
swap)
    folder=$(dirname "$packet")
    mv "$folder" "$folder.before" && ln -s "$here/../elsewhere" "$folder"
    echo "swapped" >&2
    exit 3
    ;;
linked) answer ok && mv "$packet" "$packet.real" && ln -s "$packet.real" "$packet" ;;
*) answer "$mode" ;;
esac
