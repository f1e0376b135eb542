#!/bin/sh
# Writes the pkg-config modules, under the SDK's names: for the newest interface, and for each earlier version a directory
# of its own whose modules select that version, so that an old build file needs nothing but PKG_CONFIG_PATH.
#
#   modules.sh install|remove PREFIX LIBDIR INCLUDEDIR      DESTDIR is honoured
#
# LIBDIR/pkgconfig                     newest, host side
# LIBDIR/dococore/dpu/pkgconfig        newest, DPU side
# LIBDIR/dococore/api/VERSION/SIDE     one version, one side
#
# Modules of a version and modules of the DPU side select it in two ways: by macros, and by a folder of headers that comes
# first. Some build files use only the folders and libraries of a module and not its other flags; they get the folder.
#
# This is the one table of versions and modules: doca-admin reads what it finds installed.
set -eu

action=$1 prefix=$2 libdir=$3 includedir=$4

# Prints the release number that the SDK's own modules have for a version.
release_of()
{
	case $1 in
	1.3) echo 1.3.0 ;;
	1.5) echo 1.5.0055 ;;
	2.0) echo 2.0.2 ;;
	2.2) echo 2.2.0080 ;;
	2.5) echo 2.5.0108 ;;
	2.6) echo 2.6.0058 ;;
	2.10) echo 2.10.0087 ;;
	3.0) echo 3.0.0058 ;;
	*) echo "$1.0" ;;
	esac
}

modules_of()
{
	case $1 in
	1.*) echo dma argp comm-channel ;;
	2.0) echo dma sha argp comm-channel graph sync-event rdma ;;
	2.2) echo dma sha argp comm-channel graph sync-event rdma compress erasure-coding ;;
	2.5 | 2.6) echo dma sha aes-gcm argp comm-channel cc rdma compress erasure-coding ;;
	2.7 | 2.8) echo dma sha aes-gcm argp comm-channel comch rdma compress erasure-coding ;;
	*) echo dma sha aes-gcm argp comch rdma compress erasure-coding ;;
	esac
}

describe()
{
	case $1 in
	dma) echo "copies between buffers" ;;
	sha) echo "digests of buffers" ;;
	aes-gcm) echo "authenticated encryption of buffers" ;;
	compress) echo "DEFLATE, and decompression of LZ4" ;;
	erasure-coding) echo "erasure coding of blocks" ;;
	argp) echo "command line parser" ;;
	comch | cc | comm-channel) echo "communication channel between host and DPU" ;;
	graph) echo "graphs of jobs" ;;
	sync-event) echo "counters that both sides wait for" ;;
	rdma) echo "remote direct memory access" ;;
	esac
}

# write FILE NAME DESCRIPTION RELEASE: writes the part that all modules have. The caller appends the rest.
write()
{
	cat >"$1" <<EOF
prefix=$prefix
libdir=$libdir
includedir=$includedir

Name: $2
Description: DOCA runtime: $3
Version: $4
EOF
}

# header NUMBER SIDE: writes the file that is included instead of doca_api.h. Without a number the program
# chooses the version.
header()
{
	cat <<EOF
/* Selects the version and the side that the modules beside this folder are for. */
#pragma GCC system_header
EOF
	[ -z "$1" ] || printf '#ifndef DOCA_USE_VERSION\n#define DOCA_USE_VERSION %s\n#endif\n' "$1"
	[ "$2" = host ] || printf '#ifndef DOCA_ARCH_DPU\n#define DOCA_ARCH_DPU\n#endif\n'
	echo '#include_next <doca_api.h>'
}

# one DIRECTORY VERSION SIDE NUMBER: writes all modules of a version for a side. Without a number they are for
# the newest version.
one()
{
	dir=${DESTDIR:-}$1 version=$2 number=$4
	# shellcheck disable=SC2016
	folders='-I${includedir}' flags=${number:+" -DDOCA_USE_VERSION=$number"} selects=$number
	[ "$3" = dpu ] && flags="$flags -DDOCA_ARCH_DPU" selects=dpu
	[ -z "$selects" ] || folders="-I$1/include $folders"
	all=doca-common
	for module in $(modules_of "$version"); do all="$all doca-$module"; done
	if [ "$action" = remove ]; then
		for name in doca $all; do rm -f "$dir/$name.pc"; done
		rm -f "$dir/include/doca_api.h"
		return
	fi
	mkdir -p "$dir"
	if [ -n "$selects" ]; then
		mkdir -p "$dir/include"
		header "$number" "$3" >"$dir/include/doca_api.h"
	fi
	release=$(release_of "$version")
	write "$dir/doca-common.pc" doca-common \
		"devices, memory, contexts, log" "$release"
	# shellcheck disable=SC2016
	printf 'Libs: -L${libdir} -ldoca_common\nCflags: %s%s\n' "$folders" "$flags" \
		>>"$dir/doca-common.pc"
	for module in $(modules_of "$version"); do
		write "$dir/doca-$module.pc" "doca-$module" "$(describe "$module")" "$release"
		# shellcheck disable=SC2016
		case $module in
		graph | sync-event) printf 'Requires: doca-common\n' ;;
		cc) printf 'Requires: doca-common\nLibs: -L${libdir} -ldoca_comm_channel\n' ;;
		*) printf 'Requires: doca-common\nLibs: -L${libdir} -ldoca_%s\n' "$(echo "$module" | tr - _)" ;;
		esac >>"$dir/doca-$module.pc"
	done
	write "$dir/doca.pc" doca "all modules" "$release"
	echo "Requires: $all" >>"$dir/doca.pc"
}

one "$libdir/pkgconfig" 3.3 host ""
one "$libdir/dococore/dpu/pkgconfig" 3.3 dpu ""
for version in 1.3 1.5 2.0 2.2 2.5 2.6 2.7 2.8 2.9 2.10 3.0 3.1 3.2 3.3; do
	number=$((${version%.*} * 100 + ${version#*.}))
	for side in host dpu; do
		one "$libdir/dococore/api/$version/$side" $version $side "$number"
	done
done
if [ "$action" = remove ]; then
	# Files of others stay, and so does their directory.
	find "${DESTDIR:-}$libdir/dococore" -depth -type d -empty -delete 2>/dev/null || :
fi
