#!/bin/sh
# Checks that an old build file needs only PKG_CONFIG_PATH: with the modules of every version and
# side, a program is compiled for that version and linked; 'doca-admin env' prints the variables to
# export; the installed files can be removed. Exit status 77 if pkg-config or gcc is missing.
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

prefix=$work/prefix
. "$src/tests/integration/lab/installed_tree.sh"
modules install || fail "the modules are not installed"

cat >"$work/program.c" <<'EOF'
#include <doca_error.h>
#include <doca_dev.h>
#include <stdio.h>
#ifdef HEADER
#include HEADER
#else
#define CALL DOCA_ERROR_INVALID_VALUE
#endif
int main(void)
{
#ifdef DOCA_ARCH_DPU
	const char *side = "dpu";
#else
	const char *side = "host";
#endif
	if ((CALL) != DOCA_ERROR_INVALID_VALUE)
		return 1;
	printf("%d %s %d\n", DOCA_USE_VERSION, side, doca_version_runtime() != NULL);
	return 0;
}
EOF

# build VERSION SIDE MODULE NUMBER [CALL]: builds only in the environment that doca-admin prints. CALL: calls a function of
# the module, in the form of that version, which returns an error.
build()
{
	(
		set -- "$1" "$2" "$3" "${5:+-DHEADER=<$(echo "$3" | tr - _).h>}" "${5:+-DCALL=$5}"
		unset PKG_CONFIG_PATH LD_LIBRARY_PATH
		environment=$("$prefix/bin/doca-admin" env ${1:+--api "$1"} --side "$2") || exit 1
		eval "$environment"
		# shellcheck disable=SC2046
		gcc -Wall -Werror ${SANITIZE_FLAGS:-} ${4:+"$4" "$5"} $(pkg-config --cflags "$3") "$work/program.c" \
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
build 2.2.0080 dpu doca-comm-channel 202 'doca_comm_channel_ep_create(NULL)'
build 2.2 host doca-sha 202 'doca_sha_create(NULL)'
build 2.2 host doca-argp 202 'doca_argp_init("", NULL)'
build 2.2 host doca-graph 202 'doca_graph_create(NULL)'
build 2.2 host doca-sync-event 202 'doca_sync_event_create(NULL)'
build 1.3 host doca-comm-channel 103 'doca_comm_channel_ep_create(NULL, NULL)'
build 1.5 dpu doca-comm-channel 105 'doca_comm_channel_ep_create(NULL)'
build 2.0 host doca-rdma 200 'doca_rdma_create(NULL)'
build 2.2 dpu doca-rdma 202 'doca_rdma_create(NULL)'
build 2.5 host doca-rdma 205 'doca_rdma_create(NULL, NULL)'
build 2.5 dpu doca-cc 205 'doca_cc_server_create(NULL, NULL, NULL, NULL)'
build 2.8 dpu doca-comm-channel 208 'doca_comm_channel_ep_create(NULL)'
build 2.5 host doca-aes-gcm 205 'doca_aes_gcm_create(NULL, NULL)'
build 3.3 dpu doca-aes-gcm 303 'doca_aes_gcm_create(NULL, NULL)'
build 2.2 host doca-compress 202 'doca_compress_create(NULL)'
build 2.5 dpu doca-compress 205 'doca_compress_create(NULL, NULL)'
build 2.9 host doca-compress 209 'doca_compress_create(NULL, NULL)'
build 2.2 host doca-erasure-coding 202 'doca_ec_create(NULL)'
build 2.5 host doca-erasure-coding 205 'doca_ec_create(NULL, NULL)'
build 2.9 dpu doca-erasure-coding 209 'doca_ec_create(NULL, NULL)'
build 3.3 host doca-erasure-coding 303 'doca_ec_create(NULL, NULL)'
build 3.3 dpu doca-compress 303 'doca_compress_create(NULL, NULL)'
build 2.7 dpu doca-comch 207 'doca_comch_server_create(NULL, NULL, NULL, NULL)'

# env_says STATUS VERSION TEXT: the exit status of 'env' for a version, with the text on stderr, or an
# empty stderr.
env_says()
{
	"$prefix/bin/doca-admin" env --api "$2" >"$work/out" 2>"$work/err"
	status=$?
	[ $status -eq "$1" ] || fail "env --api '$2': exit status $status"
	if [ -n "$3" ]; then grep -qF -e "$3" "$work/err"; else [ ! -s "$work/err" ]; fi ||
		fail "env --api '$2' says: $(cat "$work/err")"
}

# nearest WANTED CHOSEN OTHER
nearest()
{
	env_says 0 "$1" "version $1 is not known; $2, the nearest, is used$3"
	grep -qF "/dococore/api/$2/host" "$work/out" || fail "env --api $1 does not select $2: $(cat "$work/out")"
	grep -v '^export [A-Z_]*=' "$work/out" && fail "env --api $1 prints lines that a shell does not accept"
}

nearest 1.4 1.3 " (1.5 is the other choice)"
nearest 2.1 2.0 " (2.2 is the other choice)"
nearest 2.3 2.2 " (2.5 is the other choice)"
nearest 2.4 2.5 " (2.2 is the other choice)"
nearest 3.9 3.3 ""
for version in 2.2 2.2.0080 2.10; do env_says 0 $version ""; done
for version in 4.2 0.9 22 2 2. 2.x 2.2x "" .2 -1.3 2.100; do
	env_says 2 "$version" "there is no version '$version'; these are there:"
	env_says 2 "$version" " 1.3 1.5 2.0 2.2 2.5 2.6 2.7 2.8 2.9 2.10 3.0 3.1 3.2 3.3"
done

# Each variable alone selects the version and the side, and keeps the value that the user had.
cat >"$work/probe.c" <<'EOF'
#include <doca_error.h>
#if DOCA_USE_VERSION != WANTED || !defined(DOCA_ARCH_DPU)
#error "another version or side"
#endif
EOF
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CPATH BINDGEN_EXTRA_CLANG_ARGS LIBRARY_PATH
for variable in CPATH BINDGEN_EXTRA_CLANG_ARGS PKG_CONFIG_PATH PKG_CONFIG_LIBDIR; do
	(
		separator=: flags='' value=''
		[ $variable = BINDGEN_EXTRA_CLANG_ARGS ] && separator=' '
		export "$variable=-I/of/the/user"
		eval "$("$prefix/bin/doca-admin" env --api 2.2 --side dpu)"
		eval "value=\$$variable"
		case $value in *"$separator-I/of/the/user") ;; *) echo "lost: $value" && exit 1 ;; esac
		unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CPATH BINDGEN_EXTRA_CLANG_ARGS
		case $variable in
		BINDGEN*) flags=$value ;;
		PKG*) flags=$(export "$variable=$value" && pkg-config --cflags doca-common) ;;
		*) export "$variable=$value" ;;
		esac
		# shellcheck disable=SC2086
		gcc -fsyntax-only -DWANTED=202 $flags "$work/probe.c"
	) >"$work/out" 2>&1 || fail "by $variable: $(cat "$work/out")"
done
# Without a version, only the side is selected.
(
	eval "$("$prefix/bin/doca-admin" env --side dpu)"
	gcc -fsyntax-only -DWANTED=303 "$work/probe.c"
) >"$work/out" 2>&1 || fail "newest, dpu: $(cat "$work/out")"
# Links with LIBRARY_PATH alone; the version that was selected last applies.
(
	eval "$("$prefix/bin/doca-admin" env --api 3.3)"
	eval "$("$prefix/bin/doca-admin" env --api 2.2 --side dpu)"
	unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR
	# shellcheck disable=SC2086
	gcc ${SANITIZE_FLAGS:-} "$work/program.c" -o "$work/program" -ldoca_common && "$work/program"
) >"$work/out" 2>&1
[ "$(cat "$work/out")" = "202 dpu 1" ] || fail "plain gcc: $(cat "$work/out")"
# The modules of the system are still found.
system=$(pkg-config --list-all | wc -l)
here=$(eval "$("$prefix/bin/doca-admin" env --api 2.2)" && unset PKG_CONFIG_PATH && pkg-config --list-all | wc -l)
[ "$here" -gt "$system" ] || fail "only $here modules are found, although the system alone has $system"

"$prefix/bin/doca-admin" env --api 2.2 --side card >"$work/out" 2>&1 && fail "env accepts a side 'card'"
"$build/doca-admin" env --api 2.2 >"$work/out" 2>"$work/err" && ! [ -s "$work/out" ] &&
	fail "env succeeds without output"

modules remove || fail "the modules are not removed"
find "$prefix/lib" -type f | grep . && fail "modules are left behind"

echo "$n_built programs built, $n_failed failures"
[ $n_failed -eq 0 ]
