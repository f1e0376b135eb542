# The library that reads configuration files. Some distributions name no version in its pkg-config file, so
# the function that is needed is looked for instead.
AC_DEFUN([DOCO_INIH], [
PKG_CHECK_MODULES([INIH], [inih])
doco_save_LIBS=$LIBS
doco_save_CFLAGS=$CFLAGS
LIBS="$INIH_LIBS $LIBS"
CFLAGS="$CFLAGS $INIH_CFLAGS"
AC_CHECK_FUNC([ini_parse_stream], [], [AC_MSG_ERROR([inih has no ini_parse_stream: install libinih-dev])])
LIBS=$doco_save_LIBS
CFLAGS=$doco_save_CFLAGS
])
