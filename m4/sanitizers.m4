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
AC_ARG_ENABLE([fuzzing],
	[AS_HELP_STRING([--enable-fuzzing],
		[link the fuzz targets with libFuzzer, and build all with the address sanitizer (clang)])],
	[], [enable_fuzzing=no])
AS_IF([test "x$enable_fuzzing" != xno], [
	AS_IF([test "x$enable_sanitizers" != xno],
		[AC_MSG_ERROR([--enable-fuzzing brings its own sanitizers: leave out --enable-sanitizers])])
	SANITIZE_FLAGS="-fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer -fno-sanitize-recover=all"
	FUZZ_LDFLAGS="-fsanitize=fuzzer"
	enable_sanitizers=address,undefined
	AC_DEFINE([DOCO_SANITIZED], [1], [Built with a sanitizer.])
	doco_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $SANITIZE_FLAGS $FUZZ_LDFLAGS"
	AC_LINK_IFELSE([AC_LANG_SOURCE([[#include <stddef.h>
		#include <stdint.h>
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) { (void)data; return len == 0 ? 0 : 0; }]])],
		[], [AC_MSG_ERROR([libFuzzer is missing: install clang with its runtime (libclang-rt-14-dev on Debian 12) and configure with CC=clang])])
	CFLAGS=$doco_save_CFLAGS
])
AC_SUBST([FUZZ_LDFLAGS])
AM_CONDITIONAL([FUZZING], [test "x$enable_fuzzing" != xno])
AC_ARG_ENABLE([coverage],
	[AS_HELP_STRING([--enable-coverage], [count which lines run, for gcov])], [], [enable_coverage=no])
AS_IF([test "x$enable_coverage" != xno],
	[SANITIZE_FLAGS="$SANITIZE_FLAGS --coverage -fprofile-update=atomic"])
AC_SUBST([SANITIZE_FLAGS])
AM_CONDITIONAL([SANITIZED], [test "x$enable_sanitizers" != xno])
AM_CONDITIONAL([SANITIZED_THREAD], [test "x$enable_sanitizers" = xthread])
])
