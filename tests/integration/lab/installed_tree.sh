#!/bin/sh
# Sourced by tests of build files: a tree as 'make install' leaves it, with the library of this build. $src: the source; $build:
# where it was built; $prefix: where the tree shall be. With $copies set the tree can be read by users who cannot read $src and
# $build, if they can read $prefix.
: "${src:?sourced by other tests}" "${build:?sourced by other tests}" "${prefix:?sourced by other tests}"

# place FROM TO
place()
{
	if [ -n "${copies:-}" ]; then cp -RL "$1" "$2"; else ln -s "$1" "$2"; fi
}

mkdir -p "$prefix/lib" "$prefix/bin"
place "$src/include" "$prefix/include"
place "$build/client/.libs/libdococlient.so" "$prefix/lib/libdococlient.so.0"
for name in libdococlient libdoca_common libdoca_dma libdoca_sha libdoca_argp libdoca_comch \
	libdoca_comm_channel libdoca_rdma libdoca_compress libdoca_erasure_coding; do
	ln -s libdococlient.so.0 "$prefix/lib/$name.so"
done
cp "$build/doca-admin" "$prefix/bin/"

# modules install|remove: the pkg-config modules of the tree.
modules()
{
	sh "$src/client/pkgconfig/modules.sh" "$1" "$prefix" "$prefix/lib" "$prefix/include"
}
