/*
 * A lab: two daemons in a private directory and the processes that watch them. The file lab.json in
 * that directory holds the state. Processes are identified by pid and start time, so that a reused
 * pid is never mistaken for a lab's process. Several processes read the state; only the keeper and
 * the supervisor write it.
 */
#ifndef TOOLS_DOCA_ADMIN_LAB_LAB_H
#define TOOLS_DOCA_ADMIN_LAB_LAB_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Leaves room for the longest file name in a lab within the limit of a Unix socket's address. */
#define LAB_DIR_MAX  90
#define LAB_LINK_MAX 256

enum lab_side { LAB_HOST, LAB_DPU, LAB_N_SIDES };

struct lab_proc {
	pid_t pid; /* 0: none */
	uint64_t start_time;
};

struct lab {
	char dir[LAB_DIR_MAX];
	char link[LAB_LINK_MAX]; /* symbolic link by which a lab elsewhere is found; empty: none */
	/* The lab created the directory and removes it with all contents. */
	bool made_dir;
	struct lab_proc keeper;
	struct lab_proc supervisor;
	struct lab_proc daemons[LAB_N_SIDES];
};

const char *lab_side_name(enum lab_side side);
/* Returns 0 or -EINVAL. */
int lab_side_parse(const char *text, enum lab_side *side_out);

/* Returns the start time of a running process, or 0. */
uint64_t lab_proc_start_time(pid_t pid);
/* Opens a pidfd of exactly that process. Returns -ESRCH if it has ended. */
int lab_proc_open(const struct lab_proc *proc);
bool lab_proc_is_up(const struct lab_proc *proc);

/* Returns the base directory of new labs: XDG_RUNTIME_DIR if it exists, else TMPDIR, else /tmp. */
const char *lab_base_dir(void);
/*
 * Creates the directory: dir, which must not exist or must be empty, or a new one if dir is NULL.
 * Fills in dir, link and made_dir. Returns 0 or -errno: -EEXIST if it is not empty or is a lab,
 * -ENAMETOOLONG, ...
 */
int lab_dir_make(const char *dir, struct lab *lab_out);
/* Removes what the lab created. Call it only when its daemons have ended. */
void lab_dir_remove(const struct lab *lab);

int lab_save(const struct lab *lab);
/*
 * Reads DIR/lab.json. Returns 0; -ENOENT: no lab there; -EPERM: another user's lab; -EINVAL:
 * damaged.
 */
int lab_load(const char *dir, struct lab *lab_out);
/* True if any of its processes exists. */
bool lab_is_up(const struct lab *lab);
/* Lists the labs of this user, up or not. The caller frees the list. Returns 0 or -errno. */
int lab_find_all(struct lab **labs_out, size_t *n_labs_out);

#endif
