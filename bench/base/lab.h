/*
 * A private lab for one run: doca-admin, found next to this program or in PATH, starts two daemons
 * and, inside the lab, this program again. Both end together, even if one is killed.
 */
#ifndef BENCH_BASE_LAB_H
#define BENCH_BASE_LAB_H

/* Runs argv without --lab. Returns the exit status of the run inside the lab. */
int lab_run(char **argv);

#endif
