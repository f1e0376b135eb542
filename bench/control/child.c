/* See bench/control/control.h. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_dma.h>
#include <doca_mmap.h>

#include "bench/base/device.h"
#include "bench/control/control.h"
#include "util/clock.h"

#define MAP_LEN 64u
/* An answer may take as long as a hundred thousand exports. */
#define ANSWER_LIMIT_MS 120000

struct child {
	int sock;
	const char *dir;
	struct control_shared *shared;
	struct doca_dev *dev;
	struct doca_devinfo **infos;
	struct doca_mmap *offer, *taken;
	uint8_t *memory;
	int echo_fd;
};

static int echo_connect(const char *dir)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/echo.sock", dir);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
		bench_die("control: cannot connect to %s: %m", addr.sun_path);
	return fd;
}

static void echo_once(int fd)
{
	uint8_t packet[CONTROL_ECHO_LEN] = {0};

	if (send(fd, packet, sizeof(packet), 0) != (ssize_t)sizeof(packet) ||
	    recv(fd, packet, sizeof(packet), 0) != (ssize_t)sizeof(packet))
		bench_die("control: the echo server does not answer: %m");
}

static doca_error_t any_device(const struct doca_devinfo *info)
{
	(void)info;
	return DOCA_SUCCESS;
}

static void do_connect(struct child *c)
{
	c->dev = device_open(any_device, "open a device");
}

static struct doca_mmap *map_started(struct child *c, uint64_t i)
{
	struct doca_mmap *map;

	bench_check(doca_mmap_create(&map), "create a map");
	bench_check(doca_mmap_set_memrange(map, c->memory + i * MAP_LEN, MAP_LEN), "set a range");
	bench_check(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
							   DOCA_ACCESS_FLAG_PCI_READ_WRITE),
		    "set the permissions");
	bench_check(doca_mmap_add_dev(map, c->dev), "add the device");
	bench_check(doca_mmap_start(map), "start a map");
	return map;
}

/* The exports end with the process. */
static void do_export(struct child *c, uint64_t n)
{
	const void *payload;
	size_t len;
	uint64_t i;

	c->memory = bench_alloc(n, MAP_LEN);
	for (i = 0; i < n; i++)
		bench_check(doca_mmap_export_pci(map_started(c, i), c->dev, &payload, &len),
			    "export a map");
}

static void do_offer(struct child *c, struct control_msg *msg)
{
	const void *payload;
	uint64_t start_ns;
	size_t len;

	if (c->memory == NULL)
		c->memory = bench_alloc(1, MAP_LEN);
	c->offer = map_started(c, 0);
	start_ns = clock_now_ns();
	bench_check(doca_mmap_export_pci(c->offer, c->dev, &payload, &len), "export a map");
	msg->ns = clock_now_ns() - start_ns;
	msg->payload_len = (uint32_t)len;
	memcpy(msg->payload, payload, len);
}

static void do_import(struct child *c, struct control_msg *msg)
{
	uint64_t start_ns = clock_now_ns();

	bench_check(doca_mmap_create_from_export(NULL, msg->payload, msg->payload_len, c->dev,
						 &c->taken),
		    "import a map");
	msg->ns = clock_now_ns() - start_ns;
}

static void do_drop(struct child *c)
{
	if (c->taken != NULL)
		bench_check(doca_mmap_destroy(c->taken), "destroy an import");
	if (c->offer != NULL)
		bench_check(doca_mmap_destroy(c->offer), "destroy a map");
	c->taken = c->offer = NULL;
}

/* Makes two requests: open and close. */
static uint64_t ask_once(struct child *c)
{
	struct doca_dev *dev;

	bench_check(doca_dev_open(c->infos[0], &dev), "open a device");
	bench_check(doca_dev_close(dev), "close a device");
	return 2;
}

static uint64_t echo_twice(struct child *c)
{
	echo_once(c->echo_fd);
	echo_once(c->echo_fd);
	return 2;
}

static void run_until_over(struct child *c, struct control_msg *msg,
			   uint64_t (*once)(struct child *c))
{
	uint64_t now_ns = clock_now_ns();

	msg->n = msg->worst_ns = 0;
	/* Runs at least once: a wait that outlasts all others is the worst case. */
	do {
		uint64_t start_ns = now_ns;

		msg->n += once(c);
		now_ns = clock_now_ns();
		msg->worst_ns = MAX(msg->worst_ns, now_ns - start_ns);
	} while (!atomic_load(&c->shared->is_over));
}

static void do_ask(struct child *c, struct control_msg *msg)
{
	uint32_t n;

	if (c->infos == NULL)
		bench_check(doca_devinfo_create_list(&c->infos, &n), "list the devices");
	/*
	 * Closes the device of CONNECT: with a device still open, the library would only count
	 * references.
	 */
	if (c->dev != NULL)
		bench_check(doca_dev_close(c->dev), "close a device");
	c->dev = NULL;
	run_until_over(c, msg, ask_once);
}

static void do_echo(struct child *c, struct control_msg *msg)
{
	if (c->echo_fd < 0)
		c->echo_fd = echo_connect(c->dir);
	run_until_over(c, msg, echo_twice);
}

static void do_trip(struct child *c, struct control_msg *msg)
{
	uint64_t start_ns;

	if (c->echo_fd < 0)
		c->echo_fd = echo_connect(c->dir);
	start_ns = clock_now_ns();
	echo_once(c->echo_fd);
	msg->ns = clock_now_ns() - start_ns;
}

static void child_do(struct child *c, struct control_msg *msg)
{
	switch ((enum control_op)msg->op) {
	case CONTROL_CONNECT:
		do_connect(c);
		break;
	case CONTROL_EXPORT:
		do_export(c, msg->n);
		break;
	case CONTROL_OFFER:
		do_offer(c, msg);
		break;
	case CONTROL_IMPORT:
		do_import(c, msg);
		break;
	case CONTROL_DROP:
		do_drop(c);
		break;
	case CONTROL_ASK:
		do_ask(c, msg);
		break;
	case CONTROL_ECHO:
		do_echo(c, msg);
		break;
	case CONTROL_TRIP:
		do_trip(c, msg);
		break;
	case CONTROL_N_OPS:
		break;
	}
}

static void child_main(struct child *c)
{
	struct control_msg msg;

	while (recv(c->sock, &msg, sizeof(msg), 0) == (ssize_t)sizeof(msg)) {
		child_do(c, &msg);
		if (send(c->sock, &msg, sizeof(msg), MSG_NOSIGNAL) != (ssize_t)sizeof(msg))
			break;
	}
}

struct control_child control_child_fork(int *sock_out)
{
	pid_t parent = getpid();
	int socks[2];
	pid_t pid;

	fflush(NULL);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		bench_die("control: no socket: %m");
	pid = fork();
	if (pid < 0)
		bench_die("cannot start a process: %m");
	if (pid > 0) {
		close(socks[1]);
		return (struct control_child){.pid = pid, .sock = socks[0]};
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	close(socks[0]);
	*sock_out = socks[1];
	return (struct control_child){.sock = -1};
}

struct control_child control_child_start(const char *dir, enum bench_side side,
					 struct control_shared *shared)
{
	struct child c = {.dir = dir, .shared = shared, .echo_fd = -1};
	struct control_child child = control_child_fork(&c.sock);
	char path[160];

	if (child.sock >= 0)
		return child;
	snprintf(path, sizeof(path), "%s/%s.sock", dir, bench_side_name(side));
	setenv("DOCOCORED_SOCKET", path, 1);
	setenv("DOCA_SIDE", bench_side_name(side), 1);
	child_main(&c);
	_exit(EXIT_SUCCESS);
}

void control_child_send(const struct control_child *child, const struct control_msg *msg)
{
	if (send(child->sock, msg, sizeof(*msg), MSG_NOSIGNAL) != (ssize_t)sizeof(*msg))
		bench_die("control: a process of the test ended early");
}

void control_child_await(const struct control_child *child, struct control_msg *msg_out)
{
	struct pollfd poll_fd = {.fd = child->sock, .events = POLLIN};

	if (poll(&poll_fd, 1, ANSWER_LIMIT_MS) <= 0 ||
	    recv(child->sock, msg_out, sizeof(*msg_out), 0) != (ssize_t)sizeof(*msg_out))
		bench_die("control: a process of the test ended early, or does not answer");
}

void control_child_call(const struct control_child *child, struct control_msg *msg)
{
	control_child_send(child, msg);
	control_child_await(child, msg);
}

void control_child_end(struct control_child *child)
{
	if (child->pid <= 0)
		return;
	close(child->sock);
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
}
