/* Lists of users and groups; see acl.h. */
#include "daemon/base/acl.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

/*
 * Parses a decimal id. Returns -1 on failure. (uid_t)-1 means "no id" to the kernel and is refused.
 */
static int64_t acl_parse_id(const char *text)
{
	char *end;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	n = strtoull(text, &end, 10);
	return *end || errno || n >= UINT32_MAX ? -1 : (int64_t)n;
}

static int acl_add_user(struct acl *acl, const char *name)
{
	int64_t id = acl_parse_id(name);

	if (acl->n_uids == ACL_MAX)
		return -ENOSPC;
	if (id < 0) {
		const struct passwd *user = getpwnam(name);

		if (!user)
			return -ENOENT;
		id = user->pw_uid;
	}
	acl->uids[acl->n_uids++] = (uid_t)id;
	return 0;
}

static int acl_add_group(struct acl *acl, const char *name)
{
	int64_t id = acl_parse_id(name);

	if (acl->n_gids == ACL_MAX)
		return -ENOSPC;
	if (id < 0) {
		const struct group *group = getgrnam(name);

		if (!group)
			return -ENOENT;
		id = group->gr_gid;
	}
	acl->gids[acl->n_gids++] = (gid_t)id;
	return 0;
}

static int acl_add(struct acl *acl, const char *kind, const char *name, char *reason, size_t len)
{
	int r;

	if (strcmp(kind, "user") == 0)
		r = acl_add_user(acl, name);
	else if (strcmp(kind, "group") == 0)
		r = acl_add_group(acl, name);
	else
		r = -EINVAL;
	if (r == -EINVAL)
		snprintf(
			reason, len,
			"'%s' is neither 'user' nor 'group'; allowed: any, none, or a list such as "
			"'user NAME, group NAME'",
			kind);
	else if (r == -ENOENT)
		snprintf(reason, len, "this system has no %s '%s'", kind, name);
	else if (r == -ENOSPC)
		snprintf(reason, len, "more than %d users or groups; use a group", ACL_MAX);
	return r < 0 ? -EINVAL : 0;
}

int acl_parse_user(const char *name, uid_t *uid_out, char *reason_out, size_t reason_len)
{
	struct acl acl = {.any = false};

	if (acl_add(&acl, "user", name, reason_out, reason_len) < 0)
		return -EINVAL;
	*uid_out = acl.uids[0];
	return 0;
}

int acl_parse(const char *text, struct acl *acl_out, char *reason_out, size_t reason_len)
{
	struct acl acl = {.any = false};
	char copy[512];
	char *save = NULL;

	if (strcmp(text, "any") == 0) {
		*acl_out = (struct acl){.any = true};
		return 0;
	}
	if (strcmp(text, "none") == 0) {
		*acl_out = acl;
		return 0;
	}
	if (str_copy(copy, sizeof(copy), text) < 0 || !*copy) {
		snprintf(reason_out, reason_len,
			 "allowed: any, none, or a list such as 'user NAME, group NAME'");
		return -EINVAL;
	}
	for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		char kind[8] = "", name[64] = "", rest[2] = "";

		if (sscanf(item, " %7s %63s %1s", kind, name, rest) != 2) {
			snprintf(reason_out, reason_len,
				 "'%.60s': allowed: any, none, or a list such as 'user NAME, group "
				 "NAME'",
				 item);
			return -EINVAL;
		}
		if (acl_add(&acl, kind, name, reason_out, reason_len) < 0)
			return -EINVAL;
	}
	if (acl.n_uids + acl.n_gids == 0) {
		snprintf(reason_out, reason_len, "the list is empty; to allow nobody write 'none'");
		return -EINVAL;
	}
	*acl_out = acl;
	return 0;
}

static bool acl_has_group(const struct acl *acl, gid_t gid)
{
	for (size_t i = 0; i < acl->n_gids; i++)
		if (acl->gids[i] == gid)
			return true;
	return false;
}

bool acl_allows(const struct acl *acl, uid_t uid, gid_t gid, const gid_t *groups, size_t n_groups)
{
	if (acl->any)
		return true;
	for (size_t i = 0; i < acl->n_uids; i++)
		if (acl->uids[i] == uid)
			return true;
	if (acl_has_group(acl, gid))
		return true;
	for (size_t i = 0; i < n_groups; i++)
		if (acl_has_group(acl, groups[i]))
			return true;
	return false;
}
