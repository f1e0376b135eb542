#!/bin/sh
# Tests doca-admin sdk: the folder has the contents of the SDK of each version, and no header of
# another version. A command in 'sdk exec' finds it at /opt/mellanox/doca and sees no other
# difference, as root and as another user, whatever is in /opt. A case that cannot work is reported
# in one sentence. Exit status 77 if a tool or namespaces are missing.
# shellcheck disable=SC2016,SC2086,SC2089,SC2090
set -u

src=${top_srcdir:?run by make check}
build=$(cd "${top_builddir:?run by make check}" && pwd)
src=$(cd "$src" && pwd)
umask 022
work=$(mktemp -d /tmp/doco-sdk-test-XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
# Other users need access to it.
chmod 0755 "$work"
n_failed=0 skipped=

for tool in pkg-config gcc unshare; do
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

prefix=$work/prefix copies=1
. "$src/tests/integration/lab/installed_tree.sh"
modules install || fail "the modules are not installed"
chmod -R a+rX "$prefix"
admin=$prefix/bin/doca-admin
# shellcheck disable=SC2034
headers=$prefix/include
. "$src/tests/abi/headers_of.sh"
triplet=$(uname -m)-linux-gnu
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CPATH LIBRARY_PATH LD_LIBRARY_PATH BINDGEN_EXTRA_CLANG_ARGS DOCA_SIDE

# expect STATUS COMMAND...: checks the exit status; the output is in $work/out and $work/err.
expect()
{
	wanted=$1
	shift
	timeout -k 5 60 "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	[ $status -eq "$wanted" ] || fail "$*: exit status $status, expected $wanted: $(cat "$work/out" "$work/err")"
}

# says TEXT: the previous command printed the text on stderr.
says()
{
	grep -qF -e "$1" "$work/err" || fail "stderr lacks '$1': $(cat "$work/err")"
}

# prints TEXT WHAT: the previous command printed only this on stdout.
prints()
{
	[ "$(cat "$work/out")" = "$1" ] || fail "$2: the output is '$(cat "$work/out")', not '$1': $(cat "$work/err")"
}

# ---- the contents of the folder ------------------------------------------------------------------

# headers_in DIRECTORY: prints include lines for the headers; without the partial headers that no
# SDK has.
headers_in()
{
	for header in "$1"/*.h; do
		case $header in *_task.h | *_workq.h | *_former.h) ;; *) echo "#include <${header##*/}>" ;; esac
	done
}

# look_at TREE VERSION SIDE NUMBER
look_at()
{
	tree=$1
	headers_of "$4" -DDOCA_ALLOW_EXPERIMENTAL_API || fail "headers of $2: $(cat "$work/all.err")"
	headers_in "$tree/include" >"$work/has"
	LC_ALL=C sort "$work/all.c" >"$work/wanted.sorted"
	LC_ALL=C sort "$work/has" | diff "$work/wanted.sorted" - >"$work/differ" || fail "headers of $2: $(cat "$work/differ")"

	# Checks the version and the side without -D, and that there is no warning.
	cat "$work/has" >"$work/tree.c"
	cat >>"$work/tree.c" <<-END
		#include <stdio.h>
		#include <string.h>
		#if DOCA_USE_VERSION != $4
		#error "another version"
		#endif
		#ifdef DOCA_ARCH_DPU
		#define BUILT_FOR "dpu"
		#elif defined(DOCA_ARCH_HOST)
		#define BUILT_FOR "host"
		#endif
		int main(void) { return puts(doca_version()) < 0 || strcmp(BUILT_FOR, "$3") != 0 || !doca_version_runtime(); }
	END
	for lib in lib/$triplet lib/x86_64-linux-gnu lib/aarch64-linux-gnu lib64 lib infrastructure/lib; do
		PKG_CONFIG_LIBDIR=$tree/$lib/pkgconfig pkg-config --modversion doca-common doca-dma doca >"$work/out" 2>&1 ||
			fail "$2: modules in $lib: $(cat "$work/out")"
		[ "$(sort -u "$work/out")" = "$(cat "$tree/VERSION")" ] || fail "$2: modules in $lib say $(cat "$work/out")"
		for name in libdoca_common.so "libdoca_common.so.${2%.*}" libdoca_dma.so libdoca_argp.so libdococlient.so.0; do
			[ -f "$tree/$lib/$name" ] || fail "$2: $lib/$name is missing"
		done
	done
	gcc -Wall -Wextra -Wpedantic -Werror -DDOCA_ALLOW_EXPERIMENTAL_API ${SANITIZE_FLAGS:-} -I"$tree/infrastructure/include" \
		"$work/tree.c" -o "$work/program" -L"$tree/lib/$triplet" -ldoca_common -ldoca_dma -ldoca_argp >"$work/out" 2>&1 ||
		fail "$2: a program that includes all headers: $(cat "$work/out")"
	said=$(LD_LIBRARY_PATH=$tree/lib/$triplet "$work/program") || fail "$2 $3: the program prints '$said'"

	# CMake modules read the version as text.
	text=$(sed -n 's/^#define DOCA_VER[SION]*_STRING "\([^"]*\)"$/\1/p' "$tree/include/doca_version.h")
	[ "$text" = "$said" ] || fail "$2: doca_version.h has the text '$text', but the program prints '$said'"
	text=$(sed -n 's/^#define DOCA_VER[SION]*_M[AJORIN]* \([0-9]*\)$/\1/p' "$tree/include/doca_version.h" | tr '\n' .)
	[ "$text" = "$2." ] || fail "$2: doca_version.h has the numbers '$text'"
	[ "$(cat "$tree/applications/VERSION")" = "$said" ] || fail "$2: applications/VERSION is not '$said'"
	for folder in samples tools applications/common; do
		[ -d "$tree/$folder" ] || fail "$2: $folder is missing"
	done

	# Exactly the libraries that the modules name exist.
	sed -n 's/.*-l\(doca_[a-z_]*\).*/lib\1.so/p' "$tree/lib/pkgconfig"/*.pc | sort -u >"$work/wanted"
	(cd "$tree/lib/$triplet" && ls libdoca_*.so) | sort | diff "$work/wanted" - >"$work/differ" ||
		fail "libraries of $2: $(cat "$work/differ")"
}

test_trees()
{
	for version in 1.3 1.5 2.0 2.2 2.5 2.6 2.7 2.8 2.9 2.10 3.0 3.1 3.2 3.3; do
		number=$((${version%.*} * 100 + ${version#*.}))
		side=dpu
		[ $((number % 2)) -eq 0 ] || side=host
		expect 0 "$admin" sdk make "$work/tree.$version" --api $version --side $side
		look_at "$work/tree.$version" $version $side $number
	done
	expect 0 "$admin" sdk make "$work/newest"
	[ "$(cat "$work/newest/VERSION")" = "$(cat "$work/tree.3.3/VERSION")" ] || fail "without --api the version is not the newest"
	PKG_CONFIG_LIBDIR=$work/newest/lib/pkgconfig pkg-config --cflags doca-dma | grep -q "DOCA_" &&
		fail "the modules have more than folders"
	[ "$(pkg-config --variable=includedir "$work/newest/lib/pkgconfig/doca-common.pc")" = "$work/newest/include" ] ||
		fail "the modules do not name the folder"
}

# ---- the user's checkout -------------------------------------------------------------------------

test_samples()
{
	checkout=$work/checkout
	mkdir -p "$checkout/samples/doca_x/one" "$checkout/applications/common" "$checkout/applications/.git"
	echo "common" >"$checkout/samples/common.c"
	echo "ours" >"$checkout/samples/doca_x/one/meson.build"
	echo "public" >"$checkout/samples/doca_x/one/meson.build.public"
	echo "utils" >"$checkout/applications/common/utils.c"
	echo "9.9" >"$checkout/applications/VERSION"
	expect 0 "$admin" sdk make "$work/with" --api 3.3 --samples "$checkout"
	[ "$(cat "$work/with/samples/common.c" "$work/with/applications/common/utils.c")" = "$(printf 'common\nutils')" ] ||
		fail "files of the checkout are missing"
	[ "$(cat "$work/with/samples/doca_x/one/meson.build")" = public ] || fail "meson.build.public is not linked as meson.build"
	[ "$(cat "$work/with/samples/doca_x/one/../../../VERSION" "$work/with/applications/VERSION")" = "$(printf '3.3.0\n3.3.0')" ] ||
		fail "the version is that of the checkout"
	[ -e "$work/with/applications/.git" ] && fail "a hidden folder of the checkout is in the tree"
	expect 2 "$admin" sdk make "$work/without" --samples "$checkout/nowhere"
	says "--samples: $checkout/nowhere: No such file"
	expect 2 "$admin" sdk make "$work/without" --samples "$checkout/samples"
	says "there is no folder samples or applications"
	[ -e "$work/without" ] && fail "a folder is created before the checkout is checked"
}

# A folder of the checkout may be a symbolic link, also where the tree has a folder of that name, and may lead back to itself.
test_linked_folders()
{
	checkout=$work/linked
	mkdir -p "$checkout/samples" "$checkout/applications/app" "$work/elsewhere/common/src" "$work/elsewhere/more"
	echo "utils" >"$work/elsewhere/common/utils.c"
	echo "inner" >"$work/elsewhere/common/src/inner.c"
	echo "public" >"$work/elsewhere/more/meson.build.public"
	ln -s "$work/elsewhere/common" "$checkout/applications/common"
	ln -s "$work/elsewhere/more" "$checkout/samples/more"
	ln -s ../.. "$work/elsewhere/more/round"
	ln -s .. "$checkout/applications/app/round"
	ln -s nowhere "$checkout/applications/app/dangling"
	expect 0 "$admin" sdk make "$work/followed" --api 3.3 --samples "$checkout"
	[ "$(cat "$work/followed/applications/common/utils.c" "$work/followed/applications/common/src/inner.c")" = \
		"$(printf 'utils\ninner')" ] || fail "the files of a linked folder are missing"
	[ "$(cat "$work/followed/samples/more/meson.build" "$work/followed/samples/more/../../VERSION")" = \
		"$(printf 'public\n3.3.0')" ] || fail "a linked folder is not laid out like the others"
	[ -L "$work/followed/applications/app/round" ] || fail "a link to a folder above it is followed"
}

# ---- what is refused -----------------------------------------------------------------------------

test_refusals()
{
	mkdir "$work/full"
	: >"$work/full/file"
	expect 1 "$admin" sdk make "$work/full"
	says "$work/full: not an empty folder"
	[ "$(ls -A "$work/full")" = file ] || fail "a folder of the user was changed"
	mkdir "$work/empty"
	mv "$prefix/include" "$prefix/gone"
	expect 1 "$admin" sdk make "$work/empty"
	says "$prefix/include: No such file"
	mv "$prefix/gone" "$prefix/include"
	[ -d "$work/empty" ] && [ -z "$(ls -A "$work/empty")" ] || fail "an incomplete tree is left: $(ls -A "$work/empty")"
	expect 0 "$admin" sdk make "$work/empty/a/b"
	expect 2 "$admin" sdk
	says "'make' or 'exec'"
	expect 2 "$admin" sdk make
	expect 2 "$admin" sdk make a b
	expect 2 "$admin" sdk make "$work/x" --side card
	expect 2 "$admin" sdk make "$work/x" --api 9.9
	expect 2 "$admin" sdk exec --api 2.2
	says "needs a command"
	expect 2 "$admin" sdk exec --bogus -- true
	expect 0 "$admin" sdk exec --help
	[ -e "$work/x" ] && fail "a folder is created although the command fails"
	return 0
}

# ---- exec ----------------------------------------------------------------------------------------

# The environment of a command: it must be the same inside and outside.
cat >"$work/look" <<'END'
id -u; id -g; pwd; umask; echo "$OF_THE_USER"; ls -a /; ls -a /home; cat /etc/passwd | cksum; ulimit -n
ls -A /opt | grep -vx mellanox
cat /proc/self/stat | cut -d' ' -f5-7
END

# in_namespace COMMAND...: runs it in 'sdk exec', as the user $as, or as this user.
in_namespace()
{
	set -- "$admin" sdk exec --api 2.2 --side dpu -- "$@"
	timeout -k 5 60 $as "$@" </dev/null
}

# test_exec WHO: uses the prefix $as for the commands.
test_exec()
{
	OF_THE_USER='a "b" $c'
	export OF_THE_USER
	here=$work/here.$1
	mkdir -p "$here"
	cd "$here" || exit 99
	umask 077
	$as sh "$work/look" >"$work/outside" 2>&1
	in_namespace sh "$work/look" >"$work/inside" 2>&1 || fail "$1: exec: $(cat "$work/inside")"
	stat=$(in_namespace stat -c %a /opt/mellanox /opt/mellanox/doca/include /opt/mellanox/doca/VERSION | tr '\n' ' ')
	umask 022
	[ "$stat" = "755 755 644 " ] || fail "$1: others may not read the folder: $stat"
	# The session and the process group differ, because of 'timeout'.
	sed '$d' "$work/outside" >"$work/outside.here"
	sed '$d' "$work/inside" | diff "$work/outside.here" - >"$work/differ" || fail "$1: the environment differs inside: $(cat "$work/differ")"
	cd "$work" || exit 99

	[ "$(in_namespace cat /opt/mellanox/doca/VERSION)" = 2.2.0080 ] || fail "$1: the folder does not exist"
	[ "$(in_namespace sh -c 'pkg-config --variable=includedir doca-common; echo $DOCA_SIDE')" = \
		"$(printf '/opt/mellanox/doca/include\ndpu')" ] || fail "$1: the environment"
	in_namespace sh -c 'touch /opt/mellanox/doca/samples/new' || fail "$1: the folder is not writable"
	in_namespace sh -c 'exit 42'
	[ $? -eq 42 ] || fail "$1: the exit status is lost"
	(in_namespace sh -c 'kill -TERM $$') 2>/dev/null
	[ $? -eq 143 ] || fail "$1: the signal is lost"
	in_namespace "$work/nowhere" 2>/dev/null
	[ $? -eq 127 ] || fail "$1: exit status of a missing command"
	in_namespace "$work/look" 2>/dev/null
	[ $? -eq 126 ] || fail "$1: exit status of a file that is not a program"
	[ "$(printf 'a\nb\n' | $as "$admin" sdk exec -- sort -r)" = "$(printf 'b\na')" ] || fail "$1: stdin and stdout"

	# The command keeps the pid of the started process, so ending that process ends the command.
	$as "$admin" sdk exec -- sleep 60 >/dev/null 2>&1 </dev/null &
	pid=$!
	until [ "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)" = "sleep 60 " ]; do
		kill -0 $pid 2>/dev/null || break
		sleep 0.05
	done
	grep "^doca-admin" /proc/mounts && fail "$1: a mount is visible outside"
	grep -q "^doca-admin /opt" "/proc/$pid/mounts" || fail "$1: the mount is missing inside"
	kill $pid || fail "$1: the command ended early"
	wait $pid 2>/dev/null
	[ $? -eq 143 ] || fail "$1: the command has another pid"
}

# opt_has WHAT COMMANDS: with another /opt, in a mount namespace of root; runs 'sdk exec' as user and as
# root.
opt_has()
{
	what=$1
	for as in "" "$nobody"; do
		cat >"$work/opt.sh" <<-END
			set -e
			mount -t tmpfs none /opt
			cd /opt
			$2
			cd "$work"
			find /opt -mindepth 1 ! -path '/opt/mellanox' ! -path '/opt/mellanox/doca*' | sort >before
			cat >inside.sh <<'EOT'
			cat mellanox/doca/VERSION
			find /opt -mindepth 1 ! -path /opt/mellanox ! -path '/opt/mellanox/doca*' | sort | diff "$work/before" - && echo same
			[ ! -e /opt/other/file ] || cat /opt/other/file
			[ ! -e /opt/link ] || readlink /opt/link
			EOT
			cd /opt
			$as "$admin" sdk exec --api 2.5 -- sh "$work/inside.sh"
		END
		expect 0 unshare -m sh "$work/opt.sh"
		prints "$3" "$what in /opt"
	done
}

# A root folder without /opt, in which the commands run.
without_opt()
{
	cat >"$work/root.sh" <<-END
		set -e
		mkdir "$work/root"
		mount -t tmpfs none "$work/root"
		for entry in /*; do
			name=\${entry#/}
			if [ "\$name" = opt ]; then :
			elif [ -L "\$entry" ]; then cp -P "\$entry" "$work/root/"
			elif [ -d "\$entry" ]; then mkdir "$work/root/\$name" && mount --rbind "\$entry" "$work/root/\$name"
			else cp "\$entry" "$work/root/"; fi
		done
		chmod 0755 "$work/root"
		cd "$work/root"
		mkdir old
		pivot_root . old
		cd "$work/here"
		umount -l /old
		rmdir /old
		ls -A / | grep -vx opt >"$work/before"
		for as in "" "$nobody"; do
			[ ! -e /opt ]
			\$as "$admin" sdk exec --api 2.5 -- sh -c '
				cat /opt/mellanox/doca/VERSION; ls /opt; ls -A / | grep -vx opt | diff "$work/before" - && pwd
				test -e /proc/self/exe && echo x >/dev/null && head -n 1 ../look | cut -c 1-5'
		done
	END
	mkdir "$work/here"
	expect 0 unshare -m sh "$work/root.sh"
	once=$(printf '2.5.0108\nmellanox\n%s/here\nid -u' "$work")
	prints "$(printf '%s\n%s' "$once" "$once")" "no /opt"
}

test_opt()
{
	other='mkdir other; echo text >other/file; ln -s other/file link; mkdir other/mounted;
		mount -t tmpfs none other/mounted; touch other/mounted/deep'
	opt_has "nothing" "" "$(printf '2.5.0108\nsame')"
	opt_has "other programs" "$other" "$(printf '2.5.0108\nsame\ntext\nother/file')"
	opt_has "another program of the vendor" "$other; mkdir -p mellanox/dpdk/lib; touch mellanox/dpdk/lib/x" \
		"$(printf '2.5.0108\nsame\ntext\nother/file')"
	opt_has "an SDK" "$other; mkdir -p mellanox/doca/lib; echo 9.9 >mellanox/doca/VERSION" \
		"$(printf '2.5.0108\nsame\ntext\nother/file')"
	opt_has "a broken link" "ln -s nowhere mellanox" "$(printf '2.5.0108\nsame')"
	without_opt
	[ $n_failed -eq 0 ] || return

	# A file that the new folder would hide is reported.
	cat >"$work/hidden.sh" <<-END
		mount -t tmpfs none /opt && mkdir -p /opt/mellanox/doca/samples &&
			"$admin" sdk exec --samples /opt/mellanox/doca -- true
	END
	expect 1 unshare -m sh "$work/hidden.sh"
	says "/opt/mellanox/doca is needed and would be hidden"
}

# A kernel without user namespaces: simulated in one that has set its own limit to 0, without
# capabilities.
test_forbidden()
{
	cat >"$work/forbidden.sh" <<-END
		echo 0 >/proc/sys/user/max_user_namespaces || exit 98
		exec setpriv --bounding-set=-all --inh-caps=-all "$admin" sdk exec --api 2.2 --side dpu -- true
	END
	expect 1 $as unshare -U -r sh "$work/forbidden.sh"
	says "sysctl user.max_user_namespaces="
	says "as root, 'doca-admin sdk make /opt/mellanox/doca --api 2.2 --side dpu' makes the folder"
}

test_trees
test_samples
test_linked_folders
test_refusals

nobody=
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
	if unshare -m true 2>/dev/null; then
		as= && test_exec root
	else
		skipped="root may not make mount namespaces"
	fi
fi
# This user, or if that is root, another one.
as=$nobody
if $as unshare -U -r -m true 2>/dev/null; then
	test_exec user
	if command -v setpriv >/dev/null; then test_forbidden; fi
	if [ -n "$nobody" ] && [ -z "$skipped" ]; then test_opt; fi
else
	skipped="users may not make user namespaces here"
fi

modules remove
echo "$n_failed failures"
[ $n_failed -eq 0 ] || exit 1
[ -z "$skipped" ] || { echo "skipped: $skipped"; exit 77; }
