#!/bin/sh
# Makes the data of 'doca-admin which-api': the statements of doc/api-changes.md about each name, and the names in the headers of
# each version.
#   top_srcdir=DIR CC=COMPILER AWK=AWK which_api.sh WORK-DIRECTORY VERSION... >DATA.c
# LC_ALL=C: the script evaluates the compiler's messages about headers that refuse a version.
set -u

src=${top_srcdir:?}
work=${1:?} headers=$src/include
shift
mkdir -p "$work" || exit 1
. "$src/tests/abi/headers_of.sh"

# Writes the names in the headers as lines "VERSION NAME".
for version; do
	headers_of "$version" -DDOCA_API_NO_HINTS -dD || {
		cat "$work/all.err" >&2
		exit 1
	}
	{
		sed 's/.*<\(.*\)>/\1/' "$work/all.c"
		grep -oE '\<(doca|DOCA)_[A-Za-z0-9_]*' "$work/all.i"
	} | LC_ALL=C sort -u | sed "s/^/$version /"
done >"$work/has"
${AWK:-awk} -v versions="$*" -f "$src/tools/doca-admin/which_api/which_api.awk" "$src/doc/api-changes.md" "$work/has"
