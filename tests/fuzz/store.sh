#!/usr/bin/env bash
# Stores the corpora of a run of `make fuzz` in the source tree.
#
#   store.sh --build DIR [TARGET-NAME...]
#
# DIR is the folder where libFuzzer's targets were run (tests/fuzz/libfuzzer of a build). For each
# target, the smallest set of inputs with the full coverage is written to
# tests/fuzz/corpus/NAME.tar.xz for later runs. The same inputs result in the same archive.
set -euo pipefail

build='' names=() source=$(cd "$(dirname "$0")" && pwd)
while [[ $# -gt 0 ]]; do
	case $1 in
	--build) build=$2; shift 2 ;;
	*) names+=("$1"); shift ;;
	esac
done
[[ -n $build ]] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$build"
[[ ${#names[@]} -gt 0 ]] || mapfile -t names < <(cd tests/fuzz/corpus && ls -d -- *_fuzz)
mkdir -p "$source/corpus"
for name in "${names[@]}"; do
	merged=$(mktemp -d)
	"tests/fuzz/$name" -merge=1 -max_len=70000 -close_fd_mask=1 "$merged" "tests/fuzz/corpus/$name" \
		"tests/fuzz/corpus/$name.seeds" >"tests/fuzz/corpus/$name.merge.log" 2>&1 ||
		{ tail -n 5 "tests/fuzz/corpus/$name.merge.log" >&2; exit 1; }
	tar -C "$merged" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=0644 -cf - \
		--transform 's,^\./,,' . | xz -9e >"$source/corpus/$name.tar.xz"
	printf '%-20s %5d inputs, %d bytes\n' "$name" "$(find "$merged" -type f | wc -l)" \
		"$(stat -c %s "$source/corpus/$name.tar.xz")"
	rm -rf "$merged"
done
