/*
 * The calls and objects of a program of one version: every function of the interface with the text
 * of its type, and objects of every kind that other versions have as well. Creates no threads.
 */
#ifndef TESTS_CONFORMANCE_FOREIGN_H
#define TESTS_CONFORMANCE_FOREIGN_H

#include <stddef.h>

struct doca_dev;

struct foreign_row {
	const char *name;
	void (*function)(void);
	const char *type; /* "doca_error_t (*)(struct doca_mmap *mmap)" */
};

struct foreign_object {
	const char *type; /* "struct doca_mmap" */
	void *object;
};
#define FOREIGN_MAX 24

struct foreign_program {
	int version; /* 202 */
	const struct foreign_row *rows;
	size_t n_rows;
	/*
	 * Objects that were only created, a map that was started, and a buffer in that map. The
	 * process that made them never releases them.
	 */
	size_t (*make)(struct doca_dev *dev, struct foreign_object objects_out[FOREIGN_MAX]);
};

/* One function per version with a different set of rows. */
struct foreign_program foreign_103(void);
struct foreign_program foreign_105(void);
struct foreign_program foreign_200(void);
struct foreign_program foreign_202(void);
struct foreign_program foreign_205(void);
struct foreign_program foreign_206(void);
struct foreign_program foreign_208(void);
struct foreign_program foreign_303(void);

#endif
