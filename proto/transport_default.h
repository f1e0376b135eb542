/*
 * The transport that an importer's library takes if nothing is in its way. Both know it, so that
 * the library need not tell: daemons say so to operators, unless they hear of another one. No
 * state; any thread.
 */
#ifndef PROTO_TRANSPORT_DEFAULT_H
#define PROTO_TRANSPORT_DEFAULT_H

#include <stdbool.h>
#include <stddef.h>

#define TRANSPORT_DEFAULT_MAX    2u
#define TRANSPORT_DEFAULT_REASON 200u

struct transport_default {
	const char *name;
	size_t n_rejected; /* that come before it, with why not */
	char rejected[TRANSPORT_DEFAULT_MAX][TRANSPORT_DEFAULT_REASON];
};

/* Clauses of why not. */
#define TRANSPORT_NOT_LOCAL "the exporter is another process (pid %d)"
#define TRANSPORT_NOT_SHM                                                                        \
	"the range is private memory, or importers could write though its export is read-only; " \
	"allocate it with dococ_mem_alloc"

/* Which one that is, "local", "shm" or "pvm", and how many it likes better. */
const char *transport_default_name(bool same_process, bool is_memfd, size_t *n_rejected_out);
/* pid: of the exporter, as its daemon sees it. */
void transport_default_explain(bool same_process, bool is_memfd, int pid,
			       struct transport_default *default_out);

#endif
