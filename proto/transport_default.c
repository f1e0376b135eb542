/* See transport_default.h. */
#include "proto/transport_default.h"

#include <stdio.h>

const char *transport_default_name(bool same_process, bool is_memfd, size_t *n_rejected_out)
{
	*n_rejected_out = same_process ? 0 : is_memfd ? 1 : 2;
	return same_process ? "local" : is_memfd ? "shm" : "pvm";
}

void transport_default_explain(bool same_process, bool is_memfd, int pid,
			       struct transport_default *default_out)
{
	*default_out = (struct transport_default){.n_rejected = 0};
	default_out->name = transport_default_name(same_process, is_memfd,
						   &default_out->n_rejected);
	snprintf(default_out->rejected[0], TRANSPORT_DEFAULT_REASON, "local: " TRANSPORT_NOT_LOCAL,
		 pid);
	snprintf(default_out->rejected[1], TRANSPORT_DEFAULT_REASON, "shm: " TRANSPORT_NOT_SHM);
}
