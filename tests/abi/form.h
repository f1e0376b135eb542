/*
 * Plug-ins of one program that are written for different generations: each makes an inventory in
 * its own way, and looks at one that another made. No daemon is needed. Plain C types only, so that
 * every version of the headers can be included beside it.
 */
#ifndef TESTS_ABI_FORM_H
#define TESTS_ABI_FORM_H

struct form {
	int version;                       /* DOCA_USE_VERSION of the plug-in */
	void *(*make)(void);               /* a started inventory, or NULL */
	int (*give_back)(void *inventory); /* stops and destroys it; a doca_error_t */
	void *(*make_mmap)(void);          /* a memory map that is not configured yet, or NULL */
	int (*start_mmap)(void *mmap);     /* a doca_error_t */
	int (*destroy_mmap)(void *mmap);   /* a doca_error_t */
};

#endif
