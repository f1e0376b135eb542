/*
 * A private mount namespace in which one more folder exists, empty and writable, whatever the file
 * system has in its place. Everything else is as it was. Owner: the process that enters; nothing
 * of it outlives the processes inside.
 */
#ifndef TOOLS_DOCA_ADMIN_MOUNT_NS_H
#define TOOLS_DOCA_ADMIN_MOUNT_NS_H

/* Why it does not work; the caller says what to do. */
enum mount_ns_result {
	MOUNT_NS_OK,
	MOUNT_NS_REFUSED, /* this user may not make namespaces or mount in them */
	MOUNT_NS_FAILED,  /* another error */
};

/*
 * Moves the calling process, which must have one thread, into such a namespace. With the right to
 * mount it stays in its user namespace; without, it gets one in which it keeps its uid and gid.
 * place is an absolute path. The working directory becomes the one that its path leads to now. The
 * error was printed.
 */
enum mount_ns_result mount_ns_enter(const char *place);

#endif
