# The codecs of doca_compress.h: libdeflate, liblz4 and libxxhash. Optional, on by default: without
# them the library's devices report no compression.
AC_DEFUN([DOCO_COMPRESS], [
AC_ARG_WITH([compress],
	[AS_HELP_STRING([--without-compress], [build doca_compress without libdeflate, liblz4 and libxxhash])],
	[], [with_compress=check])
have_compress="no (--without-compress)"
AS_IF([test "x$with_compress" != xno], [
	PKG_CHECK_MODULES([COMPRESS], [libdeflate >= 1.10 liblz4 >= 1.9 libxxhash >= 0.8], [
		have_compress=yes
		AC_DEFINE([HAVE_COMPRESS], [1], [libdeflate, liblz4 and libxxhash are there.])
	], [
		have_compress="no: install libdeflate-dev, liblz4-dev and libxxhash-dev"
		AS_IF([test "x$with_compress" = xyes], [AC_MSG_ERROR([libdeflate, liblz4 or libxxhash was not found: install libdeflate-dev, liblz4-dev and libxxhash-dev, or use --without-compress])])
	])
])
AM_CONDITIONAL([HAVE_COMPRESS], [test "x$have_compress" = xyes])
])
