# rdma-core, for devices that are bound to an RDMA device. Optional, on by default. Only its headers
# are needed for compiling; its libraries are loaded when a device needs them, see
# client/rma/verbs/api.h.
AC_DEFUN([DOCO_VERBS], [
AC_ARG_WITH([verbs],
	[AS_HELP_STRING([--without-verbs], [build without libibverbs and librdmacm])],
	[], [with_verbs=yes])
have_verbs="no (--without-verbs)"
AS_IF([test "x$with_verbs" != xno], [
	PKG_CHECK_MODULES([VERBS], [libibverbs librdmacm], [
		have_verbs=yes
		AC_SEARCH_LIBS([dlopen], [dl])
		AC_DEFINE([HAVE_VERBS], [1], [libibverbs and librdmacm are there.])
	], [AC_MSG_ERROR([libibverbs and librdmacm were not found: install libibverbs-dev and librdmacm-dev, or use --without-verbs])])
])
AM_CONDITIONAL([HAVE_VERBS], [test "x$have_verbs" = xyes])
])
