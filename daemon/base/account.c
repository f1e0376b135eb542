/* Quotas per uid; see account.h. */
#include "daemon/base/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const charge_names[CHARGE_N] = {
	[CHARGE_SESSIONS] = "sessions",
	[CHARGE_BYTES] = "bytes",
	[CHARGE_FDS] = "fds",
	[CHARGE_HANDLES] = "handles",
	[CHARGE_EXPORTS] = "exports",
	[CHARGE_IMPORTS] = "imports",
	[CHARGE_SERVERS] = "servers",
	[CHARGE_CHANNELS] = "channels",
	[CHARGE_SYNC_EVENTS] = "sync_events",
	[CHARGE_CONSUMERS] = "consumers",
};

const char *charge_kind_name(enum charge_kind kind)
{
	return charge_names[kind];
}

static const struct user_quota *limits_find_user(const struct limits *limits, uid_t uid)
{
	for (size_t i = 0; i < limits->n_users; i++)
		if (limits->users[i].uid == uid)
			return &limits->users[i];
	return NULL;
}

void accounts_init(struct accounts *accounts, const struct limits *limits)
{
	*accounts = (struct accounts){.limits = *limits};
	list_init(&accounts->list);
}

void accounts_set_limits(struct accounts *accounts, const struct limits *limits)
{
	struct account *account;

	accounts->limits = *limits;
	list_for_each(account, &accounts->list, link)
		account->own = limits_find_user(&accounts->limits, account->uid);
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
	account->own = limits_find_user(&accounts->limits, uid);
	account->n_refs = 1;
	account->order = ++accounts->last_order;
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

uint64_t account_limit(const struct account *account, enum charge_kind kind)
{
	return account->own ? account->own->quota.limit[kind]
			    : account->accounts->limits.user.limit[kind];
}

const char *account_section(const struct account *account)
{
	return account->own ? account->own->section : "quota";
}

/* The daemon lowers the limits of descriptors to what its process may open. */
static const char *account_other_limit(enum charge_kind kind)
{
	return kind == CHARGE_FDS ? " and LimitNOFILE of the service" : "";
}

void account_explain(const struct account *account, char *text_out, size_t text_len)
{
	const struct accounts *accounts = account->accounts;
	enum charge_kind kind = account->refused;
	const char *name = charge_kind_name(kind);

	if (account->refused_by_total)
		snprintf(text_out, text_len,
			 "all users together use %llu of %llu %s; release some, or the "
			 "administrator raises %s in section [quota total]%s",
			 (unsigned long long)accounts->used[kind],
			 (unsigned long long)accounts->limits.total.limit[kind], name, name,
			 account_other_limit(kind));
	else
		snprintf(text_out, text_len,
			 "uid %u uses %llu of %llu %s; release some, or the administrator raises "
			 "%s in section [%s]%s",
			 account->uid, (unsigned long long)account->used[kind],
			 (unsigned long long)account_limit(account, kind), name, name,
			 account_section(account), account_other_limit(kind));
}

static bool charge_fits(uint64_t used, uint64_t n, uint64_t limit)
{
	return used <= limit && n <= limit - used;
}

int charge_add(struct charge *charge, struct account *account, enum charge_kind kind, uint64_t n)
{
	struct accounts *accounts = account->accounts;
	bool of_user = charge_fits(account->used[kind], n, account_limit(account, kind));

	if (accounts->is_lenient)
		;
	else if (!of_user ||
		 !charge_fits(accounts->used[kind], n, accounts->limits.total.limit[kind])) {
		account->refused = kind;
		account->refused_by_total = of_user;
		return -EDQUOT;
	}
	charge_force(charge, account, kind, n);
	return 0;
}

void charge_force(struct charge *charge, struct account *account, enum charge_kind kind, uint64_t n)
{
	if (!charge->account) {
		charge->account = account;
		account->n_refs++;
	}
	account->used[kind] += n;
	account->accounts->used[kind] += n;
	charge->n[kind] += n;
}

void charge_drop(struct charge *charge, enum charge_kind kind, uint64_t n)
{
	if (n > charge->n[kind])
		n = charge->n[kind];
	charge->n[kind] -= n;
	if (!charge->account)
		return;
	charge->account->used[kind] -= n;
	charge->account->accounts->used[kind] -= n;
}

void charge_release(struct charge *charge)
{
	if (!charge->account)
		return;
	for (int kind = 0; kind < CHARGE_N; kind++)
		if (charge->n[kind])
			charge_drop(charge, (enum charge_kind)kind, charge->n[kind]);
	charge->account = account_unref(charge->account);
}
