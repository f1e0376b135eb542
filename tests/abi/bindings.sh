#!/bin/sh
# Checks the symbols to which a program of each version binds, and the layouts that are compiled
# into it. A function of forms.txt must be bound to the form that is valid in the version, every
# other function that the headers declare to its own name. interface_test.c must also compile for
# every version, including those for which no program is built. Sizes, offsets and values of all
# structures that a program can access, and of all enumerators, must be those of layouts.txt.
#
# forms.txt: a name, the versions that introduced a form of it, and the first version that no longer has it. Lines may only be
# extended, and none may be removed: linked programs need them.
#
# layouts.txt: a structure and its size, a member with its offset and its size, or an enumerator and its value; the first and
# the last version with this layout. It is valid for 64-bit machines. UPDATE_GOLDEN=1 writes it; changes in existing lines
# break programs.
#
# Exit status 77 if nm or gcc is missing.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_forms=0

for tool in nm gcc; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

headers=$src/include
. "$src/tests/abi/headers_of.sh"

# declared VERSION: writes every function of the version to $work/names, and a file that includes its headers
# to $work/all.c.
declared()
{
	headers_of "$1" -DDOCA_ALLOW_EXPERIMENTAL_API && functions_in
}

# bound VERSION: prints the symbols to which the addresses of those functions refer.
bound()
{
	{
		cat "$work/all.c"
		echo 'const void *const bound[] = {'
		sed 's/.*/	(const void *)\&&,/' "$work/names"
		echo '};'
	} >"$work/table.c"
	gcc -c -DDOCA_USE_VERSION="$1" -DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ALLOW_DEPRECATED_API \
		-I"$src/include" "$work/table.c" -o "$work/table.o" &&
		nm -u "$work/table.o" | awk '{ print $NF }' | LC_ALL=C sort
}

# expected VERSION: prints the symbols according to forms.txt. A line "missing NAME" is a name that the
# headers lack.
expected()
{
	awk -v version="$1" '
		NR == FNR {
			if ($0 ~ /^#/) next
			if (version >= $2 && version < $NF) wanted[$1] = 1
			for (i = 2; i < NF; i++) if (version >= $i && version < $NF) form[$1] = $i
			next
		}
		{
			delete wanted[$1]
			if ($1 in form) printf "%s__v%d_%d\n", $1, int(form[$1] / 100), form[$1] % 100
			else print $1
		}
		END { for (name in wanted) print "missing " name }
	' "$src/tests/abi/forms.txt" "$work/names" | LC_ALL=C sort
}

# laid_out VERSION: prints a line for each structure, member and enumerator of the headers in
# $work/all.i.
laid_out()
{
	{
		cat "$work/all.c"
		echo '#include <stddef.h>'
		echo '#include <stdio.h>'
		echo 'int main(void)'
		echo '{'
		tr '\n\t' '  ' <"$work/all.i" | grep -oE '(struct|union) doc[ao]c*_[a-z0-9_]* \{[^{}]*\}?' | awk '
			{
				type = $1 " " $2
				print "printf(\"" type " %zu\\n\", sizeof(" type "));"
				if (!/\}$/) next
				sub(/^[^{]*\{/, "")
				sub(/\}$/, "")
				n = split($0, members, ";")
				for (i = 1; i < n; i++) {
					member = members[i]
					sub(/ *\[.*/, "", member)
					sub(/.*[ *]/, "", member)
					print "printf(\"" type "." member " %zu %zu\\n\", offsetof(" type ", " member \
						"), sizeof(((" type " *)0)->" member "));"
				}
			}'
		tr '\n\t' '  ' <"$work/all.i" | grep -oE 'enum( [a-zA-Z0-9_]*)? \{[^}]*\}' |
			sed 's/^[^{]*{//; s/}$//' | tr ',' '\n' | sed -n 's/^ *\(DOC[A-Z0-9]*_[A-Z0-9_a-z]*\).*/\1/p' |
			sed 's/.*/printf("& %lld\\n", (long long)&);/'
		echo 'return 0;'
		echo '}'
	} >"$work/layout.c"
	gcc -DDOCA_USE_VERSION="$1" -DDOCA_ALLOW_EXPERIMENTAL_API -I"$src/include" "$work/layout.c" -o "$work/layout" &&
		"$work/layout" | LC_ALL=C sort -u | sed "s/^/$1 /" >>"$work/laid-out"
}

# Merges consecutive versions with the same layout into one line.
layouts()
{
	awk -v versions="$versions" '
		BEGIN { n = split(versions, order, " "); for (i = 1; i <= n; i++) place[order[i]] = i }
		{
			version = $1
			sub(/^[0-9]* /, "")
			if (($0 in last) && place[version] != place[last[$0]] + 1) {
				print $0, first[$0], last[$0]
				delete last[$0]
			}
			if (!($0 in last)) first[$0] = version
			last[$0] = version
		}
		END { for (line in last) print line, first[line], last[line] }
	' "$work/laid-out" | LC_ALL=C sort
}

versions=$(sed -n 's/^versions = //p' "$src/include/Makefile.include")
: >"$work/laid-out"
grep -ohE '^SAME\(doc[a-z0-9_]*' "$src"/tests/abi/interface_*.h | sed 's/.*(//' | LC_ALL=C sort -u >"$work/rows"
for version in $versions; do
	if ! declared "$version" || ! bound "$version" >"$work/bound" || ! [ -s "$work/bound" ]; then
		cat "$work/all.err"
		fail "the functions of $version do not compile"
		continue
	fi
	expected "$version" >"$work/expected"
	diff "$work/expected" "$work/bound" ||
		fail "programs of $version bind to other symbols than those in tests/abi/forms.txt"
	n_forms=$((n_forms + $(grep -c __v "$work/bound")))
	gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -DDOCA_USE_VERSION="$version" \
		-DDOCA_ALLOW_EXPERIMENTAL_API -I"$src" -I"$src/include" "$src/tests/abi/interface_test.c" ||
		fail "the interface of $version has changed"
	unseen=$(LC_ALL=C comm -23 "$work/names" "$work/rows")
	[ -z "$unseen" ] || fail "interface_*.h has no row for these names of $version:" $unseen
	laid_out "$version" || fail "the structures of $version do not compile"
	echo "$version: $(wc -l <"$work/bound") functions, $(grep -c __v "$work/bound") with a form of their own"
done
layouts >"$work/layouts"
if [ -n "${UPDATE_GOLDEN:-}" ]; then
	cp "$work/layouts" "$src/tests/abi/layouts.txt"
fi
diff "$src/tests/abi/layouts.txt" "$work/layouts" || fail "the layouts that are compiled into programs differ from layouts.txt"
echo "$(grep -c '^[su]' "$work/layouts") lines of structures, $(grep -c '^D' "$work/layouts") of enumerators"
[ $n_forms -gt 0 ] || fail "no name has more than one form"

[ $n_failed -eq 0 ]
