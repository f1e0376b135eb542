#!/bin/sh
# Checks that doc/api-changes.md agrees with the headers: a name exists in the versions of its rows
# and not afterwards; the later name in a row exists afterwards; and the forms of a name with
# several forms are those that the headers declare. Headers may have a name in earlier versions,
# too. Exit status 77 if the compiler is missing.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
doc=${DOCO_CHANGES:-$src/doc/api-changes.md}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0

compiler=${CC:-cc}
if ! command -v "${compiler%% *}" >/dev/null; then
	echo "skipped: ${compiler%% *} is not installed"
	exit 77
fi

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

headers=$src/include
. "$src/tests/abi/headers_of.sh"
versions=$(sed -n 's/^versions = //p' "$src/include/Makefile.include")

# Converts the document to lines KIND NAME FIRST LAST TEXT. The kind of a row is "form" in the first
# table, "meaning" in the second one, and "name", with the later name as text, in all others. A
# heading with versions becomes a line of kind "header".
awk -F ' *[|] *' '
	function number(text, parts) { split(text, parts, "."); return parts[1] * 100 + parts[2] }
	function spans(kind, name, text, rest, ranges, n, i, ends, m) {
		n = split(text, ranges, ", ")
		for (i = 1; i <= n; i++) {
			m = split(ranges[i], ends, " to ")
			if (m == 1) sub(/ on$/, "", ends[1])
			if (ends[1] !~ /^[1-9][.][0-9]+$/ || (m == 2 && ends[2] !~ /^[1-9][.][0-9]+$/))
				print "unclear", name, text
			else
				print kind, name, number(ends[1]), \
					m == 2 ? number(ends[2]) : ranges[i] ~ / on$/ ? 999 : number(ends[1]), rest
		}
	}
	/^## The same spelling/ { kind = "form"; next }
	/^## The same form/ { kind = "meaning"; next }
	/^## doc/ {
		kind = "name"
		split($0, heading, /[ ()]+/)
		text = $0
		sub(/^[^(]*[(]/, "", text)
		sub(/[)]$/, "", text)
		spans("header", heading[2], text, "")
		next
	}
	/^\| `/ {
		gsub(/`/, "")
		spans(kind, $2, $3, $4)
	}
' "$doc" >"$work/rows"
grep '^unclear ' "$work/rows" && fail "these versions are unclear"

awk '$1 != "unclear" { print $2; if ($1 == "name" && NF > 4) print $5 }' "$work/rows" | LC_ALL=C sort -u >"$work/named"

# The contents of the headers: lines VERSION NAME, with functions, types, values, macros and
# headers.
for version in $versions; do
	headers_of "$version" -DDOCA_API_NO_HINTS || {
		cat "$work/all.err"
		fail "the headers of $version do not preprocess"
		continue
	}
	cp "$work/all.c" "$work/all.$version.c"
	{
		tr -cs 'A-Za-z0-9_' '\n' <"$work/all.i"
		sed 's/.*<\(.*\)>/\1/' "$work/all.c"
		$compiler -E -dM -DDOCA_USE_VERSION="$version" -DDOCA_API_NO_HINTS -I"$headers" "$work/all.c" |
			sed 's/^#define \([A-Za-z0-9_]*\).*/\1/'
		# Macros that the program may define.
		$compiler -E -MM -DDOCA_USE_VERSION="$version" -DDOCA_API_NO_HINTS -I"$headers" "$work/all.c" |
			tr ' ' '\n' | grep '/\(doca_\|dococ/\)[^/]*[.]h$' | xargs sed -n 's/^#ifdef \(DOCA_[A-Z_]*\)$/\1/p'
	} | LC_ALL=C sort -u | LC_ALL=C comm -12 - "$work/named" | sed "s/^/$version /"
done >"$work/has"

awk -v versions="$versions" '
	function written(version) { return int(version / 100) "." version % 100 }
	BEGIN { n_versions = split(versions, order, " ") }
	NR == FNR { has[$1, $2] = 1; next }
	$1 == "unclear" { next }
	{
		n_rows++
		if ($4 > last[$2]) last[$2] = $4
		for (i = 1; i <= n_versions; i++) {
			if (order[i] >= $3 && order[i] <= $4 && !((order[i], $2) in has))
				print "FAIL: " $2 ": the headers of " written(order[i]) " do not have it"
		}
		if ($1 != "name" || NF < 5) next
		for (i = 1; i <= n_versions && (order[i] <= $4 || !((order[i], $5) in has)); i++) ;
		if (i > n_versions) print "FAIL: " $2 ": no version after " written($4) " has its later name " $5
	}
	END {
		for (name in last) {
			for (i = 1; i <= n_versions; i++) {
				if (order[i] > last[name] && ((order[i], name) in has))
					print "FAIL: " name ": the headers of " written(order[i]) " have it still"
			}
		}
		print n_rows + 0 " rows"
	}
' "$work/has" "$work/rows" >"$work/names"
LC_ALL=C sort "$work/names"
grep -q '^FAIL' "$work/names" && n_failed=$((n_failed + 1))

# The compiler accepts a second declaration of the same form, and rejects one of another form.
for version in $versions; do
	[ -f "$work/all.$version.c" ] || continue
	{
		cat "$work/all.$version.c"
		awk -v version="$version" '$1 == "form" && version >= $3 && version <= $4 && !/ the same; / {
			sub(/^[^ ]* [^ ]* [^ ]* [^ ]* /, "")
			sub(/; .*/, "")
			sub(/^static inline /, "")
			print $0 ";"
		}' "$work/rows"
	} >"$work/forms.c"
	$compiler -std=gnu11 -Wall -Werror -fsyntax-only -DDOCA_USE_VERSION="$version" -DDOCA_API_NO_HINTS \
		-DDOCA_ALLOW_EXPERIMENTAL_API -I"$headers" "$work/forms.c" >"$work/out" 2>&1 || {
		grep -A1 'error' "$work/out"
		fail "the forms of $version in the document differ from those in the headers"
	}
done

grep -q '^form ' "$work/rows" && grep -q '^header ' "$work/rows" || fail "the document has no forms, or no headers"
[ $n_failed -eq 0 ]
