/*
 * What each uid uses, and how much it may. Every resource that a client gets embeds a charge and
 * gives it back in its own deinit, so that a release cannot be forgotten. Single-threaded.
 */
#ifndef DAEMON_ACCOUNT_H
#define DAEMON_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/list.h"

enum charge_kind {
	CHARGE_SESSIONS,
	CHARGE_BYTES, /* shared memory that the daemon made for the client */
	CHARGE_FDS,   /* descriptors that the daemon holds for the client */
	CHARGE_HANDLES,
	CHARGE_EXPORTS,
	CHARGE_IMPORTS,
	CHARGE_SERVERS,
	CHARGE_CHANNELS,
	CHARGE_N,
};

struct quota {
	uint64_t limit[CHARGE_N];
};

struct accounts {
	struct list list; /* struct account, link */
	struct quota quota;
};

struct account {
	struct accounts *accounts;
	struct list link;
	unsigned n_refs;
	uid_t uid;
	uint64_t used[CHARGE_N];
	enum charge_kind refused; /* what the last failed charge was for */
};

struct charge {
	struct account *account;
	uint64_t n[CHARGE_N];
};

#define CHARGE_INIT             \
	{                       \
		.account = NULL \
	}

void accounts_init(struct accounts *accounts, const struct quota *quota);
/* Lower limits take effect for new charges only. */
void accounts_set_quota(struct accounts *accounts, const struct quota *quota);
/* The account of uid, made when needed; give it back with account_unref. NULL: no memory. */
struct account *account_ref(struct accounts *accounts, uid_t uid);
/* NULL is fine. Returns NULL. */
struct account *account_unref(struct account *account);
/* Adds n of kind to the charge. 0, or -EDQUOT and nothing changes. A charge stays with one account.
 */
int charge_add(struct charge *charge, struct account *account, enum charge_kind kind, uint64_t n);
/* Gives one kind back, the rest stays. */
void charge_drop(struct charge *charge, enum charge_kind kind, uint64_t n);
/* Gives everything back. May be called twice. */
void charge_release(struct charge *charge);
/* "exports": also the key in the configuration's [quota] section. */
const char *charge_kind_name(enum charge_kind kind);

#endif
