/*
 * Reads the sources below folders: C, C++, CUDA, Rust, Go and Python by file suffix, without hidden
 * folders.
 * Symbolic links to files are read; those to folders are not followed, so that no tree is endless.
 * Paths that the user named are read whatever their suffix. Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_WHICH_API_SOURCE_TREE_H
#define TOOLS_DOCA_ADMIN_WHICH_API_SOURCE_TREE_H

#include <stddef.h>

/* The text is not NUL-terminated, and is valid only during the call. */
typedef void source_tree_file(void *userdata, const char *path, const char *text, size_t len);

struct source_tree_counts {
	size_t n_read;
	size_t n_failed; /* files and folders that could not be read; each error was printed */
};

/* Reads all paths; the list ends with NULL. Returns 0 or -errno. */
int source_tree_read(char *const *paths, source_tree_file *file, void *userdata,
		     struct source_tree_counts *counts_out);

#endif
