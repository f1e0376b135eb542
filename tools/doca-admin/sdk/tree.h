/*
 * A folder with the layout of the vendor's SDK, for build files that name /opt/mellanox/doca.
 * Headers and libraries are links to this installation, so an upgrade applies to the folder, too.
 * Owner: one command.
 */
#ifndef TOOLS_DOCA_ADMIN_SDK_TREE_H
#define TOOLS_DOCA_ADMIN_SDK_TREE_H

#include <limits.h>

#include "tools/doca-admin/lab/lab.h"
#include "tools/doca-admin/sdk/api_version.h"
#include "tools/doca-admin/sdk/pc_file.h"

/* The files from which the folder is created. */
struct sdk_source {
	char version[API_VERSION_MAX];
	enum lab_side side;
	char modules[PATH_MAX]; /* installed pkg-config modules of the version and side */
	struct pc_file common;  /* the doca-common module among them */
	char samples[PATH_MAX]; /* the user's checkout of the vendor's samples; "": none */
};

/*
 * Finds the installed files of a version and side. samples may be NULL. Returns 0, -EINVAL if the
 * version or the checkout is wrong, or another -errno, after printing the error.
 */
int sdk_source_find(const char *version, enum lab_side side, const char *samples,
		    struct sdk_source *source_out);
/*
 * Fills dir, an empty folder that will have the absolute path slot when it is used. Returns 0, or
 * -errno after printing the error; what was created so far stays.
 */
int sdk_tree_fill(const char *dir, const char *slot, const struct sdk_source *source);
/* Returns the folder of the libraries below a tree, for example "lib/x86_64-linux-gnu". */
const char *sdk_tree_libdir(void);

#endif
