/* Quotas per uid; see account.h. */
#include "daemon/account.h"

#include <errno.h>
#include <stdlib.h>

static const char *const charge_names[CHARGE_N] = {
	[CHARGE_SESSIONS] = "sessions", [CHARGE_BYTES] = "bytes",
	[CHARGE_FDS] = "fds",           [CHARGE_HANDLES] = "handles",
	[CHARGE_EXPORTS] = "exports",   [CHARGE_IMPORTS] = "imports",
	[CHARGE_SERVERS] = "servers",   [CHARGE_CHANNELS] = "channels",
};

const char *charge_kind_name(enum charge_kind kind)
{
	return (unsigned)kind < CHARGE_N ? charge_names[kind] : "unknown";
}

void accounts_init(struct accounts *accounts, const struct quota *quota)
{
	list_init(&accounts->list);
	accounts->quota = *quota;
}

void accounts_set_quota(struct accounts *accounts, const struct quota *quota)
{
	accounts->quota = *quota;
}

struct account *account_ref(struct accounts *accounts, uid_t uid)
{
	struct account *account;

	list_for_each(account, &accounts->list, link)
	{
		if (account->uid == uid) {
			account->n_refs++;
			return account;
		}
	}
	account = calloc(1, sizeof(*account));
	if (!account)
		return NULL;
	account->accounts = accounts;
	account->uid = uid;
	account->n_refs = 1;
	list_append(&accounts->list, &account->link);
	return account;
}

struct account *account_unref(struct account *account)
{
	if (account && --account->n_refs == 0) {
		list_remove(&account->link);
		free(account);
	}
	return NULL;
}

int charge_add(struct charge *charge, struct account *account, enum charge_kind kind, uint64_t n)
{
	uint64_t limit = account->accounts->quota.limit[kind];

	if (account->used[kind] > limit || n > limit - account->used[kind]) {
		account->refused = kind;
		return -EDQUOT;
	}
	if (!charge->account) {
		charge->account = account;
		account->n_refs++;
	}
	account->used[kind] += n;
	charge->n[kind] += n;
	return 0;
}

void charge_drop(struct charge *charge, enum charge_kind kind, uint64_t n)
{
	if (n > charge->n[kind])
		n = charge->n[kind];
	charge->n[kind] -= n;
	if (charge->account)
		charge->account->used[kind] -= n;
}

void charge_release(struct charge *charge)
{
	if (!charge->account)
		return;
	for (int kind = 0; kind < CHARGE_N; kind++)
		charge_drop(charge, (enum charge_kind)kind, charge->n[kind]);
	charge->account = account_unref(charge->account);
}
