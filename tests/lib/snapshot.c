/* Snapshots of waiting processes; see tests/lib/snapshot.h. */
#include "tests/lib/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/lib/runner.h"
#include "util/fd.h"
#include "util/util.h"

#define MAPS_MAX 64u /* channels shown of one process */

/* Reads a small file of /proc as one line. */
static void read_line(const char *path, char *text, size_t len)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, len - 1);

	n = MAX(n, (ssize_t)0);
	for (ssize_t i = 0; i < n; i++)
		if (text[i] == '\0' || text[i] == '\n')
			text[i] = ' ';
	text[n] = '\0';
}

static bool is_in_group(pid_t pid)
{
	return getpgid(pid) == getpgrp();
}

/* --- threads --- */

static void show_threads(FILE *out, pid_t pid)
{
	char path[300], text[512];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (dir == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/syscall", (int)pid, entry->d_name);
		read_line(path, text, sizeof(text));
		fprintf(out, "  thread %s: system call %s\n", entry->d_name, text);
	}
	closedir(dir);
}

static void show_stacks(FILE *out, pid_t pid)
{
	char command[128], line[512];
	FILE *gdb;

	snprintf(command, sizeof(command),
		 "timeout 20 gdb -nx -batch -p %d -ex 'thread apply all bt' 2>/dev/null", (int)pid);
	gdb = popen(command, "re");
	if (gdb == NULL)
		return;
	while (fgets(line, sizeof(line), gdb) != NULL)
		if (line[0] == '#' || strncmp(line, "Thread", 6) == 0)
			fprintf(out, "  %s", line);
	pclose(gdb);
}

/* --- descriptors --- */

static void show_descriptor(FILE *out, pid_t pid, const char *number)
{
	char path[300], target[128], text[1024];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, number);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	text[0] = '\0';
	if (strncmp(target, "anon_inode:", 11) == 0) {
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid, number);
		read_line(path, text, sizeof(text));
	}
	fprintf(out, "  descriptor %s: %s %s\n", number, target, text);
}

static void show_descriptors(FILE *out, pid_t pid)
{
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (dir == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			show_descriptor(out, pid, entry->d_name);
	closedir(dir);
}

/* --- message rings --- */

static void show_ring(FILE *out, const struct channel_ring_ctl *ctl)
{
	fprintf(out,
		"    consumed %" PRIu64 " bytes, %" PRIu64
		" messages; sleep words: consumer %u, producer %u; closed %u\n",
		ctl->consumed_pos, ctl->consumed_msgs, ctl->armed, ctl->space_armed, ctl->closed);
}

static void show_channel(FILE *out, int mem, uint64_t at)
{
	struct channel_header header;

	if (pread(mem, &header, sizeof(header), (off_t)at) != (ssize_t)sizeof(header))
		return;
	fprintf(out, "  channel at %#" PRIx64 ", rings of %u bytes\n", at, header.ring_len);
	for (size_t i = 0; i < ARRAY_LEN(header.ring); i++)
		show_ring(out, &header.ring[i]);
}

static void show_channels(FILE *out, pid_t pid)
{
	char path[64], line[512];
	CLEANUP_FD int mem = -1;
	unsigned n = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps != NULL && n < MAPS_MAX && fgets(line, sizeof(line), maps) != NULL) {
		uint64_t at, offset;

		if (strstr(line, "memfd:dococored-channel") == NULL ||
		    sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64, &at, &offset) != 2 || offset != 0)
			continue;
		show_channel(out, mem, at);
		n++;
	}
	if (maps != NULL)
		fclose(maps);
}

/* --- public calls --- */

static void show_process(FILE *out, pid_t pid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	read_line(path, text, sizeof(text));
	fprintf(out, "process %d: %s\n", (int)pid, text);
	show_threads(out, pid);
	show_descriptors(out, pid);
	show_channels(out, pid);
	if (pid != getpid())
		show_stacks(out, pid);
}

void snapshot_record(void)
{
	static bool was_recorded;
	char path[200];
	FILE *out;
	DIR *dir;

	if (was_recorded)
		return;
	was_recorded = true;
	snprintf(path, sizeof(path), "%s/snapshot-%d.log", runner_dir(), (int)getpid());
	out = fopen(path, "we");
	dir = out != NULL ? opendir("/proc") : NULL;
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir));) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 0 && is_in_group(pid))
			show_process(out, pid);
	}
	if (dir != NULL)
		closedir(dir);
	if (out != NULL)
		fclose(out);
}
