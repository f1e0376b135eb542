# Flags that make errors harder to exploit, if the compiler and the linker support them; a build with a
# sanitizer does not use them. HARDEN_CFLAGS and HARDEN_LDFLAGS are for everything, HARDEN_DAEMON_CFLAGS
# for the daemon, whose memory contains data of many users. tests/integration/lab/hardening_test.sh reads the
# result from the ELF files.
AC_DEFUN([DOCO_HARDENING], [
AC_ARG_ENABLE([hardening],
	[AS_HELP_STRING([--disable-hardening], [build without stack protector, FORTIFY_SOURCE and the like])],
	[], [enable_hardening=yes])
HARDEN_CFLAGS=
HARDEN_DAEMON_CFLAGS=
HARDEN_LDFLAGS=
AS_IF([test "x$enable_hardening" != xno && test "x$enable_sanitizers" = xno], [
	m4_foreach_w([flag], [-fstack-protector-strong -fstack-clash-protection
		-fcf-protection=full -mbranch-protection=standard], [
		doco_save_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -Werror flag"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [HARDEN_CFLAGS="$HARDEN_CFLAGS flag"])
		CFLAGS=$doco_save_CFLAGS
	])
	doco_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror -ftrivial-auto-var-init=zero"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [HARDEN_DAEMON_CFLAGS=-ftrivial-auto-var-init=zero])
	CFLAGS=$doco_save_CFLAGS
	# _FORTIFY_SOURCE needs an optimizing compiler. A C library that knows only level 2 warns about level 3.
	m4_foreach_w([level], [3 2], [
		AS_IF([AS_CASE(["$HARDEN_CFLAGS"], [*FORTIFY*], [false], [:])], [
			CFLAGS="$doco_save_CFLAGS -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=level"
			AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]],
				[char known@<:@__USE_FORTIFY_LEVEL == level ? 1 : -1@:>@; (void)known;])],
				[HARDEN_CFLAGS="$HARDEN_CFLAGS -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=level"])
			CFLAGS=$doco_save_CFLAGS
		])
	])
	doco_save_LDFLAGS=$LDFLAGS
	LDFLAGS="$LDFLAGS -Wl,-z,relro -Wl,-z,now"
	AC_LINK_IFELSE([AC_LANG_PROGRAM], [HARDEN_LDFLAGS="-Wl,-z,relro -Wl,-z,now"])
	LDFLAGS=$doco_save_LDFLAGS
])
AC_SUBST([HARDEN_CFLAGS])
AC_SUBST([HARDEN_DAEMON_CFLAGS])
AC_SUBST([HARDEN_LDFLAGS])
])
