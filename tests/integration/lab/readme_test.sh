#!/bin/sh
# The first program of README.md: its commands, taken from the page, build and run it, and print what
# the page says. The code that the page shows is in the program. Exit status 77 if a tool is missing.
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

# section LANGUAGE: prints the blocks of code in this language of the section "A first program".
section() {
	awk -v language="$1" '
	/^## / { in_section = $0 == "## A first program" }
	!in_section { next }
	/^```/ { in_block = !in_block && $0 == "```" language; next }
	in_block { print }
	' "$src/README.md"
}

section sh | sed "s,/tmp/lab,$lab,g" >"$work/commands"
section text >"$work/expected"
section c >"$work/code"
for part in commands expected code; do
	[ -s "$work/$part" ] || fail "README.md has no $part in the section of the first program"
done

(cd "$work" && timeout -k 5 $limit sh -e commands >out 2>err) || fail "a command of README.md: $?"
while IFS= read -r line; do
	grep -qxF "$line" "$work/out" || fail "the commands do not print '$line'"
done <"$work/expected"
while IFS= read -r line; do
	grep -qxF "$line" "$src/examples/first.c" || fail "examples/first.c has no line '$line'"
done <"$work/code"

[ $n_failed -eq 0 ] || { cat "$work/commands" "$work/out" "$work/err"; exit 1; }
