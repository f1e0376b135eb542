/*
 * Makes the folders and files that public build files look for below /opt/mellanox/doca:
 *
 * VERSION, applications/VERSION   read by Meson and CMake files as the version of the project
 * include/                        the headers that the version has and their parts; two are made:
 *   doca_api.h                    selects the version and the side, so that no -D is needed
 *   doca_version.h                has the numbers as text, for CMake modules that parse it
 * lib/TRIPLET/                    lib*.so of the version, also with the numbers that follow .so
 * lib/TRIPLET/pkgconfig/          its modules
 * lib/OTHER-TRIPLET, lib64        the same, for files written on the other machine or on RHEL
 * lib/, lib/pkgconfig             the same once more, for files that leave the triplet out
 * infrastructure/{include,lib}    the same, for files that use the oldest layout
 * samples/, applications/, tools/ empty without a checkout: a folder that is missing is an error
 *                                 in some build tools
 *
 * A checkout's folders, and those that it has as symbolic links, are made anew and their files
 * linked one by one: "../../../VERSION" then leads to the tree, and not to the checkout. A file
 * "meson.build.public" stands for "meson.build", as in the vendor's packages.
 */
#include "tools/doca-admin/sdk/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/lab/paths.h"
#include "util/fd.h"
#include "util/str.h"

/* Limit of nested folders; no checkout of samples has more. */
#define DEPTH_MAX 32

/* A tree that is being created. */
struct tree {
	int fd;
	const char *slot;
	const struct sdk_source *source;
};

static int report_failure(const struct tree *tree, const char *name, int r)
{
	cmd_fail(0, "%s/%s: %s", tree->slot, name, strerror(-r));
	return r;
}

static int folder_make(const struct tree *tree, const char *name)
{
	return mkdirat(tree->fd, name, 0755) < 0 && errno != EEXIST
		       ? report_failure(tree, name, -errno)
		       : 0;
}

static int PRINTF_LIKE(3, 4)
	link_make(const struct tree *tree, const char *name, const char *fmt, ...)
{
	char target[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(target, sizeof(target), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(target))
		return report_failure(tree, name, -ENAMETOOLONG);
	return symlinkat(target, tree->fd, name) < 0 && errno != EEXIST
		       ? report_failure(tree, name, -errno)
		       : 0;
}

/* Creates a file. Returns NULL after printing the error. */
static FILE *file_make(const struct tree *tree, const char *name)
{
	int fd = openat(tree->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!file) {
		report_failure(tree, name, -errno);
		if (fd >= 0)
			close(fd);
	}
	return file;
}

static int file_finish(const struct tree *tree, const char *name, FILE *file)
{
	int failed = ferror(file);

	/* Without an earlier write error, errno is that of fclose(). */
	if (fclose(file) == 0 && !failed)
		return 0;
	return report_failure(tree, name, failed ? -EIO : -errno);
}

const char *sdk_tree_libdir(void)
{
	static char libdir[sizeof("lib/-linux-gnu") + SYS_NMLN];
	struct utsname machine;

	uname(&machine);
	snprintf(libdir, sizeof(libdir), "lib/%s-linux-gnu", machine.machine);
	return libdir;
}

static int make_folders(const struct tree *tree)
{
	static const char *const triplets[] = {"x86_64-linux-gnu", "aarch64-linux-gnu"};
	const char *folders[] = {"include",
				 "include/dococore",
				 "lib",
				 sdk_tree_libdir(),
				 "samples",
				 "applications",
				 "applications/common",
				 "applications/common/src",
				 "tools",
				 "infrastructure"};
	const char *triplet = strchr(sdk_tree_libdir(), '/') + 1;
	char name[64];
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(folders); i++)
		r = folder_make(tree, folders[i]);
	/* The folder of this machine's own triplet exists already. */
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(triplets); i++) {
		snprintf(name, sizeof(name), "lib/%s", triplets[i]);
		r = link_make(tree, name, "%s", triplet);
	}
	if (r == 0)
		r = link_make(tree, "lib64", "%s", sdk_tree_libdir());
	if (r == 0)
		r = link_make(tree, "lib/pkgconfig", "%s/pkgconfig", triplet);
	if (r == 0)
		r = link_make(tree, "infrastructure/include", "../include");
	return r < 0 ? r : link_make(tree, "infrastructure/lib", "../lib");
}

static int make_version_files(const struct tree *tree)
{
	static const char *const names[] = {"VERSION", "applications/VERSION"};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(names); i++) {
		FILE *file = file_make(tree, names[i]);

		if (!file)
			return -EIO;
		fprintf(file, "%s\n", tree->source->common.version);
		r = file_finish(tree, names[i], file);
	}
	return r;
}

/* ---- headers ----------------------------------------------------------------------------------
 */

static int make_api_header(const struct tree *tree)
{
	static const char name[] = "include/doca_api.h";
	const char *side = tree->source->side == LAB_DPU ? "DPU" : "HOST";
	FILE *file = file_make(tree, name);

	if (!file)
		return -EIO;
	fprintf(file,
		"/* Selects the version and the side that this folder is for. */\n"
		"#ifndef DOCA_USE_VERSION\n"
		"#define DOCA_USE_VERSION %u\n"
		"#endif\n"
		"#if !defined(DOCA_ARCH_DPU) && !defined(DOCA_ARCH_HOST)\n"
		"#define DOCA_ARCH_%s\n"
		"#endif\n"
		"#include \"dococore/doca_api.h\"\n",
		api_version_number(tree->source->version), side);
	return file_finish(tree, name, file);
}

static int make_version_header(const struct tree *tree)
{
	static const char name[] = "include/doca_version.h";
	const char *release = tree->source->common.version;
	const char *prefix = api_version_number(release) < 206 ? "DOCA_VER" : "DOCA_VERSION";
	unsigned major = 0, minor = 0, patch = 0;
	FILE *file = file_make(tree, name);

	if (!file)
		return -EIO;
	sscanf(release, "%u.%u.%u", &major, &minor, &patch);
	fprintf(file,
		"/* The numbers for build files that read this file as text. */\n"
		"#if 0\n"
		"#define %s_MAJOR %u\n"
		"#define %s_MINOR %u\n"
		"#define %s_PATCH %u\n"
		"#define %s_STRING \"%s\"\n"
		"#endif\n"
		"#include \"dococore/doca_version.h\"\n",
		prefix, major, prefix, minor, prefix, patch, prefix, release);
	return file_finish(tree, name, file);
}

/*
 * True if the version is in a range such as "from 2.5 on", the wording of the header's own #error.
 */
static bool range_has(const char *range, unsigned number)
{
	unsigned a, b, c, d;

	if (sscanf(range, "from %u.%u to %u.%u", &a, &b, &c, &d) == 4 ||
	    sscanf(range, "in %u.%u and %u.%u", &a, &b, &c, &d) == 4)
		return number >= a * 100 + b && number <= c * 100 + d;
	if (sscanf(range, "from %u.%u on", &a, &b) == 2)
		return number >= a * 100 + b;
	if (sscanf(range, "up to %u.%u", &a, &b) == 2)
		return number <= a * 100 + b;
	return true;
}

/* True if the header can be included in that version. */
static bool header_has(const char *path, const char *name, unsigned number)
{
	char refusal[NAME_MAX + 32];
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "re");
	bool has = true;
	int n = snprintf(refusal, sizeof(refusal), "#error \"%s is there ", name);

	while (has && file && getline(&line, &room, file) >= 0)
		if (strncmp(line, refusal, (size_t)n) == 0)
			has = range_has(line + n, number);
	free(line);
	if (file)
		fclose(file);
	return has;
}

static int header_link(const struct tree *tree, const char *name)
{
	char from[PATH_MAX + NAME_MAX + 2], to[NAME_MAX + 32];
	bool is_wrapped = strcmp(name, "doca_api.h") == 0 || strcmp(name, "doca_version.h") == 0;

	snprintf(from, sizeof(from), "%s/%s", tree->source->common.includedir, name);
	snprintf(to, sizeof(to), "include/%s%s", is_wrapped ? "dococore/" : "", name);
	if (!header_has(from, name, api_version_number(tree->source->version)))
		return 0;
	return link_make(tree, to, "%s", from);
}

static bool header_is_ours(const char *name)
{
	size_t n = strlen(name);

	return strcmp(name, "dococ.h") == 0 ||
	       (strncmp(name, "doca_", 5) == 0 && n > 2 && strcmp(name + n - 2, ".h") == 0);
}

static int make_headers(const struct tree *tree)
{
	const char *path = tree->source->common.includedir;
	DIR *dir = opendir(path);
	struct dirent *entry;
	int r;

	if (!dir) {
		r = -errno;
		cmd_fail(0, "%s: %s", path, strerror(-r));
		return r;
	}
	r = make_api_header(tree);
	if (r == 0)
		r = make_version_header(tree);
	/* Parts of headers that only certain versions have. */
	if (r == 0)
		r = link_make(tree, "include/dococ", "%s/dococ", path);
	while (r == 0 && (entry = readdir(dir)))
		if (header_is_ours(entry->d_name))
			r = header_link(tree, entry->d_name);
	closedir(dir);
	return r;
}

/* ---- libraries and modules --------------------------------------------------------------------
 */

/* Creates one name of the library, below lib/TRIPLET and below lib. */
static int library_name(const struct tree *tree, const char *target, const char *name)
{
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", sdk_tree_libdir(), name) >= (int)sizeof(path))
		return report_failure(tree, name, -ENAMETOOLONG);
	r = link_make(tree, path, "%s/%s", tree->source->common.libdir, target);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "lib/%s", name);
	return link_make(tree, path, "%s/%s", strchr(sdk_tree_libdir(), '/') + 1, name);
}

/*
 * Creates the names that a library of the SDK has, for "common": libdoca_common.so, .so.2 and
 * .so.2.2.0080.
 */
static int library_names(const struct tree *tree, const char *library)
{
	const char *release = tree->source->common.version;
	const int lengths[] = {0, (int)strcspn(release, "."), (int)strlen(release)};
	char name[NAME_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(lengths); i++) {
		snprintf(name, sizeof(name), "libdoca_%s.so%s%.*s", library, i > 0 ? "." : "",
			 lengths[i], release);
		r = library_name(tree, "libdococlient.so", name);
	}
	return r;
}

/* Creates the name that the linker records in programs: libdococlient.so.0. */
static int make_runtime_names(const struct tree *tree)
{
	static const char base[] = "libdococlient.so";
	const char *path = tree->source->common.libdir;
	DIR *dir = opendir(path);
	struct dirent *entry;
	int r = 0;

	if (!dir) {
		r = -errno;
		cmd_fail(0, "%s: %s", path, strerror(-r));
		return r;
	}
	while (r == 0 && (entry = readdir(dir)))
		if (strncmp(entry->d_name, base, sizeof(base) - 1) == 0)
			r = library_name(tree, entry->d_name, entry->d_name);
	closedir(dir);
	return r;
}

static int module_libraries(const struct tree *tree, const char *name)
{
	struct pc_file pc;
	char library[64];
	const char *flags = pc.libs;
	int r = pc_file_read(tree->source->modules, name, &pc);

	if (r < 0)
		return report_failure(tree, name, r);
	while (r == 0 && pc_file_next_flag(&flags, "-ldoca_", library, sizeof(library)))
		r = library_names(tree, library);
	return r;
}

/* Writes one line of a module, with the folders of the tree. */
static void module_line(const struct tree *tree, FILE *out, const char *line)
{
	static const char *const from_tree[] = {"libdir=", "includedir=", "Cflags:"};

	if (strncmp(line, "prefix=", 7) == 0) {
		fprintf(out, "prefix=%s\nlibdir=${prefix}/%s\nincludedir=${prefix}/include\n",
			tree->slot, sdk_tree_libdir());
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(from_tree); i++)
		if (strncmp(line, from_tree[i], strlen(from_tree[i])) == 0) {
			if (i == 2)
				fputs("Cflags: -I${includedir}\n", out);
			return;
		}
	fputs(line, out);
}

static int module_copy(const struct tree *tree, const char *name)
{
	char from[PATH_MAX + NAME_MAX + 2], to[PATH_MAX];
	char *line = NULL;
	size_t room = 0;
	FILE *in, *out;

	snprintf(from, sizeof(from), "%s/%s", tree->source->modules, name);
	if (snprintf(to, sizeof(to), "%s/pkgconfig/%s", sdk_tree_libdir(), name) >= (int)sizeof(to))
		return report_failure(tree, name, -ENAMETOOLONG);
	in = fopen(from, "re");
	if (!in)
		return report_failure(tree, to, -errno);
	out = file_make(tree, to);
	while (out && getline(&line, &room, in) >= 0)
		module_line(tree, out, line);
	free(line);
	fclose(in);
	return out ? file_finish(tree, to, out) : -EIO;
}

static int make_modules(const struct tree *tree)
{
	char path[128];
	DIR *dir = opendir(tree->source->modules);
	struct dirent *entry;
	int r;

	if (!dir)
		return report_failure(tree, "pkgconfig", -errno);
	snprintf(path, sizeof(path), "%s/pkgconfig", sdk_tree_libdir());
	r = folder_make(tree, path);
	while (r == 0 && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);

		if (n < 3 || strcmp(entry->d_name + n - 3, ".pc") != 0)
			continue;
		r = module_copy(tree, entry->d_name);
		if (r == 0)
			r = module_libraries(tree, entry->d_name);
	}
	closedir(dir);
	return r;
}

/* ---- the user's checkout ----------------------------------------------------------------------
 */

static const char public_suffix[] = ".public";

/*
 * Returns the name that a file of the checkout has in an installation, or NULL if another file has
 * that name.
 */
static const char *installed_name(int dir, const char *name, char out[NAME_MAX + 1])
{
	size_t n = strlen(name), n_suffix = sizeof(public_suffix) - 1;
	char other[NAME_MAX + sizeof(public_suffix)];

	if (n > n_suffix && strcmp(name + n - n_suffix, public_suffix) == 0) {
		snprintf(out, NAME_MAX + 1, "%.*s", (int)(n - n_suffix), name);
		return out;
	}
	snprintf(other, sizeof(other), "%s%s", name, public_suffix);
	return faccessat(dir, other, F_OK, 0) == 0 ? NULL : name;
}

/* A folder to walk, and the one in which it lies. */
struct folder {
	const struct folder *parent;
	dev_t dev;
	ino_t ino;
};

/*
 * Finds out if a name in a folder is a folder to walk, or a symbolic link to one. A link to a
 * folder in which it lies is not walked: the walk would not end.
 */
static bool folder_find(int dir, const char *name, const struct folder *parent,
			struct folder *folder_out)
{
	struct stat st;

	if (fstatat(dir, name, &st, 0) < 0 || !S_ISDIR(st.st_mode))
		return false;
	for (const struct folder *f = parent; f; f = f->parent)
		if (f->dev == st.st_dev && f->ino == st.st_ino)
			return false;
	*folder_out = (struct folder){parent, st.st_dev, st.st_ino};
	return true;
}

/* Links the files of a folder of the checkout into the folder of that name in the tree. */
static int checkout_link(const struct tree *tree, const char *path, const struct folder *folder,
			 unsigned depth)
{
	char from[PATH_MAX], sub[PATH_MAX], name[NAME_MAX + 1];
	struct dirent *entry;
	DIR *dir;
	int r;

	if (depth > DEPTH_MAX ||
	    snprintf(from, sizeof(from), "%s/%s", tree->source->samples, path) >= (int)sizeof(from))
		return report_failure(tree, path, -ENAMETOOLONG);
	dir = opendir(from);
	if (!dir)
		return report_failure(tree, path, -errno);
	r = folder_make(tree, path);
	while (r == 0 && (entry = readdir(dir))) {
		const char *as = entry->d_name;
		struct folder inner;
		bool is_dir;

		/* ".", "..", ".git" and editors' files are not part of an installation. */
		if (*as == '.')
			continue;
		is_dir = folder_find(dirfd(dir), as, folder, &inner);
		if (!is_dir)
			as = installed_name(dirfd(dir), as, name);
		if (!as)
			continue;
		if (snprintf(sub, sizeof(sub), "%s/%s", path, as) >= (int)sizeof(sub))
			r = report_failure(tree, path, -ENAMETOOLONG);
		else if (is_dir)
			r = checkout_link(tree, sub, &inner, depth + 1);
		else
			r = link_make(tree, sub, "%s/%s", from, entry->d_name);
	}
	closedir(dir);
	return r;
}

static bool checkout_has(const char *checkout, const char *folder)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/%s", checkout, folder) < (int)sizeof(path) &&
	       stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int make_checkout(const struct tree *tree)
{
	static const char *const names[] = {"samples", "applications"};
	struct folder above[DEPTH_MAX], folder, *parent = NULL;
	char path[2 * PATH_MAX];
	size_t n = 0;
	int r = 0;

	/* The tree itself, and the folders in which the checkout lies. */
	if (folder_find(tree->fd, ".", NULL, &above[0]))
		parent = &above[n++];
	snprintf(path, sizeof(path), "%s/", tree->source->samples);
	for (char *end = strchr(path, '/'); end && n < DEPTH_MAX; end = strchr(end + 1, '/')) {
		char next = end[1];

		end[1] = '\0';
		if (folder_find(AT_FDCWD, path, parent, &above[n]))
			parent = &above[n++];
		end[1] = next;
	}
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", tree->source->samples, names[i]);
		if (tree->source->samples[0] && folder_find(AT_FDCWD, path, parent, &folder))
			r = checkout_link(tree, names[i], &folder, 0);
	}
	return r;
}

/* ---- all of it --------------------------------------------------------------------------------
 */

int sdk_tree_fill(const char *dir, const char *slot, const struct sdk_source *source)
{
	static int (*const steps[])(const struct tree *) = {
		make_folders, make_version_files, make_headers,
		make_modules, make_runtime_names, make_checkout,
	};
	CLEANUP_FD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct tree tree = {.fd = fd, .slot = slot, .source = source};
	int r = 0;

	if (fd < 0) {
		r = -errno;
		cmd_fail(0, "%s: %s", dir, strerror(-r));
		return r;
	}
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(steps); i++)
		r = steps[i](&tree);
	return r;
}

static int checkout_find(const char *samples, char path_out[PATH_MAX])
{
	int r;

	if (!samples) {
		path_out[0] = '\0';
		return 0;
	}
	if (!realpath(samples, path_out)) {
		r = -errno;
		cmd_fail(0, "--samples: %s: %s", samples, strerror(-r));
		return -EINVAL;
	}
	if (checkout_has(path_out, "samples") || checkout_has(path_out, "applications"))
		return 0;
	cmd_fail(0,
		 "--samples: %s: there is no folder samples or applications; name the folder "
		 "that they lie in",
		 samples);
	return -EINVAL;
}

int sdk_source_find(const char *version, enum lab_side side, const char *samples,
		    struct sdk_source *source_out)
{
	int r = api_version_choose(version, source_out->version);

	if (r < 0)
		return r;
	source_out->side = side;
	r = lab_paths_find_modules(side, source_out->version, source_out->modules,
				   sizeof(source_out->modules));
	if (r == 0)
		r = pc_file_read(source_out->modules, "doca-common.pc", &source_out->common);
	if (r < 0) {
		cmd_fail(0, "the pkg-config modules of %s are not installed: %s",
			 source_out->version, strerror(-r));
		return r;
	}
	return checkout_find(samples, source_out->samples);
}
