# --enable-sanitizers=address,undefined|thread: instruments everything that is built.
AC_DEFUN([DOCO_SANITIZERS], [
AC_ARG_ENABLE([sanitizers],
	[AS_HELP_STRING([--enable-sanitizers=LIST],
		[build with sanitizers: address,undefined or thread])],
	[], [enable_sanitizers=no])
AS_CASE([$enable_sanitizers],
	[no], [],
	[address,undefined|address|undefined|thread], [
		SANITIZE_FLAGS="-fsanitize=$enable_sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=all"
		AC_DEFINE([DOCO_SANITIZED], [1], [Built with a sanitizer.])],
	[AC_MSG_ERROR([--enable-sanitizers takes address,undefined or thread, not $enable_sanitizers])])
AC_SUBST([SANITIZE_FLAGS])
AM_CONDITIONAL([SANITIZED], [test "x$enable_sanitizers" != xno])
AM_CONDITIONAL([SANITIZED_THREAD], [test "x$enable_sanitizers" = xthread])
])
