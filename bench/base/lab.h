/* A private lab for one run: doca-admin, found next to this program or in PATH, starts two daemons
 * and this program again inside; both end with it, also when it is killed. */
#ifndef BENCH_BASE_LAB_H
#define BENCH_BASE_LAB_H

/* argv without --lab. The exit status of the run inside. */
int lab_run(char **argv);

#endif
