#!/bin/sh
# Every header has a manual page that man renders without warnings and that shows the header's
# example, and every function of the headers is in one of the pages. Exit status 77 if the build has
# no pages, because doxygen is missing, or if man is missing.
set -u

headers=${top_srcdir:?run by make check}/include
pages=${top_builddir:?run by make check}/doc/doxygen/man/man3
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_pages=0 n_functions=0
. "$top_srcdir/tests/abi/example_of.sh"

command -v man >/dev/null || { echo "skipped: man is not installed"; exit 77; }
grep -q '^DOXYGEN = .' "$top_builddir/Makefile" ||
	{ echo "skipped: doxygen was not installed when the build was configured"; exit 77; }

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

for header in "$headers"/*.h; do
	name=${header##*/}
	n_pages=$((n_pages + 1))
	LC_ALL=C.UTF-8 MANWIDTH=140 man --warnings=w -l "$pages/$name.3" >"$work/page" 2>"$work/errors" ||
		fail "man does not show $name.3"
	[ ! -s "$work/errors" ] || fail "$name.3: $(head -n 3 "$work/errors")"
	# Checks a line with quotes, because doxygen would replace them without the filter.
	line=$(example_of "$name" | grep -v '^#include\|^$' | sed -n '1p; /"/{p; q; }' | tail -n 1)
	grep -qF -- "${line:-no example}" "$work/page" || fail "$name.3 does not have the line '$line' of the example"
	cat "$work/page" >>"$work/all"
done

# A declaration may have its name in its second line.
cat "$headers"/*.h "$headers"/dococ/*.h | tr '\n' ' ' | grep -oE 'DOCA_STABLE [^;({]*\(' |
	sed -n 's/.*[ *]\(doc[ao]c\{0,1\}_[a-z0-9_]*\) *($/\1/p' | LC_ALL=C sort -u >"$work/functions"
grep -oE 'doc[ao]c?_[a-z0-9_]* \(' "$work/all" | sed 's/ ($//' | LC_ALL=C sort -u >"$work/shown"
n_functions=$(wc -l <"$work/functions")
LC_ALL=C comm -23 "$work/functions" "$work/shown" >"$work/missing"
[ ! -s "$work/missing" ] || fail "these functions are in no page: $(tr '\n' ' ' <"$work/missing")"
[ "$n_functions" -gt 1000 ] || fail "only $n_functions functions were found in the headers"

echo "$n_pages pages, $n_functions functions, $n_failed failures"
[ $n_failed -eq 0 ]
