/*
 * Usage and limits per uid, and for all uids together. Every resource of a client embeds a charge
 * and releases it in its own deinit, so that a release cannot be forgotten. Limits may change at
 * any time: existing charges stay, and new charges are checked against the new limits.
 * Single-threaded.
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
	CHARGE_BYTES, /* shared memory that the daemon created for the client */
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
	char section[80]; /* the configuration section, for example "quota user alice" */
	struct quota quota;
};

struct limits {
	struct quota user;  /* of each uid without limits of its own */
	struct quota total; /* of all uids together */
	struct user_quota users[LIMITS_MAX_USERS];
	size_t n_users;
};

struct accounts {
	struct list list; /* struct account, link */
	struct limits limits;
	uint64_t used[CHARGE_N];
	uint64_t last_order;
	/*
	 * Charges are accepted above the limits: those of an earlier daemon instance are restored.
	 */
	bool is_lenient;
};

struct account {
	struct accounts *accounts;
	struct list link;
	uint64_t order; /* increases along accounts->list */
	unsigned n_refs;
	uid_t uid;
	const struct user_quota *own; /* entry in limits.users, or NULL */
	uint64_t used[CHARGE_N];
	/* The last charge that was refused. */
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
/* Sets the limits. Lower limits apply to new charges only. */
void accounts_set_limits(struct accounts *accounts, const struct limits *limits);
/*
 * Returns the account of uid and creates it if needed; release it with account_unref(). NULL if
 * memory is short.
 */
struct account *account_ref(struct accounts *accounts, uid_t uid);
/* Accepts NULL. Returns NULL. */
struct account *account_unref(struct account *account);
/*
 * Adds n of kind to the charge. Returns 0, or -EDQUOT with nothing changed. All calls for one
 * charge must use the same account.
 */
int charge_add(struct charge *charge, struct account *account, enum charge_kind kind, uint64_t n);
/* Like charge_add(), but ignores the limits: for existing resources. */
void charge_force(struct charge *charge, struct account *account, enum charge_kind kind,
		  uint64_t n);
/* Releases n of one kind. */
void charge_drop(struct charge *charge, enum charge_kind kind, uint64_t n);
/* Releases the whole charge. Idempotent. */
void charge_release(struct charge *charge);
uint64_t account_limit(const struct account *account, enum charge_kind kind);
/* Returns the configuration section of the account's limits, for example "quota". */
const char *account_section(const struct account *account);
/*
 * After -EDQUOT: writes which uid uses how much of which limit, and the key that raises the limit.
 */
void account_explain(const struct account *account, char *text_out, size_t text_len);
/* Returns for example "exports", which is also the key in the [quota] sections. */
const char *charge_kind_name(enum charge_kind kind);

#endif
