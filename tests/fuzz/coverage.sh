#!/usr/bin/env bash
# Prints how many lines of each parser the corpora reach, measured with gcov.
#
#   coverage.sh --source DIR --corpora DIR --build DIR [--at-least PERCENT] TARGET...
#
# Configures and builds DIR with gcc's --coverage, runs each target with its seeds, the stored corpus
# and the corpora of the last `make fuzz`, and counts the lines of the files in
# tests/fuzz/coverage.txt. With --at-least, a file below that percentage is a failure.
set -euo pipefail

source='' corpora='' build='' least=0 targets=()
while [[ $# -gt 0 ]]; do
	case $1 in
	--source) source=$2; shift 2 ;;
	--corpora) corpora=$2; shift 2 ;;
	--build) build=$2; shift 2 ;;
	--at-least) least=$2; shift 2 ;;
	*) targets+=("$1"); shift ;;
	esac
done
[[ -n $source && -n $build && ${#targets[@]} -gt 0 ]] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }

mkdir -p "$build"
cd "$build"
[[ -f Makefile ]] || "$source/configure" -q --enable-coverage CC="${CC:-gcc}" CFLAGS='-O0 -g1' >configure.log
make -s -j"$(nproc)" fuzz-targets FUZZ_TARGETS="${targets[*]}" >make.log 2>&1 || { tail -n 20 make.log >&2; exit 1; }
find . -name '*.gcda' -delete

for target in "${targets[@]}"; do
	name=$(basename "$target")
	inputs=()
	mkdir -p "stored/$name"
	if [[ -f $source/tests/fuzz/corpus/$name.tar.xz ]]; then
		tar -C "stored/$name" -xf "$source/tests/fuzz/corpus/$name.tar.xz"
		inputs+=("stored/$name")
	fi
	[[ ! -d $corpora/$name ]] || inputs+=("$corpora/$name")
	"$target" -n 20000 "${inputs[@]}" >"$(basename "$target").log" 2>&1 ||
		{ echo "$name failed" >&2; tail -n 5 "$name.log" >&2; exit 1; }
done

# One row of executed lines per source file. A file that is part of several objects counts once,
# with the object that reached most.
rows=$(find . -name '*.gcda' -print0 | xargs -0 gcov -n -r -s "$source" 2>/dev/null |
	awk -F"[':%]" '/^File / { file = $2 } /^Lines executed/ { if ($2 + 0 > best[file]) best[file] = $2 + 0
		split($0, part, " of "); lines[file] = part[2] }
	END { for (file in lines) print file, best[file] + 0, lines[file] }')
low=0
while read -r file target; do
	[[ -n $file && $file != \#* ]] || continue
	read -r percent lines < <(awk -v file="$file" '$1 == file { print $2, $3; found = 1 }
		END { if (!found) print 0, "?" }' <<<"$rows")
	mark=''
	if awk -v p="$percent" -v l="$least" 'BEGIN { exit !(p < l) }'; then
		mark="  below $least %" low=$((low + 1))
	fi
	printf '%-24s %6s %% of %5s lines  %s%s\n' "$file" "$percent" "$lines" "$target" "$mark"
done <"$source/tests/fuzz/coverage.txt"
[[ $low -eq 0 ]]
