# Warnings that the compiler supports; --enable-werror makes them errors (CI uses it).
AC_DEFUN([DOCO_WARNINGS], [
AC_ARG_ENABLE([werror],
	[AS_HELP_STRING([--enable-werror], [treat warnings as errors])], [], [enable_werror=no])
WARN_FLAGS=
m4_foreach_w([flag], [-Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow
	-Wpointer-arith -Wwrite-strings -Wformat=2 -Wno-format-nonliteral -Wvla
	-Wno-missing-field-initializers], [
	doco_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror flag"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [WARN_FLAGS="$WARN_FLAGS flag"])
	CFLAGS=$doco_save_CFLAGS
])
AS_IF([test "x$enable_werror" = xyes], [WARN_FLAGS="$WARN_FLAGS -Werror"])
AC_SUBST([WARN_FLAGS])
])
