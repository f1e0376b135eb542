/* The network between two daemons; see network.h. */
#include "tests/lib/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "util/fd.h"

#define NETWORK_PORT (TLS_LAB_PORT + 1)

enum order { ORDER_PAUSE, ORDER_RESUME, ORDER_DISCONNECT, ORDER_COUNT };

/* --- its process --- */

enum { DOWN, UP, N_ENDS }; /* towards the DPU, towards the host */

static struct {
	int sock, listener, ends[N_ENDS];
	struct sockaddr_in dpu;
	bool holds;
} line;

static void line_disconnect(void)
{
	for (size_t i = 0; i < N_ENDS; i++)
		fd_close(&line.ends[i]);
}

static void line_connect(void)
{
	/* Closing must not look like an orderly end. */
	const struct linger hard = {.l_onoff = 1};

	line_disconnect();
	line.ends[UP] = accept4(line.listener, NULL, NULL, SOCK_CLOEXEC);
	line.ends[DOWN] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(line.ends[DOWN], (struct sockaddr *)&line.dpu, sizeof(line.dpu)) < 0)
		line_disconnect();
	for (size_t i = 0; i < N_ENDS; i++)
		setsockopt(line.ends[i], SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
}

static void line_forward(size_t from)
{
	char bytes[16384];
	ssize_t n = recv(line.ends[from], bytes, sizeof(bytes), 0), sent = 0, r;

	while (n > 0 && sent < n) {
		r = send(line.ends[!from], bytes + sent, (size_t)(n - sent), MSG_NOSIGNAL);
		if (r <= 0)
			n = -1;
		sent += r;
	}
	if (n <= 0)
		line_disconnect();
}

static int line_n_held(void)
{
	int n, sum = 0;

	for (size_t i = 0; i < N_ENDS; i++)
		sum += line.ends[i] >= 0 && ioctl(line.ends[i], FIONREAD, &n) == 0 ? n : 0;
	return sum;
}

static void line_execute(void)
{
	enum order order;
	int n;

	if (recv(line.sock, &order, sizeof(order), 0) != sizeof(order))
		_exit(0);
	if (order == ORDER_DISCONNECT)
		line_disconnect();
	else if (order != ORDER_COUNT)
		line.holds = order == ORDER_PAUSE;
	n = line_n_held();
	(void)send(line.sock, &n, sizeof(n), MSG_NOSIGNAL);
}

static void line_step(void)
{
	struct pollfd fds[2 + N_ENDS] = {
		{.fd = line.sock, .events = POLLIN},
		{.fd = line.ends[UP] >= 0 ? -1 : line.listener, .events = POLLIN},
	};

	for (size_t i = 0; i < N_ENDS; i++)
		fds[2 + i] = (struct pollfd){.fd = line.holds ? -1 : line.ends[i],
					     .events = POLLIN};
	if (poll(fds, ARRAY_LEN(fds), -1) < 0)
		_exit(1);
	if (fds[0].revents != 0)
		line_execute();
	else if (fds[1].revents != 0)
		line_connect();
	for (size_t i = 0; i < N_ENDS; i++) {
		if (fds[2 + i].revents != 0 && line.ends[i] >= 0 && !line.holds)
			line_forward(i);
	}
}

/* --- the test's --- */

static int network_order(const struct network *network, enum order order)
{
	int n;

	lab_send(network->sock, &order, sizeof(order));
	lab_recv(network->sock, &n, sizeof(n));
	return n;
}

void network_pause(const struct network *network)
{
	(void)network_order(network, ORDER_PAUSE);
}

void network_resume(const struct network *network)
{
	(void)network_order(network, ORDER_RESUME);
}

int network_n_held(const struct network *network)
{
	return network_order(network, ORDER_COUNT);
}

void network_disconnect(const struct network *network)
{
	(void)network_order(network, ORDER_DISCONNECT);
}

static int listen_at(const struct tls_lab *tls)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(NETWORK_PORT)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	ck_assert_int_eq(inet_pton(AF_INET, tls->address, &addr.sin_addr), 1);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	line.dpu = addr;
	line.dpu.sin_port = htons(TLS_LAB_PORT);
	return fd;
}

void network_start(struct network *network, struct tls_lab *tls)
{
	char usual[16], own[16], *port;
	int socks[2];

	snprintf(usual, sizeof(usual), ":%d\n", TLS_LAB_PORT);
	snprintf(own, sizeof(own), ":%d\n", NETWORK_PORT);
	port = strstr(tls->config[LAB_HOST], usual);
	ck_assert_ptr_nonnull(port);
	ck_assert_uint_eq(strlen(usual), strlen(own));
	memcpy(port, own, strlen(own));
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks), 0);
	line.listener = listen_at(tls);
	network->pid = fork();
	ck_assert_int_ge(network->pid, 0);
	if (network->pid == 0) {
		fd_close(&socks[1]);
		line.sock = socks[0];
		line.ends[UP] = line.ends[DOWN] = -1;
		for (;;)
			line_step();
	}
	fd_close(&socks[0]);
	fd_close(&line.listener);
	network->sock = socks[1];
}

void network_end(struct network *network)
{
	kill(network->pid, SIGKILL);
	waitpid(network->pid, NULL, 0);
	fd_close(&network->sock);
}
