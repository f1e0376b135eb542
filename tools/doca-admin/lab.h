/*
 * A lab: two daemons in a private directory and the processes that keep them. Its state is the file
 * lab.json in that directory; processes are named by pid and start time, so that a pid that was
 * used again is never taken for ours. Several processes read the state, only the keeper and the
 * supervisor write it.
 */
#ifndef TOOLS_DOCA_ADMIN_LAB_H
#define TOOLS_DOCA_ADMIN_LAB_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Room for the longest file name in a lab under the limit of a Unix socket's address. */
#define LAB_DIR_MAX  90
#define LAB_LINK_MAX 256

enum lab_side { LAB_HOST, LAB_DPU, LAB_N_SIDES };

struct lab_proc {
	pid_t pid; /* 0: none */
	uint64_t start_time;
};

struct lab {
	char dir[LAB_DIR_MAX];
	char link[LAB_LINK_MAX]; /* where a lab elsewhere is found by; empty: none */
	bool made_dir;           /* the directory is ours and goes with everything in it */
	struct lab_proc keeper;
	struct lab_proc supervisor;
	struct lab_proc daemons[LAB_N_SIDES];
};

const char *lab_side_name(enum lab_side side);
/* 0 or -EINVAL. */
int lab_side_parse(const char *text, enum lab_side *side_out);

/* Start time of a running process, or 0. */
uint64_t lab_proc_start_time(pid_t pid);
/* A pidfd of exactly that process, or -ESRCH when it has ended. */
int lab_proc_open(const struct lab_proc *proc);
bool lab_proc_is_up(const struct lab_proc *proc);

/* Directory for fresh labs: XDG_RUNTIME_DIR if it is there, else TMPDIR, else /tmp. */
const char *lab_base_dir(void);
/*
 * Makes the directory: dir, which must not exist or be empty, or a fresh one when NULL. Fills dir,
 * link and made_dir. 0 or -errno: -EEXIST not empty or a lab, -ENAMETOOLONG, ...
 */
int lab_dir_make(const char *dir, struct lab *lab_out);
/* Removes what the lab made. Only once its daemons have ended. */
void lab_dir_remove(const struct lab *lab);

int lab_save(const struct lab *lab);
/* Reads DIR/lab.json. 0; -ENOENT: no lab there; -EPERM: not this user's; -EINVAL: damaged. */
int lab_load(const char *dir, struct lab *lab_out);
/* Any of its processes is there. */
bool lab_is_up(const struct lab *lab);
/* Labs of this user, up or not; the caller frees. 0 or -errno. */
int lab_find_all(struct lab **labs_out, size_t *n_labs_out);

#endif
