/*
 * A private mount namespace with one additional folder, empty and writable, whatever exists at its
 * place. Everything else is unchanged. Owner: the process that enters; the namespace ends with the
 * last process inside.
 */
#ifndef TOOLS_DOCA_ADMIN_SDK_MOUNT_NS_H
#define TOOLS_DOCA_ADMIN_SDK_MOUNT_NS_H

/* Reason of a failure; the caller prints what to do. */
enum mount_ns_result {
	MOUNT_NS_OK,
	MOUNT_NS_REFUSED, /* this user may not create namespaces or mount in them */
	MOUNT_NS_FAILED,  /* another error */
};

/*
 * Moves the calling process, which must have one thread, into such a namespace. A process with the
 * right to mount stays in its user namespace; another process gets a new one in which it keeps its
 * uid and gid. slot is an absolute path. The working directory is resolved again by its path.
 * Prints the error.
 */
enum mount_ns_result mount_ns_enter(const char *slot);

#endif
