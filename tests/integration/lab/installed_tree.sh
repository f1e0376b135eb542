#!/bin/sh
# Sourced by tests of build files: makes a tree like 'make install', with the library of this build. $src: the source; $build:
# the build; $prefix: the new tree. With $copies set, users who can read $prefix can use the tree even if they cannot read $src
# and $build.
: "${src:?sourced by other tests}" "${build:?sourced by other tests}" "${prefix:?sourced by other tests}"

# place FROM TO
place()
{
	if [ -n "${copies:-}" ]; then cp -RL "$1" "$2"; else ln -s "$1" "$2"; fi
}

mkdir -p "$prefix/lib" "$prefix/bin"
place "$src/include" "$prefix/include"
place "$build/client/.libs/libdococlient.so" "$prefix/lib/libdococlient.so.0"
for name in libdococlient libdoca_common libdoca_dma libdoca_sha libdoca_aes_gcm libdoca_argp \
	libdoca_comch libdoca_comm_channel libdoca_rdma libdoca_compress libdoca_erasure_coding; do
	ln -s libdococlient.so.0 "$prefix/lib/$name.so"
done
cp "$build/doca-admin" "$prefix/bin/"

# modules install|remove: installs or removes the pkg-config modules of the tree.
modules()
{
	sh "$src/client/pkgconfig/modules.sh" "$1" "$prefix" "$prefix/lib" "$prefix/include"
}
