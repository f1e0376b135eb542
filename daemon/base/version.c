/* See version.h. A separate file, because tests build a daemon of another version. */
#include "daemon/base/version.h"

const char *daemon_version(void)
{
	return PACKAGE_VERSION;
}
