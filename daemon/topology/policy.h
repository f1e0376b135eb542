/*
 * Who may open which device: rules for names and for patterns, and one for all other devices. A
 * device's own name wins over patterns, of patterns the first that matches. Part of a
 * configuration, constant once that is loaded: a rule is looked at when a device is opened and
 * never again, so a stricter one leaves open handles alone.
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
	char text[POLICY_TEXT_LEN]; /* of who, as it is written in the file */
	struct who who;
	int line; /* 0: built in */
};

struct policy {
	struct policy_rule others; /* key "default" */
	struct policy_rule rules[POLICY_MAX_RULES];
	size_t n_rules;
};

/* Everybody may open everything. */
void policy_init(struct policy *policy);
/* One key of section [policy]. 0 or -EINVAL. */
int policy_set(struct policy *policy, const struct ini_position *at, const char *key,
	       const char *value);
/* The rule that holds for the device. */
const struct policy_rule *policy_find(const struct policy *policy, const char *device);
bool policy_rule_matches(const struct policy_rule *rule, const char *device);

#endif
