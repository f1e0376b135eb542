#!/bin/sh
# Builds programs of 1.3, 2.2 and 2.5 with their own Makefile, CMakeLists.txt and meson.build: each
# needs only PKG_CONFIG_PATH, and the resulting program has its version. Exit status 77 if a tool is
# missing.
set -u

src=${top_srcdir:?run by make check}
build=$(cd "${top_builddir:?run by make check}" && pwd)
src=$(cd "$src" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_built=0

for tool in pkg-config make gcc cmake meson ninja; do
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

# project VERSION: makes a folder with a program of that version, which does not state it, and three
# build files.
project()
{
	mkdir "$work/$1"
	case $1 in
	1.3)
		main='struct doca_mmap *mmap; return doca_mmap_create("a name", &mmap) != DOCA_SUCCESS ||
			doca_dma_create((struct doca_dma **)0) != DOCA_ERROR_INVALID_VALUE;'
		;;
	2.2)
		main='union doca_data data = {0}; struct doca_mmap *mmap; return doca_mmap_create(&data, &mmap) != DOCA_SUCCESS ||
			doca_dma_create((struct doca_dma **)0) != DOCA_ERROR_INVALID_VALUE;'
		;;
	2.5)
		main='struct doca_mmap *mmap; return doca_mmap_create(&mmap) != DOCA_SUCCESS ||
			doca_dma_create((struct doca_dev *)0, (struct doca_dma **)0) != DOCA_ERROR_INVALID_VALUE;'
		;;
	esac
	cat >"$work/$1/program.c" <<-END
		#include <doca_dma.h>
		#include <doca_error.h>
		#include <doca_mmap.h>
		int main(void)
		{
			$main
		}
	END
	cat >"$work/$1/Makefile" <<-'END'
		CFLAGS = -Wall -Werror $(shell pkg-config --cflags doca)
		LDLIBS = $(shell pkg-config --libs doca)
		program: program.o
	END
	# Uses only the folders and libraries of the modules; many build files ignore the other
	# flags.
	cat >"$work/$1/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.5)
		project(program C)
		find_package(PkgConfig REQUIRED)
		pkg_check_modules(DOCA REQUIRED doca-common doca-dma)
		include_directories(${DOCA_INCLUDE_DIRS})
		link_directories(${DOCA_LIBRARY_DIRS})
		add_compile_options(-Wall -Wextra -Wpedantic -Werror)
		add_executable(program program.c)
		target_link_libraries(program ${DOCA_LIBRARIES})
	END
	cat >"$work/$1/meson.build" <<-'END'
		project('program', 'c', default_options: ['warning_level=2', 'werror=true'])
		executable('program', 'program.c', dependencies: [dependency('doca-common'), dependency('doca-dma')])
	END
}

by_make()
{
	make
}

by_cmake()
{
	cmake -S . -B by-cmake -G Ninja && ninja -C by-cmake
}

by_meson()
{
	meson setup by-meson && ninja -C by-meson
}

# built VERSION TOOL PROGRAM
built()
{
	if (
		cd "$work/$1" || exit 1
		unset LD_LIBRARY_PATH CPATH C_INCLUDE_PATH LIBRARY_PATH CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MFLAGS \
			MAKELEVEL CMAKE_PREFIX_PATH DESTDIR
		PKG_CONFIG_PATH=$prefix/lib/dococore/api/$1/host CC=gcc
		export PKG_CONFIG_PATH CC
		"by_$2"
	) >"$work/out" 2>&1 && LD_LIBRARY_PATH=$prefix/lib "$work/$1/$3" >>"$work/out" 2>&1; then
		n_built=$((n_built + 1))
	else
		cat "$work/out"
		fail "$2 with a program of $1"
	fi
}

for version in 1.3 2.2 2.5; do
	project $version
	built $version make program
	built $version cmake by-cmake/program
	built $version meson by-meson/program
done

modules remove || fail "the modules are not removed"
find "$prefix/lib" -type f | grep . && fail "files of the modules are left behind"

echo "$n_built programs built, $n_failed failures"
[ $n_failed -eq 0 ]
