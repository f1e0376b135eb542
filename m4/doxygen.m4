# Pages of the public headers. HAVE_DOXYGEN: whether they are made. A malformed doc block is an error
# with --enable-werror.
AC_DEFUN([DOCO_DOXYGEN], [
AC_ARG_WITH([doxygen],
	[AS_HELP_STRING([--with-doxygen], [make manual pages of the headers: yes, no, auto @<:@auto@:>@])], [],
	[with_doxygen=auto])
AS_CASE([$with_doxygen], [no], [], [yes|auto], [AC_PATH_PROG([DOXYGEN], [doxygen])],
	[AC_MSG_ERROR([--with-doxygen takes yes, no or auto, not $with_doxygen])])
AS_IF([test "$with_doxygen" = yes && test -z "$DOXYGEN"],
	[AC_MSG_ERROR([doxygen is missing: install it, or configure --without-doxygen])])
have_doxygen=no
DOXYGEN_WARN_AS_ERROR=NO
AS_IF([test -n "$DOXYGEN"], [have_doxygen=yes])
AS_IF([test "x$enable_werror" = xyes], [DOXYGEN_WARN_AS_ERROR=FAIL_ON_WARNINGS])
AC_SUBST([DOXYGEN_WARN_AS_ERROR])
AM_CONDITIONAL([HAVE_DOXYGEN], [test $have_doxygen = yes])
])
