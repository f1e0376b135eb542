/*
 * Access policy: which users may open which device. There are rules for names, for patterns, and
 * one for all other devices. A rule for the device's own name takes precedence over patterns; of
 * several matching patterns the first applies. The policy is part of a configuration and constant
 * once loaded. A rule is evaluated only when a device is opened, so a stricter rule does not affect
 * open handles.
 */
#ifndef DAEMON_TOPOLOGY_POLICY_H
#define DAEMON_TOPOLOGY_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/acl.h"
#include "daemon/base/ini_file.h"

#define POLICY_MAX_RULES 128
#define POLICY_TEXT_LEN  200

struct policy_rule {
	char device[64];            /* a name, or a pattern with '*' and '?' */
	char text[POLICY_TEXT_LEN]; /* the allowed users, as written in the file */
	struct acl acl;
	int line; /* 0: built in */
};

struct policy {
	struct policy_rule others; /* key "default" */
	struct policy_rule rules[POLICY_MAX_RULES];
	size_t n_rules;
};

/* Initialises a policy that lets every user open every device. */
void policy_init(struct policy *policy);
/* Sets one key of section [policy]. Returns 0 or -EINVAL. */
int policy_set(struct policy *policy, const struct ini_position *at, const char *key,
	       const char *value);
/* Returns the rule that applies to the device. */
const struct policy_rule *policy_find(const struct policy *policy, const char *device);
bool policy_rule_matches(const struct policy_rule *rule, const char *device);

#endif
