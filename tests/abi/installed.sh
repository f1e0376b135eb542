#!/bin/sh
# Tests the installed tree with a build file of each generation; run by 'make installcheck'. With
# the pkg-config modules of versions and sides, and in the environment that the installed doca-admin
# prints, every function, value and structure of the version compiles and links, all included
# headers are installed ones, C++ works too, and the program runs with the installed library. Exit
# status 77 if pkg-config, gcc or g++ is missing.
set -u

src=$(cd "${top_srcdir:?run by make installcheck}" && pwd)
: "${prefix:?}" "${libdir:?}" "${includedir:?}" "${bindir:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_programs=0

for tool in pkg-config gcc g++; do
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

# Compiles the interface of the version with only the flags of the modules, in a folder of its own
# without any other header.
mkdir -p "$work/src/tests/abi"
cp "$src"/tests/abi/interface_*.[ch] "$work/src/tests/abi/"

# foreign DEPENDENCIES: prints headers of ours that are not from the installed tree.
foreign()
{
	tr ' ' '\n' <"$1" | grep '/\(doca_[^/]*\|dococ\|dococ/[^/]*\)\.h$' | grep -v "^$includedir/\|^$libdir/dococore/api/"
}

# check VERSION SIDE MODULE NUMBER
check()
{
	(
		unset PKG_CONFIG_PATH LD_LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH
		environment=$("$bindir/doca-admin" env --api "$1" --side "$2") || exit 1
		eval "$environment"
		cflags="$(pkg-config --cflags "$3") -DDOCA_ALLOW_EXPERIMENTAL_API" || exit 1
		libs=$(pkg-config --libs "$3") || exit 1
		# shellcheck disable=SC2086
		gcc -std=gnu11 -Wall -Werror ${SANITIZE_FLAGS:-} -MD -MF "$work/used" $cflags \
			"-I$work/src" "$work/src/tests/abi/interface_test.c" -o "$work/program" $libs || exit 1
		foreign "$work/used" && exit 1
		grep -q "$includedir/doca_dev.h" "$work/used" || exit 1
		tr ' ' '\n' <"$work/used" | sed -n "s|^$includedir/\([^/]*\)$|#include <\1>|p" >"$work/all.cc"
		# shellcheck disable=SC2086
		g++ -std=c++11 -Wall -Werror -fsyntax-only $cflags "$work/all.cc" || exit 1
		ldd "$work/program" | grep -q "$libdir/libdococlient.so" || exit 1
		said=$("$work/program")
		case $said in
		"version $4: "*" 0 not bound") ;;
		*) echo "it prints '$said', expected $4" && exit 1 ;;
		esac
	) >"$work/out" 2>&1 || fail "$1 $2 by $3: $(cat "$work/out")"
	n_programs=$((n_programs + 1))
}

for version in 1.3 1.5 2.0 2.2 2.5 2.6 2.7 2.10 3.3; do
	number=$((${version%.*} * 100 + ${version#*.}))
	check $version host doca $number
	check $version dpu doca-common $number
done

# The linker names that old build files use.
for name in common dma sha aes_gcm argp comch comm_channel rdma compress erasure_coding; do
	# shellcheck disable=SC2086
	gcc -std=gnu11 ${SANITIZE_FLAGS:-} "-I$includedir" "-I$work/src" -DDOCA_ALLOW_EXPERIMENTAL_API \
		"$work/src/tests/abi/interface_test.c" -o "$work/program" "-L$libdir" -ldoca_$name \
		"-Wl,-rpath,$libdir" >"$work/out" 2>&1 || fail "-ldoca_$name: $(cat "$work/out")"
	"$work/program" >"$work/out" || fail "-ldoca_$name: $(cat "$work/out")"
done

echo "$n_programs programs built from $prefix, $n_failed failures"
[ $n_failed -eq 0 ]
