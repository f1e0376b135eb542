#!/bin/sh
# Sourced by tests of the headers: the declarations in the headers of a version. $headers: their folder; $work: a folder for
# output.
: "${headers:?sourced by other tests}" "${work:?sourced by other tests}"

# preprocess_for VERSION FLAG...: preprocesses $work/all.c to $work/all.i.
preprocess_for()
{
	version_of_headers=$1
	shift
	LC_ALL=C ${CC:-cc} -E -P -DDOCA_USE_VERSION="$version_of_headers" -I"$headers" "$@" "$work/all.c" \
		>"$work/all.i" 2>"$work/all.err"
}

# headers_of VERSION FLAG...: writes a file that includes the headers of the version to $work/all.c, and its preprocessed form
# to $work/all.i. A header of another generation refuses to be included; these are left out. The compiler's messages are in
# $work/all.err.
headers_of()
{
	for header in "$headers"/*.h; do
		echo "#include <${header##*/}>"
	done >"$work/all.c"
	preprocess_for "$@" && return 0
	sed -n 's,.*/\(doc[a-z0-9_]*\.h\):[0-9:]* error: [^"]*"doc[a-z0-9_]*\.h .*,#include <\1>,p' \
		"$work/all.err" >"$work/refused"
	grep -vxFf "$work/refused" "$work/all.c" >"$work/left"
	mv "$work/left" "$work/all.c"
	preprocess_for "$@"
}

# functions_in: writes the names of the functions that $work/all.i declares, sorted, to $work/names.
functions_in()
{
	tr '\n' ' ' <"$work/all.i" | tr ';' '\n' | awk '
		match($0, /visibility\("default"\)\)\) *[^(]*[ *]doc[a-z0-9]*_[a-z0-9_]* *\(/) {
			name = substr($0, RSTART, RLENGTH)
			sub(/ *\($/, "", name)
			sub(/.*[ *]/, "", name)
			print name
		}' | LC_ALL=C sort -u >"$work/names"
}
