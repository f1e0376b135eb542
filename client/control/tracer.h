/*
 * Permission to copy private memory under Yama. With kernel.yama.ptrace_scope=1, the kernel lets a
 * process access the memory of another one only if it is an ancestor, or if the other one named it
 * (PR_SET_PTRACER). The process that is named may do all that a tracer may, not only access the
 * exported range; the kernel's other rules for tracers still apply.
 *
 * The exporting process listens on a socket for each export of private memory. An importing process
 * connects and proves with the export's secret that it was given the export. The exporting process
 * then names it for as long as the importer keeps the connection open. The kernel stores one tracer
 * for each process, with its descendants, so a second importing process is refused meanwhile.
 *
 * DOCOCORED_PTRACER, or else the daemon's key `ptracer`, selects what the exporting process
 * permits.
 *
 * Threads: any. While this process has an export that listens, a thread of the library serves the
 * sockets.
 */
#ifndef CLIENT_CONTROL_TRACER_H
#define CLIENT_CONTROL_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/list.h"

#define TRACER_SECRET_LEN 16u
#define TRACER_REASON_MAX 176

/* Values of HelloReply.ptracer. */
enum tracer_policy {
	TRACER_UNSET,
	TRACER_OFF,      /* no process is named */
	TRACER_IMPORTER, /* the default: the first importing process of the same user */
	TRACER_ANY,      /* every process of the same user, while there is an export */
};

/* Values of kernel.yama.ptrace_scope. */
enum yama_scope {
	YAMA_NONE, /* also: the kernel has no Yama */
	YAMA_NAMED,
	YAMA_CAPABLE, /* only processes with CAP_SYS_PTRACE */
	YAMA_NOBODY,  /* no process, until the next start of the machine */
};

/* Reads kernel.yama.ptrace_scope. Weak, so that a test program can define it. */
enum yama_scope yama_scope(void);

/* The permissions of one export. Zeroed, it permits nothing. */
struct tracer_export {
	struct list node;
	pid_t pid; /* the process that started it; 0: not started */
	bool is_any;
	int listen_fd;
	uint64_t export_id;
	/* The secrets that importers may prove, borrowed: the export's, and the one for passing it
	 * on. */
	const uint8_t *secrets[2];
	unsigned n_secrets;
};

/* Returns the policy that applies in this process. Reads the environment. */
enum tracer_policy tracer_policy_get(void);
/*
 * Begins to permit what the policy says. The secrets stay the caller's until the export is stopped;
 * `pass_on` may be NULL. Returns 0, also if the policy or the kernel makes it unnecessary, or
 * -errno.
 */
int tracer_export_start(struct tracer_export *export, enum tracer_policy policy, uint64_t export_id,
			const uint8_t *secret, const uint8_t *pass_on);
/* Returns whether importers of the export may be permitted to copy. */
static inline bool tracer_export_is_active(const struct tracer_export *export)
{
	return export->pid != 0;
}

/* Withdraws the permissions of importers of the export, without waiting for the thread. */
void tracer_export_revoke(struct tracer_export *export);
/* Like tracer_export_revoke(); then forgets the export. Does nothing if it was not started. */
void tracer_export_stop(struct tracer_export *export);

/*
 * Asks the exporting process `pid` to name this process. Waits at most 4 s. Returns a
 * descriptor that the caller closes when it no longer copies; or -errno and one clause with the
 * cause and the remedy.
 */
int tracer_ask(pid_t pid, uint64_t export_id, const uint8_t *secret,
	       char reason[TRACER_REASON_MAX]);

#endif
