#!/bin/sh
# An old build file needs PKG_CONFIG_PATH and nothing else: the modules of every version and side name that version, build a
# program against it and link it; 'doca-admin env' says what to export; what was installed can be removed.
# Exit status 77 when pkg-config or gcc is missing.
set -u

src=${top_srcdir:?run by make check}
build=$(cd "${top_builddir:?run by make check}" && pwd)
src=$(cd "$src" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_built=0

for tool in pkg-config gcc; do
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

# A tree as 'make install' leaves it, with the library of this build.
prefix=$work/prefix
mkdir -p "$prefix/lib" "$prefix/bin"
ln -s "$src/include" "$prefix/include"
ln -s "$build/client/.libs/libdococlient.so" "$prefix/lib/libdococlient.so.0"
for name in libdococlient libdoca_common libdoca_dma libdoca_sha libdoca_argp libdoca_comch \
	libdoca_comm_channel libdoca_rdma; do
	ln -s "$build/client/.libs/libdococlient.so" "$prefix/lib/$name.so"
done
cp "$build/doca-admin" "$prefix/bin/"
modules="sh $src/client/pkgconfig/modules.sh"
$modules install "$prefix" "$prefix/lib" "$prefix/include" || fail "the modules are not installed"

cat >"$work/program.c" <<'EOF'
#include <doca_error.h>
#include <doca_dev.h>
#include <stdio.h>
int main(void)
{
#ifdef DOCA_ARCH_DPU
	const char *side = "dpu";
#else
	const char *side = "host";
#endif
	printf("%d %s %d\n", DOCA_USE_VERSION, side, doca_version_runtime() != NULL);
	return 0;
}
EOF

# build VERSION SIDE MODULE NUMBER: in the environment that doca-admin prints, and in no other.
build()
{
	(
		unset PKG_CONFIG_PATH LD_LIBRARY_PATH
		environment=$("$prefix/bin/doca-admin" env ${1:+--api "$1"} --side "$2") || exit 1
		eval "$environment"
		# shellcheck disable=SC2046
		gcc -Wall -Werror ${SANITIZE_FLAGS:-} $(pkg-config --cflags "$3") "$work/program.c" \
			-o "$work/program" $(pkg-config --libs "$3") || exit 1
		[ "$DOCA_SIDE" = "$2" ] && "$work/program"
	) >"$work/out" 2>"$work/err"
	n_built=$((n_built + 1))
	[ "$(cat "$work/out")" = "$4 $2 1" ] || {
		cat "$work/err"
		fail "${1:-newest} $2 $3: printed '$(cat "$work/out")', expected '$4 $2 1'"
	}
}

for version in 1.3 1.5 2.0 2.2 2.5 2.6 2.7 2.8 2.9 2.10 3.0 3.1 3.2 3.3; do
	number=$((${version%.*} * 100 + ${version#*.}))
	build $version host doca $number
	build $version dpu doca-common $number
done
build "" host doca-common 303
build "" dpu doca-dma 303
build 2.0.2 host doca-dma 200
build 2.2.0080 dpu doca-comm-channel 202
for module in doca-sha doca-argp doca-comm-channel doca-graph doca-sync-event; do
	build 2.2 host $module 202
done

"$prefix/bin/doca-admin" env --api 2.4 >"$work/out" 2>"$work/err" && fail "env accepts version 2.4"
grep -q "no version '2.4'" "$work/err" || fail "env does not say which version is wrong"
"$prefix/bin/doca-admin" env --api 2.2 --side card >"$work/out" 2>&1 && fail "env accepts a side 'card'"
"$build/doca-admin" env --api 2.2 >"$work/out" 2>"$work/err" && ! [ -s "$work/out" ] &&
	fail "env prints nothing and succeeds"

$modules remove "$prefix" "$prefix/lib" "$prefix/include" || fail "the modules are not removed"
find "$prefix/lib" -name '*.pc' | grep . && fail "modules are left behind"

echo "$n_built programs built, $n_failed failures"
[ $n_failed -eq 0 ]
