# ISA-L, which computes the blocks of doca_erasure_coding.h and compresses long data of
# doca_compress.h. Optional, on by default: without it the library's devices report no erasure
# coding, and libdeflate compresses.
AC_DEFUN([DOCO_ISAL], [
AC_ARG_WITH([isal],
	[AS_HELP_STRING([--without-isal], [build doca_erasure_coding without ISA-L])],
	[], [with_isal=check])
have_isal="no (--without-isal)"
AS_IF([test "x$with_isal" != xno], [
	PKG_CHECK_MODULES([ISAL], [libisal >= 2.30], [
		have_isal=yes
		AC_DEFINE([HAVE_ISAL], [1], [ISA-L is there.])
	], [
		have_isal="no: install libisal-dev"
		AS_IF([test "x$with_isal" = xyes], [AC_MSG_ERROR([ISA-L was not found: install libisal-dev, or use --without-isal])])
	])
])
AM_CONDITIONAL([HAVE_ISAL], [test "x$have_isal" = xyes])
])
