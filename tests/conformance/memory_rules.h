/*
 * Programs of one version that use memory maps, buffers and inventories in ways that a guide
 * forbids, and threads that share a map. Every function fails the running test when a step has an
 * unexpected result. `is_strict`: DOCOCORED_STRICT=1 is in the environment.
 */
#ifndef TESTS_CONFORMANCE_MEMORY_RULES_H
#define TESTS_CONFORMANCE_MEMORY_RULES_H

#include <stdbool.h>

struct doca_dev;

struct memory_rules {
	int version; /* 202 */
	/* Gets a buffer of an inventory that is started later, or never. */
	void (*inventory_starts_late)(struct doca_dev *dev, bool is_strict);
	/* Gets a buffer of a map that is started later. NULL: the version has no such rule. */
	void (*map_starts_late)(struct doca_dev *dev, bool is_strict);
	/* Sets the user data of an inventory before its start. NULL: there is no such call. */
	void (*user_data_comes_early)(void);
	/* Threads with one inventory each get and release buffers of one map. */
	void (*threads_share_a_map)(struct doca_dev *dev);
	/* Stops and destroys objects in the wrong order and ignores the results. */
	void (*order_is_wrong)(struct doca_dev *dev);
};

struct memory_rules memory_rules_103(void);
struct memory_rules memory_rules_105(void);
struct memory_rules memory_rules_200(void);
struct memory_rules memory_rules_202(void);
struct memory_rules memory_rules_205(void);
struct memory_rules memory_rules_206(void);
struct memory_rules memory_rules_207(void);
struct memory_rules memory_rules_303(void);

#endif
