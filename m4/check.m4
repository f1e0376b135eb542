# The Check unit test library. Without it `make check` runs no unit tests and says so.
AC_DEFUN([DOCO_CHECK], [
PKG_CHECK_MODULES([CHECK], [check >= 0.12], [have_check=yes],
	[have_check="no (package check is missing)"])
AM_CONDITIONAL([HAVE_CHECK], [test "x$have_check" = xyes])
])
