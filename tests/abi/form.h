/*
 * Plug-ins of one program, written for different generations: each makes an inventory in its own
 * way, and checks one that another plug-in made. No daemon is needed. Plain C types only, so that
 * every version of the headers can also be included.
 */
#ifndef TESTS_ABI_FORM_H
#define TESTS_ABI_FORM_H

struct form {
	int version;         /* DOCA_USE_VERSION of the plug-in */
	void *(*make)(void); /* returns a started inventory, or NULL */
	int (*release_inventory)(
		void *inventory);        /* stops and destroys it; returns a doca_error_t */
	void *(*make_mmap)(void);        /* returns an unconfigured memory map, or NULL */
	int (*start_mmap)(void *mmap);   /* returns a doca_error_t */
	int (*destroy_mmap)(void *mmap); /* returns a doca_error_t */
};

#endif
