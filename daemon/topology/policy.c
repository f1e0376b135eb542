/* Device policy; see policy.h. */
#include "daemon/topology/policy.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"
#include "util/util.h"

void policy_init(struct policy *policy)
{
	policy->others =
		(struct policy_rule){.device = "default", .text = "any", .acl = {.any = true}};
	policy->n_rules = 0;
}

/* True if the key can be a device name, in which '*' and '?' are allowed. */
static bool policy_is_pattern(const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)key[i]) && !strchr("_.-@*?", key[i]))
			return false;
	return len >= 1 && len < sizeof(((struct policy_rule *)NULL)->device);
}

/* Returns the rule that the key sets, or NULL after refusing the key. */
static struct policy_rule *policy_place(struct policy *policy, const struct ini_position *at,
					const char *key)
{
	if (strcmp(key, "default") == 0) {
		if (!policy->others.line)
			return &policy->others;
		ini_refuse_key(at, key, "given twice; allowed once");
		return NULL;
	}
	if (!policy_is_pattern(key)) {
		ini_refuse_key(at, key,
			       "no name of a device; allowed: 'default', or 1 to 63 letters, "
			       "digits and '_.-@', with '*' and '?' for a pattern");
		return NULL;
	}
	for (size_t i = 0; i < policy->n_rules; i++) {
		if (strcmp(policy->rules[i].device, key) != 0)
			continue;
		ini_refuse_key(at, key, "given twice; allowed once");
		return NULL;
	}
	if (policy->n_rules < POLICY_MAX_RULES)
		return &policy->rules[policy->n_rules++];
	ini_refuse_key(at, key, "more than %d keys; use patterns", POLICY_MAX_RULES);
	return NULL;
}

int policy_set(struct policy *policy, const struct ini_position *at, const char *key,
	       const char *value)
{
	struct policy_rule *rule = policy_place(policy, at, key);
	char reason[200];

	if (!rule)
		return -EINVAL;
	rule->line = at->line;
	str_copy(rule->device, sizeof(rule->device), key);
	snprintf(rule->text, sizeof(rule->text), "%s", value);
	return acl_parse(value, &rule->acl, reason, sizeof(reason)) < 0
		       ? ini_refuse_key(at, key, "%s", reason)
		       : 0;
}

bool policy_rule_matches(const struct policy_rule *rule, const char *device)
{
	return fnmatch(rule->device, device, FNM_NOESCAPE) == 0;
}

const struct policy_rule *policy_find(const struct policy *policy, const char *device)
{
	for (size_t i = 0; i < policy->n_rules; i++)
		if (strcmp(policy->rules[i].device, device) == 0)
			return &policy->rules[i];
	for (size_t i = 0; i < policy->n_rules; i++)
		if (policy_rule_matches(&policy->rules[i], device))
			return &policy->rules[i];
	return &policy->others;
}
