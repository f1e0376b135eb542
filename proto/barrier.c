/* See proto/barrier.h. */
#include "proto/barrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool barrier_call(int command)
{
	int saved = errno;
	bool ok = syscall(SYS_membarrier, command, 0, 0) == 0;

	errno = saved;
	return ok;
}

bool barrier_register(void)
{
	return barrier_call(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

bool barrier_others(void)
{
	return barrier_call(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}
