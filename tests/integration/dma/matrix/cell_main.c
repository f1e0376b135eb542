/* One half of a cell, selected by the arguments: SIDE SOCKET. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/integration/dma/matrix/cell.h"

void cell_expect(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	printf("%s:%d: version %d: not so: %s (%s)\n", file, line, DOCA_USE_VERSION, what,
	       strerror(errno));
	fflush(stdout);
	_exit(1);
}

void cell_ok(doca_error_t result, const char *what, const char *file, int line)
{
	if (result == DOCA_SUCCESS)
		return;
	printf("%s:%d: version %d: %s gave %d\n", file, line, DOCA_USE_VERSION, what, (int)result);
	fflush(stdout);
	_exit(1);
}

void cell_send(int sock, const void *data, size_t len)
{
	CELL_EXPECT(send(sock, data, len, MSG_NOSIGNAL) == (ssize_t)len);
}

size_t cell_recv(int sock, void *data, size_t size)
{
	ssize_t n = recv(sock, data, size, 0);

	/* 0: the other half has ended. */
	CELL_EXPECT(n > 0);
	return (size_t)n;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	(strcmp(argv[1], "dpu") == 0 ? cell_dma_dpu : cell_dma_host)(atoi(argv[2]));
	return 0;
}
