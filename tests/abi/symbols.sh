#!/bin/sh
# The built library exports every function of the list in client/libdococlient.map and nothing else, and the list
# matches the declarations in the public headers. Exit status 77 if nm is missing.
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
	echo "FAIL: $lib is missing"
	exit 1
fi

# compare NAME FILE: compares the sorted names in FILE with the list.
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

# The declarations as the compiler sees them, one per line, for every version. A name with a binding adds its symbol and
# the plain name.
: >"$work/declared.all"
headers=$top_srcdir/include
. "$top_srcdir/tests/abi/headers_of.sh"
for version in $(sed -n 's/^versions = //p' "$top_srcdir/include/Makefile.include"); do
	headers_of "$version" || {
		cat "$work/all.err"
		echo "FAIL: the headers do not preprocess for $version"
		status=1
	}
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

echo "$(wc -l <"$work/list") names in the list, $(wc -l <"$work/exported") exported, $(wc -l <"$work/declared") declared"
exit $status
