#!/bin/sh
# What a program of each version binds to: the symbols that the address of every public function of that version refers to,
# against tests/abi/bind-VERSION.txt. A released line never changes: a program that was linked needs it.
#
#   bindings.sh            compares
#   bindings.sh --write    writes the files anew, for who means it
#
# Exit status 77 when nm or gcc is missing.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0

for tool in nm gcc; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

# bound VERSION NUMBER: the symbols, one a line, of every function that the headers of the version declare.
bound()
{
	for header in "$src"/include/*.h; do
		case $header in
		*_task.h | *_workq.h | *_former.h) continue ;; # they come with the header that chooses between them
		esac
		echo "#include <${header##*/}>"
	done >"$work/any.c"
	# A header that the version does not have refuses to be included, and says which it is.
	LC_ALL=C gcc -E -DDOCA_USE_VERSION="$2" -I"$src/include" "$work/any.c" 2>&1 >/dev/null |
		sed -n 's,.*/\(doc[a-z0-9_]*\.h\):[0-9:]* error: #error .*,#include <\1>,p' >"$work/refused"
	grep -vxFf "$work/refused" "$work/any.c" >"$work/all.c"
	[ -s "$work/all.c" ] || return 1
	gcc -E -P -DDOCA_USE_VERSION="$2" -DDOCA_ALLOW_EXPERIMENTAL_API -I"$src/include" "$work/all.c" |
		tr '\n' ' ' | tr ';' '\n' | awk '
			match($0, /visibility\("default"\)\)\) *[^(]*[ *]doc[a-z0-9]*_[a-z0-9_]* *\(/) {
				name = substr($0, RSTART, RLENGTH)
				sub(/ *\($/, "", name)
				sub(/.*[ *]/, "", name)
				print name
			}' | sort -u >"$work/names"
	{
		cat "$work/all.c"
		echo 'const void *const bound[] = {'
		sed 's/.*/	(const void *)\&&,/' "$work/names"
		echo '};'
	} >"$work/table.c"
	gcc -c -DDOCA_USE_VERSION="$2" -DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ALLOW_DEPRECATED_API \
		-I"$src/include" "$work/table.c" -o "$work/table.o" || return 1
	nm -u "$work/table.o" | awk '{ print $NF }' | LC_ALL=C sort
}

for version in 1.3:103 1.5:105 2.2:202 2.5:205 2.6:206 3.3:303; do
	golden=$src/tests/abi/bind-${version%:*}.txt
	bound "${version%:*}" "${version#*:}" >"$work/bound" && [ -s "$work/bound" ] || {
		echo "FAIL: the table of ${version%:*} does not compile"
		n_failed=$((n_failed + 1))
		continue
	}
	if [ "${1:-}" = --write ]; then
		cp "$work/bound" "$golden"
	elif ! diff -u "$golden" "$work/bound"; then
		echo "FAIL: programs of ${version%:*} bind to something else than tests/abi/bind-${version%:*}.txt says"
		n_failed=$((n_failed + 1))
	fi
	echo "${version%:*}: $(wc -l <"$work/bound") functions"
done

[ $n_failed -eq 0 ]
