/*
 * doca-admin lab up, status, down: starts two daemons in a private directory, shows them, ends
 * them. lab/supervisor.c runs them afterwards; lab/lab.c has the state of labs. 'lab exec' has its
 * own file.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/doca-admin/bus/client.h"
#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/lab/lab.h"
#include "tools/doca-admin/lab/paths.h"
#include "tools/doca-admin/lab/supervisor.h"
#include "tools/doca-admin/lab/topology.h"
#include "tools/doca-admin/terminal/print.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/str.h"

#define UP_LIMIT_NS   (20 * NS_PER_SEC)
#define DOWN_LIMIT_NS (15 * NS_PER_SEC)

struct up_options {
	const char *topology;
	struct lab_addresses addresses;
	const char *profile;
	const char *dir;
	bool foreground;
	bool quiet;
};

struct lab_options {
	const char *dir;
	bool all;
	bool json;
};

static const char lab_usage[] =
	"Usage: doca-admin lab up [OPTION...]\n"
	"       doca-admin lab exec [--dir DIR] --side host|dpu -- COMMAND...\n"
	"       doca-admin lab status [--dir DIR] [--json]\n"
	"       doca-admin lab down [--dir DIR | --all]\n"
	"\n"
	"A lab is a host and a DPU daemon in a directory of their own, without root; there may\n"
	"be several. Without --dir a command means the only lab that is up.\n"
	"\n"
	"up:\n"
	"  --topology HOSTFILE[,DPUFILE]  functions of each side; one file may describe both, an\n"
	"                                 empty name means the default\n"
	"  --host PCI[,PCI...]            instead: addresses of the host's functions; a virtual\n"
	"                                 function comes after its port\n"
	"  --dpu PCI[,PCI...]             and of the DPU's; the DPU has representors of the "
	"host's\n"
	"  --ibdev NAME[,NAME...]         names of the InfiniBand devices of the first functions\n"
	"  --ip ADDRESS                   IPv4 address of the host's first function; the DPU's "
	"first\n"
	"                                 has the next one\n"
	"  --for-card bf2|bf3             addresses and names that such a card usually has\n"
	"  --profile NAME                 what the devices report and enforce: unlimited, bf2, "
	"bf3\n"
	"  --dir DIR                      directory of the lab, new or empty (default: a fresh "
	"one)\n"
	"  --foreground                   keep the lab in the terminal, Ctrl-C ends it\n"
	"  --quiet                        print only the directory\n"
	"exec:\n"
	"  runs COMMAND with the environment in which programs find the daemon of that side\n";

/* Reports an option that getopt rejected. */
static int option_bad(const char *command, char **argv)
{
	cmd_fail(0,
		 "'%s' is no option of 'lab %s', or lacks its value; see 'doca-admin lab --help'",
		 argv[optind - 1], command);
	return -EINVAL;
}

static int argument_bad(const char *command, const char *argument)
{
	cmd_fail(0, "'lab %s' takes options only, not '%s'; see 'doca-admin lab --help'", command,
		 argument);
	return -EINVAL;
}

/* Writes DIR/dococored.conf. Returns 0 or -errno. */
static int config_write(const struct lab *lab, const char *profile, char *path, size_t path_len)
{
	FILE *f;
	int r;

	snprintf(path, path_len, "%s/dococored.conf", lab->dir);
	f = fopen(path, "wxe");
	if (!f)
		return -errno;
	fprintf(f, "[daemon]\nprofile = %s\n", profile);
	r = ferror(f) ? -EIO : 0;
	return fclose(f) == 0 ? r : -errno;
}

/*
 * Splits HOSTFILE[,DPUFILE] into absolute names, because a daemon runs in another directory.
 * Returns 0, or -errno after printing the error.
 */
static int topology_split(const char *text, char paths[LAB_N_SIDES][PATH_MAX],
			  const char *names_out[LAB_N_SIDES])
{
	const char *comma = strchr(text, ',');
	char one[PATH_MAX];

	for (int i = 0; i < LAB_N_SIDES; i++) {
		const char *from = i == LAB_DPU && comma ? comma + 1 : text;
		size_t len = i == LAB_HOST && comma ? (size_t)(comma - text) : strlen(from);

		if (len == 0)
			continue;
		if (len >= sizeof(one)) {
			cmd_fail(0, "--topology: the name is too long");
			return -ENAMETOOLONG;
		}
		memcpy(one, from, len);
		one[len] = '\0';
		if (!realpath(one, paths[i])) {
			int r = -errno;

			cmd_fail(0, "--topology: %s: %s", one, strerror(-r));
			return r;
		}
		names_out[i] = paths[i];
	}
	return 0;
}

static int wait_proc(const struct lab_proc *proc, uint64_t deadline_ns)
{
	CLEANUP_FD int fd = lab_proc_open(proc);
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int r;

	if (fd < 0)
		return 0;
	do {
		r = poll(&pfd, 1, clock_poll_timeout(deadline_ns));
	} while (r < 0 && errno == EINTR);
	return r > 0 ? 0 : -ETIMEDOUT;
}

static int wait_all(const struct lab *lab, uint64_t deadline_ns)
{
	int r = 0;

	for (int i = 0; r == 0 && i < LAB_N_SIDES; i++)
		r = wait_proc(&lab->daemons[i], deadline_ns);
	if (r == 0)
		r = wait_proc(&lab->supervisor, deadline_ns);
	return r == 0 ? wait_proc(&lab->keeper, deadline_ns) : r;
}

static void proc_signal(const struct lab_proc *proc, int signo)
{
	CLEANUP_FD int fd = lab_proc_open(proc);

	if (fd >= 0)
		syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0);
}

/* Ends a lab. Returns 0 or -ETIMEDOUT. */
static int lab_end(const struct lab *lab)
{
	int r;

	if (lab_proc_is_up(&lab->supervisor)) {
		proc_signal(&lab->supervisor, SIGTERM);
	} else {
		for (int i = 0; i < LAB_N_SIDES; i++)
			proc_signal(&lab->daemons[i], SIGTERM);
	}
	r = wait_all(lab, clock_now_ns() + DOWN_LIMIT_NS);
	if (r < 0)
		return r;
	/* Both of its processes were killed at once, so this process removes the directory. */
	lab_dir_remove(lab);
	return 0;
}

/* Waits until both daemons answer and are linked. Returns 0, or -errno after printing the error. */
static int lab_wait_linked(const struct lab *lab, uint64_t deadline_ns)
{
	for (int i = 0; i < LAB_N_SIDES; i++) {
		CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
		struct bus_target target = {.dir = lab->dir,
					    .side = lab_side_name((enum lab_side)i)};
		char *error = NULL;
		int r = bus_client_open(&target, &client, &error);

		if (r < 0) {
			fputs(error ? error : "doca-admin: no memory\n", stderr);
			free(error);
			return r;
		}
		r = bus_client_wait_peer(client, deadline_ns);
		if (r < 0) {
			cmd_fail(0, "the %s daemon has no link to the other side: %s",
				 lab_side_name((enum lab_side)i), strerror(-r));
			return r;
		}
	}
	return 0;
}

static void up_print(const struct lab *lab, const struct up_options *o)
{
	if (o->quiet) {
		puts(lab->dir);
		fflush(stdout);
		return;
	}
	printf("lab %s\n\n", lab->dir);
	for (int i = 0; i < LAB_N_SIDES; i++) {
		const char *side = lab_side_name((enum lab_side)i);

		printf("%s side, daemon pid %d:\n"
		       "  export DOCA_SIDE=%s DOCOCORED_SOCKET=%s/%s.sock\n"
		       "  or: doca-admin lab exec --dir %s --side %s -- COMMAND\n",
		       side, (int)lab->daemons[i].pid, side, lab->dir, side, lab->dir, side);
	}
	if (o->foreground)
		puts("\nCtrl-C ends it.");
	else
		printf("\nEnd it with: doca-admin lab down --dir %s\n", lab->dir);
	fflush(stdout);
}

/* Waits until the lab ends, by a signal to this process or by itself. */
static int up_foreground(int *sock, pid_t keeper, int signal_fd)
{
	struct pollfd fds[] = {
		{.fd = signal_fd, .events = POLLIN},
		{.fd = *sock, .events = POLLIN},
	};

	while (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno == EINTR)
		;
	fd_close(sock); /* the supervisor ends the lab when the socket closes */
	while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
		;
	return EXIT_SUCCESS;
}

static int up_failed(const struct lab *lab, int *sock, pid_t keeper)
{
	struct lab now;

	fd_close(sock);
	if (keeper > 0)
		waitpid(keeper, NULL, 0);
	if (lab_load(lab->dir, &now) == 0)
		lab_end(&now);
	else
		lab_dir_remove(lab);
	return EXIT_FAILURE;
}

static int up_run(const struct up_options *o, const struct lab_start *start, struct lab *lab,
		  int signal_fd)
{
	CLEANUP_FD int sock = -1;
	uint64_t deadline_ns = clock_now_ns() + UP_LIMIT_NS;
	char text[4096] = "";
	pid_t keeper = 0;
	int r = lab_supervisor_start(lab, start, &sock, &keeper);

	if (r < 0) {
		lab_dir_remove(lab);
		return cmd_fail(EXIT_FAILURE, "cannot start a process: %s", strerror(-r));
	}
	r = lab_supervisor_wait(sock, deadline_ns, text, sizeof(text));
	if (r == -EIO)
		cmd_fail(0, "%s", text);
	else if (r < 0)
		cmd_fail(0, "the daemons were not ready in time");
	if (r == 0)
		r = lab_load(lab->dir, lab);
	if (r == 0)
		r = lab_wait_linked(lab, deadline_ns);
	if (r == 0 && !o->foreground)
		r = lab_supervisor_commit(sock);
	if (r < 0)
		return up_failed(lab, &sock, keeper);
	up_print(lab, o);
	return o->foreground ? up_foreground(&sock, keeper, signal_fd) : EXIT_SUCCESS;
}

/* Returns the member that stores the option's value unchanged, or NULL for other options. */
static const char **up_option_target(struct up_options *o, int option)
{
	switch (option) {
	case 't':
		return &o->topology;
	case 'H':
		return &o->addresses.host;
	case 'D':
		return &o->addresses.dpu;
	case 'i':
		return &o->addresses.ibdev;
	case 'a':
		return &o->addresses.ip;
	case 'c':
		return &o->addresses.card;
	case 'p':
		return &o->profile;
	case 'd':
		return &o->dir;
	default:
		return NULL;
	}
}

static int up_check(const struct up_options *o)
{
	/* The value becomes a line of a configuration file. */
	if (o->profile &&
	    strspn(o->profile, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(o->profile)) {
		cmd_fail(0, "--profile: '%s' is no profile; there are unlimited, bf2 and bf3",
			 o->profile);
		return -EINVAL;
	}
	if (o->topology && lab_addresses_given(&o->addresses)) {
		cmd_fail(0, "--topology names a file that has the addresses; give that, or --host, "
			    "--dpu, --ibdev, --ip and --for-card");
		return -EINVAL;
	}
	return 0;
}

static int up_parse(int argc, char **argv, struct up_options *o)
{
	static const struct option longs[] = {
		{"topology", required_argument, NULL, 't'},
		{"host", required_argument, NULL, 'H'},
		{"dpu", required_argument, NULL, 'D'},
		{"ibdev", required_argument, NULL, 'i'},
		{"ip", required_argument, NULL, 'a'},
		{"for-card", required_argument, NULL, 'c'},
		{"profile", required_argument, NULL, 'p'},
		{"dir", required_argument, NULL, 'd'},
		{"foreground", no_argument, NULL, 'f'},
		{"quiet", no_argument, NULL, 'q'},
		{0},
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "fq", longs, NULL)) >= 0) {
		const char **value = up_option_target(o, c);

		if (value)
			*value = optarg;
		else if (c == 'f')
			o->foreground = true;
		else if (c == 'q')
			o->quiet = true;
		else
			return option_bad(argv[0], argv);
	}
	if (optind != argc)
		return argument_bad(argv[0], argv[optind]);
	return up_check(o);
}

/* Creates the directory of the lab. Returns 0, or -errno after printing the error. */
static int up_dir_make(const char *dir, struct lab *lab)
{
	int r = lab_dir_make(dir, lab);

	if (r == -EEXIST)
		cmd_fail(0, "%s is not empty: choose a new or an empty directory", dir);
	else if (r == -ENAMETOOLONG)
		cmd_fail(0, "%s: the path of a lab has at most %d characters",
			 dir ? dir : lab_base_dir(), LAB_DIR_MAX - 1);
	else if (r < 0 && !dir)
		cmd_fail(0, "%s: %s; name another place for the lab with --dir", lab_base_dir(),
			 strerror(-r));
	else if (r < 0)
		cmd_fail(0, "%s: %s", dir, strerror(-r));
	return r;
}

/* Names of the files that the daemons read. */
struct up_files {
	char topology[LAB_N_SIDES][PATH_MAX], daemon[PATH_MAX], config[PATH_MAX];
};

/*
 * Writes the files that the options ask for into the lab's directory. Returns 0, or -errno after
 * printing the error.
 */
static int up_write(const struct up_options *o, const struct lab_topology *made,
		    const struct lab *lab, struct up_files *files, struct lab_start *start)
{
	int r = 0;

	if (o->profile) {
		r = config_write(lab, o->profile, files->config, sizeof(files->config));
		start->config = files->config;
	}
	if (r == 0 && made) {
		r = lab_topology_write(made, lab->dir, files->topology[0],
				       sizeof(files->topology[0]));
		for (int side = 0; side < LAB_N_SIDES; side++)
			start->topology[side] = files->topology[0];
	}
	if (r < 0)
		cmd_fail(0, "%s: %s", lab->dir, strerror(-r));
	return r;
}

static int signal_fd_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int up_start(const struct up_options *o, const struct lab_topology *made)
{
	struct up_files files;
	struct lab_start start = {.daemon = files.daemon, .foreground = o->foreground};
	CLEANUP_FD int signal_fd = -1;
	struct lab lab;

	if (lab_paths_find_daemon(files.daemon, sizeof(files.daemon)) < 0)
		return EXIT_FAILURE;
	if (o->topology && topology_split(o->topology, files.topology, start.topology) < 0)
		return EXIT_FAILURE;
	if (up_dir_make(o->dir, &lab) < 0)
		return EXIT_FAILURE;
	if (up_write(o, made, &lab, &files, &start) < 0) {
		lab_dir_remove(&lab);
		return EXIT_FAILURE;
	}
	if (o->foreground)
		signal_fd = signal_fd_open();
	return up_run(o, &start, &lab, signal_fd);
}

static int lab_up(int argc, char **argv)
{
	struct lab_topology *made = NULL;
	struct up_options o = {0};
	int status;

	if (up_parse(argc, argv, &o) < 0)
		return EXIT_USAGE;
	if (lab_addresses_given(&o.addresses) && lab_topology_new(&o.addresses, &made) < 0)
		return EXIT_USAGE;
	status = up_start(&o, made);
	lab_topology_free(made);
	return status;
}

static int options_parse(int argc, char **argv, struct lab_options *o)
{
	static const struct option longs[] = {
		{"dir", required_argument, NULL, 'd'},
		{"all", no_argument, NULL, 'a'},
		{"json", no_argument, NULL, 'j'},
		{0},
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "aj", longs, NULL)) >= 0) {
		if (c == 'd')
			o->dir = optarg;
		else if (c == 'a')
			o->all = true;
		else if (c == 'j')
			o->json = true;
		else
			return option_bad(argv[0], argv);
	}
	if (optind < argc)
		return argument_bad(argv[0], argv[optind]);
	if (o->all && o->dir) {
		cmd_fail(0, "--all means every lab and --dir one of them; give one of the two");
		return -EINVAL;
	}
	return 0;
}

static json_object *status_rows(const struct lab *labs, size_t n)
{
	json_object *rows = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		for (int side = 0; side < LAB_N_SIDES; side++) {
			json_object *row = json_object_new_object();
			bool up = lab_proc_is_up(&labs[i].daemons[side]);
			const char *name = lab_side_name((enum lab_side)side);
			char socket[LAB_DIR_MAX + 16];

			snprintf(socket, sizeof(socket), "%s/%s.sock", labs[i].dir, name);
			json_object_object_add(row, "dir", json_object_new_string(labs[i].dir));
			json_object_object_add(row, "side", json_object_new_string(name));
			json_object_object_add(row, "state",
					       json_object_new_string(up ? "up" : "ended"));
			json_object_object_add(row, "pid",
					       json_object_new_int(labs[i].daemons[side].pid));
			json_object_object_add(row, "supervisor",
					       json_object_new_int(labs[i].supervisor.pid));
			json_object_object_add(row, "socket", json_object_new_string(socket));
			json_object_array_add(rows, row);
		}
	}
	return rows;
}

static int lab_status(int argc, char **argv)
{
	static const struct print_column columns[] = {
		{"dir", "DIRECTORY", PRINT_TEXT, false},
		{"side", "SIDE", PRINT_TEXT, false},
		{"state", "STATE", PRINT_TEXT, false},
		{"pid", "PID", PRINT_NUMBER, false},
	};
	struct lab_options o = {0};
	struct lab one, *all = NULL;
	json_object *rows;
	size_t n = 1;
	int r;

	if (options_parse(argc, argv, &o) < 0)
		return EXIT_USAGE;
	if (o.all)
		return cmd_fail(EXIT_USAGE, "'lab status' shows every lab unless --dir says which; "
					    "--all is for 'lab down'");
	if (o.dir) {
		r = lab_load(o.dir, &one);
		if (r < 0)
			return cmd_fail(EXIT_FAILURE, "%s: there is no lab", o.dir);
	} else {
		r = lab_find_all(&all, &n);
		if (r < 0)
			return cmd_fail(EXIT_FAILURE, "%s", strerror(-r));
	}
	rows = status_rows(o.dir ? &one : all, n);
	if (o.json)
		print_json(stdout, rows);
	else if (n == 0)
		puts("no lab is up; start one with 'doca-admin lab up'");
	else
		print_table(stdout, rows, columns, ARRAY_LEN(columns), print_width(stdout));
	json_object_put(rows);
	free(all);
	return EXIT_SUCCESS;
}

static int down_one(const struct lab *lab)
{
	if (lab_end(lab) < 0)
		return cmd_fail(EXIT_FAILURE, "%s: its processes did not end in time", lab->dir);
	printf("lab %s has ended\n", lab->dir);
	return EXIT_SUCCESS;
}

static int lab_down(int argc, char **argv)
{
	struct lab_options o = {0};
	struct lab one, *all = NULL;
	int r, status = EXIT_SUCCESS;
	size_t n = 0;

	if (options_parse(argc, argv, &o) < 0)
		return EXIT_USAGE;
	if (o.json)
		return cmd_fail(EXIT_USAGE, "--json is for 'lab status', not for 'lab down'");
	if (!o.all)
		return lab_paths_choose(o.dir, &one) < 0 ? EXIT_FAILURE : down_one(&one);
	r = lab_find_all(&all, &n);
	if (r < 0)
		return cmd_fail(EXIT_FAILURE, "%s", strerror(-r));
	if (n == 0)
		puts("no lab is up");
	for (size_t i = 0; i < n; i++)
		if (down_one(&all[i]) != EXIT_SUCCESS)
			status = EXIT_FAILURE;
	free(all);
	return status;
}

int cmd_lab(int argc, char **argv)
{
	if (argc < 2)
		return cmd_fail(EXIT_USAGE, "'lab' takes one of up, exec, status and down; see "
					    "'doca-admin lab --help'");
	/* --help may also follow a subcommand, but not the command of 'lab exec'. */
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    (argc == 3 && strcmp(argv[2], "--help") == 0)) {
		fputs(lab_usage, stdout);
		return EXIT_SUCCESS;
	}
	if (strcmp(argv[1], "up") == 0)
		return lab_up(argc - 1, argv + 1);
	if (strcmp(argv[1], "exec") == 0)
		return cmd_lab_exec(argc - 1, argv + 1);
	if (strcmp(argv[1], "status") == 0)
		return lab_status(argc - 1, argv + 1);
	if (strcmp(argv[1], "down") == 0)
		return lab_down(argc - 1, argv + 1);
	return cmd_fail(EXIT_USAGE,
			"there is no command 'lab %s'; there are up, exec, status and down",
			argv[1]);
}
