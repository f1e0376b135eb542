#!/bin/sh
# Tests the macros of doca_bitfield.h in constant expressions and at run time, in C and C++, with
# gcc and, if installed, clang. Exit status 77 if gcc or g++ is missing.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_run=0 n_failed=0

for tool in gcc g++; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

# try COMPILER LANGUAGE STANDARD
try()
{
	n_run=$((n_run + 1))
	if ! "$1" -x "$2" -std="$3" -O1 -Wall -Wextra -Wpedantic -Wconversion -Werror "-I$src/include" \
		"$src/tests/abi/bitfield.c" -o "$work/bitfield" || ! "$work/bitfield"; then
		echo "FAIL: $1 -std=$3"
		n_failed=$((n_failed + 1))
	fi
}

try gcc c c99
try gcc c c17
try g++ c++ c++11
try g++ c++ c++17
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
	try clang c c11
	try clang++ c++ c++17
fi
echo "$n_run programs, $n_failed failures"
[ $n_failed -eq 0 ]
