/* The process that exported a range, as the importing process sees it. Any thread may call it. */
#ifndef CLIENT_TRANSPORT_EXPORTER_H
#define CLIENT_TRANSPORT_EXPORTER_H

#include <stdbool.h>
#include <sys/types.h>

/* The exporter's daemon may be in other namespaces, and knows only the user at the time when the
 * exporter connected. */
struct exporter {
	pid_t pid;
	bool is_ours; /* all its user ids are those of this process */
};

/* Returns false if the process has ended or is not visible in this namespace, or if there is no
 * pidfd (-1). */
bool exporter_find(int pidfd, struct exporter *exporter_out);

#endif
