/*
 * What programs of one version do with memory maps, buffers and inventories although a guide says
 * otherwise, and threads that share a map. Every function fails the running test when a step does
 * not go as it must. `is_strict`: DOCOCORED_STRICT=1 is in the environment.
 */
#ifndef TESTS_CONFORMANCE_MEMORY_RULES_H
#define TESTS_CONFORMANCE_MEMORY_RULES_H

#include <stdbool.h>

struct doca_dev;

struct memory_rules {
	int version; /* 202 */
	/* A buffer of an inventory that is started later, or not at all. */
	void (*inventory_starts_late)(struct doca_dev *dev, bool is_strict);
	/* A buffer of a map that is started later. NULL: the version has no such rule. */
	void (*map_starts_late)(struct doca_dev *dev, bool is_strict);
	/* The user data of an inventory, set before its start. NULL: no call for that. */
	void (*user_data_comes_early)(void);
	/* Threads with an inventory each take and release buffers of one map. */
	void (*threads_share_a_map)(struct doca_dev *dev);
	/* Objects are stopped and destroyed in the wrong order; results are ignored. */
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
