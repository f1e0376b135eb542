#!/bin/sh
# Tests the programs of README.md: its commands, taken from the page, build and run them, and print
# what the page says. The programs must contain the code that the page shows. Exit status 77 if a
# tool is missing.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
build=$(cd "${top_builddir:?run by make check}" && pwd)
work=$(mktemp -d /tmp/doco-readme-XXXXXX) || exit 99
# The folder looks like a checkout after './bootstrap.sh build'.
prefix=$work/build/install
admin=$prefix/bin/doca-admin
lab=$work/lab
# Seconds for all commands; many times the duration on a busy machine.
limit=120
cleanup() {
	timeout -k 5 30 "$admin" lab down --dir "$lab" >"$work/down" 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET
n_failed=0

for tool in pkg-config gcc; do
	command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done

fail() {
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

. "$src/tests/integration/lab/installed_tree.sh"
modules install || fail "the modules are not installed"
ln -s "$src/examples" "$work/examples"
DOCOCORED=${DOCOCORED:-$build/dococored}
export DOCOCORED

# section NAME LANGUAGE: prints the blocks of code in this language of the section.
section() {
	awk -v name="## $1" -v language="$2" '
	/^## / { in_section = $0 == name }
	!in_section { next }
	/^```/ { in_block = !in_block && $0 == "```" language; next }
	in_block { print }
	' "$src/README.md"
}

# program SECTION SOURCE
program() {
	section "$1" sh | sed "s,/tmp/lab,$lab,g" >"$work/commands"
	section "$1" text >"$work/expected"
	section "$1" c >"$work/code"
	for part in commands expected code; do
		[ -s "$work/$part" ] || fail "README.md has no $part in the section '$1'"
	done
	(cd "$work" && timeout -k 5 $limit sh -e commands >out 2>err) || fail "a command of '$1': $?"
	while IFS= read -r line; do
		grep -qxF "$line" "$work/out" || fail "the commands of '$1' do not print '$line'"
	done <"$work/expected"
	while IFS= read -r line; do
		grep -qxF "$line" "$src/$2" || fail "$2 has no line '$line'"
	done <"$work/code"
	[ $n_failed -eq 0 ] || { cat "$work/commands" "$work/out" "$work/err"; exit 1; }
}

# The first program's section sets the search paths for both.
PATH=$prefix/bin:$PATH
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PATH PKG_CONFIG_PATH
program "A first program" examples/first.c
program "A second program" examples/second.c
