/*
 * Functions that the examples share: reading options, opening a device, waiting for a progress
 * engine, reporting errors. They use the public DOCA interface only, so they also build against the
 * SDK. Copy what you need. Call all of them from one thread.
 */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

enum { EXAMPLE_TEXT_LEN = 512 };

/* One command line option. A program describes its options by a table of these. */
struct example_param {
	const char *short_name;
	const char *long_name;
	const char *arguments;
	const char *description;
	enum doca_argp_type type;
	doca_argp_param_cb_t set;
	bool is_mandatory;
};

/* Prints what failed and why to stderr, and returns the result: `return example_failed(...)`. */
doca_error_t example_failed(const char *what, doca_error_t result);

/* Creates the log, and reads the command line into config through the callbacks in the table. */
doca_error_t example_params_read(const char *program, void *config,
				 const struct example_param *params, size_t n_params, int argc,
				 char **argv);
/* For option callbacks: copies a text option, whose memory is valid only during the callback. */
doca_error_t example_text_copy(char dst[EXAMPLE_TEXT_LEN], const void *value);
/* For option callbacks: stores a number that must be in [min, max]. */
doca_error_t example_number_copy(int *dst, const void *value, int min, int max);

/* Returns true if a device can do what the program needs. */
typedef bool (*example_dev_can_t)(const struct doca_devinfo *info);

/* Returns true if the device supports DMA copies. */
bool example_dev_can_copy(const struct doca_devinfo *info);

/*
 * Opens the device at a PCI address. If pci is empty, opens the first device for which can() is
 * true.
 */
doca_error_t example_dev_open(const char *pci, example_dev_can_t can, struct doca_dev **dev_out);
/* Opens a device's representor at a PCI address. If pci is empty, opens the first representor. */
doca_error_t example_rep_open(struct doca_dev *dev, const char *pci, struct doca_dev_rep **rep_out);

/*
 * Progresses the engine until is_done() returns true. Sleeps in epoll while there is nothing to do.
 */
doca_error_t example_pe_run(struct doca_pe *pe, bool (*is_done)(void *), void *arg, int timeout_s);

uint64_t example_now_ns(void);

#endif
