/*
 * A folder laid out like an installation of the vendor's SDK, for build files that name
 * /opt/mellanox/doca. Headers and libraries are links to this installation, so the folder follows
 * an upgrade. Owner: one command.
 */
#ifndef TOOLS_DOCA_ADMIN_SDK_TREE_H
#define TOOLS_DOCA_ADMIN_SDK_TREE_H

#include <limits.h>

#include "tools/doca-admin/api_version.h"
#include "tools/doca-admin/lab.h"
#include "tools/doca-admin/pc_file.h"

/* What the folder is made from. */
struct sdk_source {
	char version[API_VERSION_MAX];
	enum lab_side side;
	char modules[PATH_MAX]; /* installed pkg-config modules of the version and side */
	struct pc_file common;  /* the doca-common module among them */
	char samples[PATH_MAX]; /* the user's checkout of the vendor's samples; "": none */
};

/*
 * Finds the installed files of a version and side; samples may be NULL. Returns 0, -EINVAL if the
 * version or the checkout is wrong, or another -errno; the error was printed.
 */
int sdk_source_find(const char *version, enum lab_side side, const char *samples,
		    struct sdk_source *source_out);
/*
 * Fills dir, an empty folder that will be known as place (absolute) when it is used. Returns 0 or
 * -errno; the error was printed, and what was made so far is left.
 */
int sdk_tree_fill(const char *dir, const char *place, const struct sdk_source *source);
/* Folder of the libraries below a tree, "lib/x86_64-linux-gnu". */
const char *sdk_tree_libdir(void);

#endif
