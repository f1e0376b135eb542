/* The directory of the daemon's sockets; see runtime_dir.h. */
#include "daemon/config/runtime_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/config/arguments.h"
#include "daemon/config/config.h"

int runtime_dir_find(const struct daemon_options *options, char *dir_out, size_t dir_len)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	const char *dir = options->runtime_dir;
	int n;

	if (dir)
		n = snprintf(dir_out, dir_len, "%s", dir);
	else if (xdg && *xdg == '/')
		n = snprintf(dir_out, dir_len, "%s/dococored", xdg);
	else if (geteuid() == 0)
		n = snprintf(dir_out, dir_len, "/run/dococored");
	else {
		log_error(
			"no runtime directory: XDG_RUNTIME_DIR is not set; give --runtime-dir DIR");
		return -EINVAL;
	}
	if (n < 0 || (size_t)n >= dir_len) {
		log_error("runtime directory %.200s: the path of a socket in it is longer than %d "
			  "bytes",
			  dir ? dir : xdg, CONFIG_PATH_LEN - 1);
		return -ENAMETOOLONG;
	}
	return 0;
}
