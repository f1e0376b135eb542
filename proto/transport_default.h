/*
 * The transport that an importer's library chooses if nothing prevents it. Library and daemon both
 * know this rule, so the library need not report its choice: daemons show the default to operators
 * unless the library reports another one. Keeps no state; any thread may call it.
 */
#ifndef PROTO_TRANSPORT_DEFAULT_H
#define PROTO_TRANSPORT_DEFAULT_H

#include <stdbool.h>
#include <stddef.h>

#define TRANSPORT_DEFAULT_MAX    2u
#define TRANSPORT_DEFAULT_REASON 200u

struct transport_default {
	const char *name;
	size_t n_rejected; /* transports preferred over it that do not fit; their reasons follow */
	char rejected[TRANSPORT_DEFAULT_MAX][TRANSPORT_DEFAULT_REASON];
};

/* Reasons why a transport does not fit. */
#define TRANSPORT_NOT_LOCAL "the exporter is another process (pid %d)"
#define TRANSPORT_NOT_SHM                                                                        \
	"the range is private memory, or importers could write though its export is read-only; " \
	"allocate it with dococ_mem_alloc"

/*
 * Returns the name, "local", "shm" or "pvm", and the number of preferred transports that do not
 * fit.
 */
const char *transport_default_name(bool same_process, bool is_memfd, size_t *n_rejected_out);
/* pid: the exporter's, as its daemon sees it. */
void transport_default_explain(bool same_process, bool is_memfd, int pid,
			       struct transport_default *default_out);

#endif
