/*
 * An access list: "any", or a list of users and groups. Names are resolved when the text is parsed.
 */
#ifndef DAEMON_BASE_ACL_H
#define DAEMON_BASE_ACL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ACL_MAX 32

struct acl {
	bool any;
	uid_t uids[ACL_MAX];
	size_t n_uids;
	gid_t gids[ACL_MAX];
	size_t n_gids;
};

/*
 * Parses "any", "none", or "user NAME, group NAME, user 1000". Returns 0, or -EINVAL and a clause
 * in reason_out.
 */
int acl_parse(const char *text, struct acl *acl_out, char *reason_out, size_t reason_len);
/* Parses a name or a number. Returns 0, or -EINVAL and a clause in reason_out. */
int acl_parse_user(const char *name, uid_t *uid_out, char *reason_out, size_t reason_len);
/* groups: the supplementary groups; gid is checked in addition. */
bool acl_allows(const struct acl *acl, uid_t uid, gid_t gid, const gid_t *groups, size_t n_groups);

#endif
