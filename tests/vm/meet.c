/* Synchronisation of two processes; see tests/vm/meet.h. */
#include "tests/vm/meet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME_LEN 128

void fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	printf("FAIL: %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

void meet_put(int sock, const void *data, size_t len)
{
	check(send(sock, data, len, MSG_NOSIGNAL) == (ssize_t)len, "the other end is gone: %m");
}

void meet_get(int sock, void *data, size_t len)
{
	check(recv(sock, data, len, MSG_WAITALL) == (ssize_t)len, "the other end is gone: %m");
}

void meet_step(int sock)
{
	char mark = 's', other = 0;

	meet_put(sock, &mark, 1);
	meet_get(sock, &other, 1);
	check(other == mark, "the ends are out of step");
}

/* Pairs that run concurrently have different ports. */
static uint16_t tcp_port(void)
{
	const char *asked = getenv("MEET_PORT");

	return htons(asked != NULL ? (uint16_t)strtoul(asked, NULL, 10) : 18600);
}

/* Returns true if the other end runs the same case, and is not left over from another one. */
static bool is_same(int sock, const char *name)
{
	struct timeval time_limit = {.tv_sec = 2 * TIMEOUT_S};
	char own[NAME_LEN] = "", other[NAME_LEN] = "";

	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &time_limit, sizeof(time_limit));
	snprintf(own, sizeof(own), "%s %s", program_invocation_short_name, name);
	if (send(sock, own, sizeof(own), MSG_NOSIGNAL) != (ssize_t)sizeof(own) ||
	    recv(sock, other, sizeof(other), MSG_WAITALL) != (ssize_t)sizeof(other))
		return false;
	if (memcmp(own, other, sizeof(own)) == 0)
		return true;
	printf("met '%.*s', not '%s'\n", (int)sizeof(other), other, own);
	return false;
}

static int tcp_listen(const char *name)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = tcp_port()};
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, sock;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	check(bind(listener, (struct sockaddr *)&addr, sizeof(addr)) == 0, "%m");
	check(listen(listener, 1) == 0, "%m");
	while ((sock = accept(listener, NULL, NULL)) >= 0 && !is_same(sock, name))
		close(sock);
	close(listener);
	return sock;
}

static int tcp_connect(const char *to, const char *name)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = tcp_port()};
	const struct timespec pause = {.tv_nsec = 20000000};
	time_t end = time(NULL) + TIMEOUT_S;

	check(inet_pton(AF_INET, to, &addr.sin_addr) == 1, "%s", to);
	while (time(NULL) < end) {
		int sock = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(sock, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
		    is_same(sock, name))
			return sock;
		close(sock);
		nanosleep(&pause, NULL);
	}
	return -1;
}

int meet_open(const char *name, bool is_server, const char *addr)
{
	int sock = is_server ? tcp_listen(name) : tcp_connect(addr, name), one = 1;

	check(sock >= 0, "no connection to the other end: %m");
	setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return sock;
}

bool meet_is_notified(void)
{
	const char *mark = getenv("MEET_MARK");

	check(mark != NULL, "MEET_MARK is a file that is not there yet");
	return unlink(mark) == 0;
}

void meet_await_notified(void)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	time_t until = time(NULL) + TIMEOUT_S;

	while (!meet_is_notified()) {
		nanosleep(&pause, NULL);
		check(time(NULL) < until, "nobody tells");
	}
}

void meet_send(const char *word)
{
	puts(word);
	fflush(stdout);
}

/* --- without the network --- */

static void run(const char *command)
{
	int status = system(command);

	check(status == 0, "%s: status %d", command, status);
}

void meet_disconnect_network(void)
{
	run("tc qdisc add dev $nic root netem loss 100%");
}

void meet_join_network(void)
{
	run("tc qdisc del dev $nic root");
}

static void mark_path(char *path, size_t len)
{
	const char *dir = getenv("VM_OUT");

	check(dir != NULL, "VM_OUT is the directory for results");
	snprintf(path, len, "%s/.beside", dir);
}

void meet_send_by_process(void)
{
	char path[512];
	FILE *f;

	mark_path(path, sizeof(path));
	/*
	 * The other machine may remove an earlier file between lookup and open. In that case 9p
	 * opens without creating the file.
	 */
	do
		f = fopen(path, "we");
	while (f == NULL && errno == ENOENT);
	check(f != NULL && fclose(f) == 0, "%s: %m", path);
}

void meet_await_other_process(void)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	time_t until = time(NULL) + TIMEOUT_S;
	char path[512];

	mark_path(path, sizeof(path));
	while (unlink(path) != 0) {
		nanosleep(&pause, NULL);
		check(time(NULL) < until, "nobody tells");
	}
}
