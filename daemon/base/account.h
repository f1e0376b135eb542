/*
 * What each uid uses and all of them use together, and how much they may. Every resource that a
 * client gets embeds a charge and gives it back in its own deinit, so that a release cannot be
 * forgotten. Limits may change at any time: what is in use stays, and what is asked for from then
 * on is measured by the new ones. Single-threaded.
 */
#ifndef DAEMON_BASE_ACCOUNT_H
#define DAEMON_BASE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/list.h"

enum charge_kind {
	CHARGE_SESSIONS,
	CHARGE_BYTES, /* shared memory that the daemon made for the client */
	CHARGE_FDS,   /* descriptors that the daemon holds for the client */
	CHARGE_HANDLES,
	CHARGE_EXPORTS, /* of memory maps and sync events */
	CHARGE_IMPORTS,
	CHARGE_SERVERS,
	CHARGE_CHANNELS,
	CHARGE_SYNC_EVENTS, /* exported ones; each is an export too */
	CHARGE_CONSUMERS,
	CHARGE_N,
};

#define LIMITS_MAX_USERS 32

struct quota {
	uint64_t limit[CHARGE_N];
};

struct user_quota {
	uid_t uid;
	char section[80]; /* of the configuration: "quota user alice" */
	struct quota quota;
};

struct limits {
	struct quota user;  /* of each uid that has none of its own */
	struct quota total; /* of all together */
	struct user_quota users[LIMITS_MAX_USERS];
	size_t n_users;
};

struct accounts {
	struct list list; /* struct account, link */
	struct limits limits;
	uint64_t used[CHARGE_N];
	uint64_t last_order;
	bool is_lenient; /* nothing is refused: what was granted before is taken up again */
};

struct account {
	struct accounts *accounts;
	struct list link;
	uint64_t order; /* grows along accounts->list */
	unsigned n_refs;
	uid_t uid;
	const struct user_quota *own; /* in limits.users, or NULL */
	uint64_t used[CHARGE_N];
	/* The last charge that failed. */
	enum charge_kind refused;
	bool refused_by_total;
};

struct charge {
	struct account *account;
	uint64_t n[CHARGE_N];
};

#define CHARGE_INIT             \
	{                       \
		.account = NULL \
	}

void accounts_init(struct accounts *accounts, const struct limits *limits);
/* Lower limits take effect for new charges only. */
void accounts_set_limits(struct accounts *accounts, const struct limits *limits);
/* The account of uid, made when needed; give it back with account_unref. NULL: no memory. */
struct account *account_ref(struct accounts *accounts, uid_t uid);
/* NULL is fine. Returns NULL. */
struct account *account_unref(struct account *account);
/* Adds n of kind to the charge. 0, or -EDQUOT and nothing changes. A charge stays with one account.
 */
int charge_add(struct charge *charge, struct account *account, enum charge_kind kind, uint64_t n);
/* As charge_add(), whatever the limits say: for what is there already. */
void charge_force(struct charge *charge, struct account *account, enum charge_kind kind,
		  uint64_t n);
/* Gives one kind back, the rest stays. */
void charge_drop(struct charge *charge, enum charge_kind kind, uint64_t n);
/* Gives everything back. May be called twice. */
void charge_release(struct charge *charge);
uint64_t account_limit(const struct account *account, enum charge_kind kind);
/* The section of the configuration that the account's limits come from: "quota". */
const char *account_section(const struct account *account);
/* After -EDQUOT: who uses how much of which limit, and the key that raises it. */
void account_explain(const struct account *account, char *text_out, size_t text_len);
/* "exports": also the key in the configuration's [quota] sections. */
const char *charge_kind_name(enum charge_kind kind);

#endif
