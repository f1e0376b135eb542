#!/bin/sh
# The built library exports every function of the list in client/libdococlient.map and nothing else, and the list
# is what the public headers declare. Exit status 77 when nm is missing.
set -u

map=${top_srcdir:?run by make check}/client/libdococlient.map
lib=${DOCO_LIB:-${top_builddir:?run by make check}/client/.libs/libdococlient.so}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
status=0

if ! command -v nm >/dev/null; then
	echo "skipped: nm is not installed"
	exit 77
fi
if [ ! -f "$lib" ]; then
	echo "FAIL: $lib is not there"
	exit 1
fi

# compare NAME FILE: the sorted names in FILE against the list.
compare()
{
	comm -23 "$work/list" "$2" | sed "s/^/FAIL: in the list, not $1: /" >"$work/diff"
	comm -13 "$work/list" "$2" | sed "s/^/FAIL: not in the list, but $1: /" >>"$work/diff"
	if [ -s "$work/diff" ]; then
		cat "$work/diff"
		status=1
	fi
}

sed -n 's/^[[:space:]]*\(doc[a-z0-9]*_[a-z0-9_]*\);.*/\1/p' "$map" | LC_ALL=C sort >"$work/list"
[ -s "$work/list" ] || { echo "FAIL: no names in $map"; exit 1; }
LC_ALL=C uniq -d "$work/list" | sed 's/^/FAIL: twice in the list: /' >"$work/twice"
[ -s "$work/twice" ] && { cat "$work/twice"; status=1; }

# Type A is the name of the version stanza itself.
nm -D --defined-only "$lib" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	LC_ALL=C sort -u >"$work/exported"
LC_ALL=C compare exported "$work/exported"

# Declarations as the compiler sees them, one per line, for every version. A bound one is its symbol, and the plain name.
: >"$work/declared.all"
preprocess()
{
	LC_ALL=C ${CC:-cc} -E -P -I"$top_srcdir/include" -DDOCA_USE_VERSION="$version" "$work/all.c" \
		>"$work/all.i" 2>"$work/all.err"
}

for version in $(sed -n 's/^versions = //p' "$top_srcdir/include/Makefile.include"); do
	for header in "$top_srcdir"/include/*.h; do
		case $header in
		*_task.h | *_workq.h | *_former.h) continue ;; # they come with the header that chooses between them
		esac
		echo "#include <${header##*/}>"
	done >"$work/all.c"
	# A header of another generation refuses to be included; then without those that did.
	if ! preprocess; then
		sed -n 's,.*/\(doc[a-z0-9_]*\.h\):[0-9:]* error: [^"]*"doc[a-z0-9_]*\.h .*,#include <\1>,p' "$work/all.err" >"$work/refused"
		grep -vxFf "$work/refused" "$work/all.c" >"$work/left"
		mv "$work/left" "$work/all.c"
		preprocess || {
			cat "$work/all.err"
			echo "FAIL: the headers do not preprocess for $version"
			status=1
		}
	fi
	tr '\n' ' ' <"$work/all.i" | tr ';' '\n' | awk '
		match($0, /visibility\("default"\)\)\) *[^(]*[ *]doc[a-z0-9]*_[a-z0-9_]* *\(/) {
			name = substr($0, RSTART, RLENGTH)
			sub(/ *\($/, "", name)
			sub(/.*[ *]/, "", name)
			print name
			if (match($0, /"__v" "[0-9_]+"/))
				print name "__v" substr($0, RSTART + 7, RLENGTH - 8)
		}' >>"$work/declared.all"
done
LC_ALL=C sort -u "$work/declared.all" >"$work/declared"
LC_ALL=C compare declared "$work/declared"

# What a release had stays for ever, in the stanza that it was released in: programs were linked with it.
stanzas()
{
	awk '/^[A-Za-z_0-9.]+ *\{/ { stanza = $1 } /^[ \t]*doc[a-z0-9_]*;/ { sub(/;.*/, "", $1); print stanza, $1 }' |
		LC_ALL=C sort
}
if release=$(git -C "$top_srcdir" describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null); then
	git -C "$top_srcdir" show "$release:client/libdococlient.map" | stanzas >"$work/released"
	stanzas <"$map" >"$work/now"
	LC_ALL=C comm -23 "$work/released" "$work/now" |
		sed "s/^/FAIL: in $release, and no longer so in the list: /" >"$work/diff"
	[ -s "$work/diff" ] && { cat "$work/diff"; status=1; }
	echo "$(wc -l <"$work/released") names were released in $release"
else
	echo "no release yet whose names would have to stay"
fi

echo "$(wc -l <"$work/list") names in the list, $(wc -l <"$work/exported") exported, $(wc -l <"$work/declared") declared"
exit $status
