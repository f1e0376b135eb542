#!/bin/sh
# Sourced by tests of build files: a tree as 'make install' leaves it, with the library of this build. $src: the source; $build:
# where it was built; $prefix: where the tree shall be.
: "${src:?sourced by other tests}" "${build:?sourced by other tests}" "${prefix:?sourced by other tests}"

mkdir -p "$prefix/lib" "$prefix/bin"
ln -s "$src/include" "$prefix/include"
ln -s "$build/client/.libs/libdococlient.so" "$prefix/lib/libdococlient.so.0"
for name in libdococlient libdoca_common libdoca_dma libdoca_sha libdoca_argp libdoca_comch \
	libdoca_comm_channel libdoca_rdma; do
	ln -s "$build/client/.libs/libdococlient.so" "$prefix/lib/$name.so"
done
cp "$build/doca-admin" "$prefix/bin/"

# modules install|remove: the pkg-config modules of the tree.
modules()
{
	sh "$src/client/pkgconfig/modules.sh" "$1" "$prefix" "$prefix/lib" "$prefix/include"
}
