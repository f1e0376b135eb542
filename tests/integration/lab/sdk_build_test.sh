#!/bin/sh
# Sources and build files in the style of other projects, for five versions: a Makefile, a meson.build and a CMakeLists.txt that
# refer to /opt/mellanox/doca build in 'doca-admin sdk exec', as root and as another user; a CMakeLists.txt that overwrites
# PKG_CONFIG_PATH and plain compiler calls build with the output of 'doca-admin env'. Each program has its version and side, and
# runs in a lab outside. Exit status 77 if a tool or namespaces are missing.
# shellcheck disable=SC2016,SC2086
set -u

src=${top_srcdir:?run by make check}
build=$(cd "${top_builddir:?run by make check}" && pwd)
src=$(cd "$src" && pwd)
umask 022
work=$(mktemp -d /tmp/doco-sdk-build-XXXXXX) || exit 99
lab='' as='' n_failed=0 n_built=0 skipped=''
# The lab belongs to the user $as.
lab_end()
{
	[ -z "$lab" ] || timeout -k 5 60 $as "$admin" lab down --dir "$lab" >/dev/null 2>&1 </dev/null
	lab=
}
cleanup()
{
	lab_end
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
chmod 0755 "$work"

for tool in pkg-config make gcc cmake meson ninja unshare; do
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
mkdir "$prefix/sbin"
cp "$build/dococored" "$prefix/sbin/"
# The real programs, which libtool's scripts start.
for example in dma_host dma_dpu; do cp "$build/examples/.libs/$example" "$prefix/bin/"; done
chmod -R a+rX "$prefix"
admin=$prefix/bin/doca-admin
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CPATH C_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS \
	MFLAGS MAKELEVEL CMAKE_PREFIX_PATH DESTDIR DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS XDG_RUNTIME_DIR DOCOCORED
CC=gcc
export CC

# ---- the project ---------------------------------------------------------------------------------

# program VERSION: prints a program that lists the devices with the calls of that version.
program()
{
	case $1 in
	1.5 | 2.2) list=doca_devinfo_list_create done=doca_devinfo_list_destroy dma='doca_dma_create((struct doca_dma **)0)' ;;
	*) list=doca_devinfo_create_list done=doca_devinfo_destroy_list dma='doca_dma_create((struct doca_dev *)0, (struct doca_dma **)0)' ;;
	esac
	cat <<-END
		#include <stdint.h>
		#include <stdio.h>
		#include <doca_dev.h>
		#include <doca_dma.h>
		#include <doca_error.h>
		#include <doca_version.h>
		#include "common.h"
		int main(void)
		{
			struct doca_devinfo **devices;
			uint32_t n = 0;
			if ($dma != DOCA_ERROR_INVALID_VALUE || $list(&devices, &n) != DOCA_SUCCESS)
				return 1;
		#ifdef DOCA_ARCH_DPU
			printf("%s dpu %s\n", doca_version(), common(n));
		#else
			printf("%s host %s\n", doca_version(), common(n));
		#endif
			return $done(devices) != DOCA_SUCCESS;
		}
	END
}

# project FOLDER VERSION
project()
{
	mkdir -p "$1"
	program "$2" >"$1/program.c"
	cat >"$1/Makefile" <<-'END'
		DOCA = /opt/mellanox/doca
		CC = gcc
		CFLAGS = -O1 -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API -I$(DOCA)/include -I$(DOCA)/samples -Wmissing-include-dirs
		LDLIBS = -L$(DOCA)/lib/aarch64-linux-gnu -ldoca_dma -ldoca_common -Wl,--as-needed $(DOCA)/lib64/libdoca_argp.so
		program: program.c $(DOCA)/samples/common.c
	END
	cat >"$1/meson.build" <<-'END'
		project('DOCA_SAMPLE', 'C', version: run_command(find_program('cat'),
			files('/opt/mellanox/doca/applications/VERSION'), check: true).stdout().strip(),
			default_options: ['buildtype=debug', 'warning_level=2', 'werror=true'])
		add_project_arguments('-D DOCA_ALLOW_EXPERIMENTAL_API', language: ['c'])
		dependencies = [dependency('doca-common', version: meson.project_version()), dependency('doca-dma')]
		if not meson.get_compiler('c').has_header_symbol('doca_build_config.h', 'DOCA_ARCH_DPU', dependencies: dependencies)
			error('not for the DPU')
		endif
		executable('program', ['program.c', '/opt/mellanox/doca/samples/common.c'], dependencies: dependencies,
			include_directories: [include_directories('/opt/mellanox/doca/include', '/opt/mellanox/doca/samples',
				'/opt/mellanox/doca/applications/common')])
	END
	cat >"$1/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.10)
		file(READ "/opt/mellanox/doca/applications/VERSION" VERSION_TEXT)
		string(STRIP "${VERSION_TEXT}" VERSION_TEXT)
		project(DOCA_SAMPLE VERSION ${VERSION_TEXT} LANGUAGES C)
		set(ENV{PKG_CONFIG_PATH} "/opt/mellanox/doca/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/pkgconfig")
		find_package(PkgConfig REQUIRED)
		pkg_check_modules(DOCA_DMA REQUIRED doca-dma)
		find_path(DOCA_INCLUDE_DIR NAMES doca_error.h doca_types.h HINTS /opt/mellanox/doca/include NO_DEFAULT_PATH)
		find_library(DOCA_COMMON NAMES doca_common PATHS /opt/mellanox/doca PATH_SUFFIXES lib lib64 NO_DEFAULT_PATH)
		file(READ "${DOCA_INCLUDE_DIR}/doca_version.h" HEADER)
		string(REGEX MATCH "#define DOCA_VER[SION]*_STRING \"([^\n]+)\"\n" UNUSED "${HEADER}")
		if(NOT CMAKE_MATCH_1 STREQUAL VERSION_TEXT)
			message(FATAL_ERROR "doca_version.h says '${CMAKE_MATCH_1}', VERSION ${VERSION_TEXT}")
		endif()
		add_executable(program program.c /opt/mellanox/doca/samples/common.c)
		target_compile_options(program PRIVATE -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API)
		target_include_directories(program PRIVATE ${DOCA_INCLUDE_DIR} /opt/mellanox/doca/samples)
		target_link_libraries(program ${DOCA_COMMON} ${DOCA_DMA_LINK_LIBRARIES})
	END
	# Outside of 'sdk exec', the folder does not exist.
	mkdir -p "$1/elsewhere"
	cp "$work/checkout/samples"/common.* "$1/program.c" "$1/elsewhere/"
	cat >"$1/elsewhere/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.10)
		project(program C)
		set(ENV{PKG_CONFIG_PATH} /opt/mellanox/dpdk/lib/pkgconfig)
		find_package(PkgConfig REQUIRED)
		pkg_check_modules(DOCA REQUIRED IMPORTED_TARGET doca-common doca-dma)
		add_executable(program program.c common.c)
		target_link_libraries(program PkgConfig::DOCA)
	END
	cat >"$1/elsewhere/Makefile" <<-'END'
		CFLAGS = -O1 -Wall -Werror -DDOCA_ALLOW_EXPERIMENTAL_API
		program: program.c common.c; $(CC) $(CFLAGS) program.c common.c -o $@ -ldoca_dma -ldoca_common
	END
}

checkout=$work/checkout
mkdir -p "$checkout/samples" "$checkout/applications/common"
cat >"$checkout/samples/common.h" <<'END'
const char *common(unsigned n);
END
cat >"$checkout/samples/common.c" <<'END'
#include "common.h"
const char *common(unsigned n) { return n > 0 ? "has devices" : "has none"; }
END

# ---- building and running ------------------------------------------------------------------------

release_of()
{
	sed -n 's/^Version: //p' "$prefix/lib/dococore/api/$1/dpu/doca-common.pc"
}

# runs NAME VERSION PROGRAM: runs it in the lab, outside of 'sdk exec'; it must have that version
# and side.
runs()
{
	wanted="$(release_of "$2") dpu has devices"
	said=$(timeout -k 5 60 $as "$admin" lab exec --dir "$lab" --side dpu -- "$3" 2>&1 </dev/null)
	[ "$said" = "$wanted" ] || fail "$1 of $2: prints '$said', expected '$wanted'"
	n_built=$((n_built + 1))
}

# builds NAME VERSION COMMAND: runs the shell command in the folder of the project, in 'sdk exec'.
builds()
{
	(
		cd "$folder" || exit 1
		timeout -k 5 120 $as "$admin" sdk exec --api "$2" --side dpu --samples "$checkout" -- sh -ec "$3"
	) >"$work/out" 2>&1 </dev/null || fail "$1 of $2: $(cat "$work/out")"
}

# builds_by_env NAME VERSION COMMAND: the same with only the environment that 'env' prints.
builds_by_env()
{
	(
		cd "$folder/elsewhere" || exit 1
		environment=$("$admin" env --api "$2" --side dpu) || exit 1
		eval "$environment"
		timeout -k 5 120 $as sh -ec "$3"
	) >"$work/out" 2>&1 </dev/null || fail "$1 of $2: $(cat "$work/out")"
}

# all_of VERSION WHO
all_of()
{
	folder=$work/$2/$1
	project "$folder" "$1"
	[ -z "$as" ] || chown -R 65534:65534 "$folder"
	builds make "$1" 'make -s'
	runs make "$1" "$folder/program"
	builds meson "$1" 'meson setup by-meson && ninja -C by-meson'
	runs meson "$1" "$folder/by-meson/program"
	builds cmake "$1" 'cmake -S . -B by-cmake -G Ninja && ninja -C by-cmake'
	runs cmake "$1" "$folder/by-cmake/program"
	builds_by_env "make by env" "$1" 'make -s'
	runs "make by env" "$1" "$folder/elsewhere/program"
	[ "$1" = 2.2 ] || return
	builds_by_env "cmake by env" "$1" 'cmake -S . -B by-cmake -G Ninja && ninja -C by-cmake'
	runs "cmake by env" "$1" "$folder/elsewhere/by-cmake/program"
}

# The library's log about copies between a program in 'sdk exec' and one outside.
confined()
{
	$as mkdir "$work/$1/exchange" || return
	head -c 100000 /dev/zero >"$work/$1/file"
	chmod a+r "$work/$1/file"
	timeout -k 5 90 $as "$admin" lab exec --dir "$lab" --side host -- "$prefix/bin/dma_host" --file "$work/$1/file" \
		--dir "$work/$1/exchange" --timeout 60 >"$work/host.out" 2>&1 </dev/null &
	host=$!
	timeout -k 5 90 $as "$admin" lab exec --dir "$lab" --side dpu -- "$admin" sdk exec --side dpu -- "$prefix/bin/dma_dpu" \
		--dir "$work/$1/exchange" --timeout 60 >"$work/out" 2>&1 </dev/null
	status=$?
	[ $status -eq 0 ] || kill $host 2>/dev/null
	wait $host 2>/dev/null
	if [ -z "$user_namespace" ]; then
		[ $status -eq 0 ] || fail "$1: a copy in 'sdk exec': $(cat "$work/out")"
	else
		grep -q "build there, and run the program outside" "$work/out" ||
			fail "$1: the log of a copy in 'sdk exec': $(cat "$work/out")"
	fi
}

# everything WHO
everything()
{
	mkdir "$work/$1"
	[ -z "$as" ] || chown 65534:65534 "$work/$1"
	HOME=$work/$1
	export HOME
	lab=$work/$1/lab
	$as mkdir "$lab"
	timeout -k 5 60 $as "$admin" lab up --quiet --dir "$lab" >"$work/out" 2>&1 </dev/null ||
		{ fail "$1: lab up: $(cat "$work/out")"; return; }
	for version in 1.5 2.2 2.5 2.10 3.3; do
		all_of $version "$1"
	done
	# Programs inside also reach their daemon, as the same user, and the selected version stays.
	said=$(timeout -k 5 60 $as "$admin" sdk exec --api 2.2 --side dpu -- "$admin" lab exec --dir "$lab" --side dpu -- \
		sh -c "'$work/$1/2.2/program' && pkg-config --modversion doca-common" 2>&1 </dev/null)
	[ "$said" = "$(printf '2.2.0080 dpu has devices\n2.2.0080')" ] || fail "$1: inside, the program prints '$said'"
	confined "$1"
	lab_end
}

user_namespace=
if unshare -m true 2>/dev/null; then
	everything this
elif unshare -U -r -m true 2>/dev/null; then
	user_namespace=yes
	everything this
else
	skipped="this user may make no namespaces"
fi
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	as="setpriv --reuid=65534 --regid=65534 --clear-groups" user_namespace=yes
	if $as unshare -U -r -m true 2>/dev/null; then
		everything other
	else
		skipped="users may not make user namespaces here"
	fi
fi

echo "$n_built programs built, $n_failed failures"
[ $n_failed -eq 0 ] || exit 1
[ -z "$skipped" ] || { echo "skipped: $skipped"; exit 77; }
