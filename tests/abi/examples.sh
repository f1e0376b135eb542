#!/bin/sh
# The first comment of each public header has an example, and the example compiles, as C and as C++,
# for the newest version that has the header. Exit status 77 if gcc or g++ is missing.
set -u

headers=${top_srcdir:?run by make check}/include
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_compiled=0
. "$top_srcdir/tests/abi/example_of.sh"

for tool in gcc g++; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

has_rdma=true
if ! echo '#include <rdma/rdma_cma.h>' | gcc -E -x c - >/dev/null 2>&1; then
	has_rdma=false
	echo "note: librdmacm's headers are not installed; the examples of doca_rdma*.h are not compiled"
fi

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# newest_of HEADER: prints the newest version in which the header exists.
newest_of()
{
	for version in $newest_first; do
		if echo "#include <$1>" | gcc -E -x c "-I$headers" -DDOCA_USE_VERSION="$version" - \
			>/dev/null 2>&1; then
			echo "$version"
			return 0
		fi
	done
	return 1
}

# compile COMPILER LANGUAGE STANDARD VERSION FILE: the version may be empty, if the example selects
# one itself.
compile()
{
	n_compiled=$((n_compiled + 1))
	"$1" -x "$2" -std="$3" -Wall -Wextra -Werror -fsyntax-only "-I$headers" \
		${4:+"-DDOCA_USE_VERSION=$4"} "$5" || fail "$1: the example of $header"
}

newest_first=$(sed -n 's/^versions = //p' "$headers/Makefile.include" | tr ' ' '\n' | sort -rn)
for header in "$headers"/*.h; do
	header=${header##*/}
	if ! example_of "$header" >"$work/example"; then
		fail "$header has no example in its first comment"
		continue
	fi
	case $header in
	doca_rdma*) $has_rdma || continue ;;
	esac
	version=$(newest_of "$header") || fail "no version has $header"
	! grep -q '^#define DOCA_USE_VERSION' "$work/example" || version=
	compile gcc c gnu99 "$version" "$work/example"
	compile g++ c++ gnu++11 "$version" "$work/example"
done

echo "$n_compiled compilations, $n_failed failures"
[ $n_failed -eq 0 ] && [ $n_compiled -gt 0 ]
