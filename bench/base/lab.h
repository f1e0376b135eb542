/*
 * A private lab for one run: doca-admin, found next to this program or in PATH, starts two daemons
 * and, inside the lab, this program again. Both end together, even if one is killed.
 */
#ifndef BENCH_BASE_LAB_H
#define BENCH_BASE_LAB_H

/* Environment variable that lab_run() sets for the run. */
#define LAB_RUN_ENV "DOCOCORED_BENCH_LAB"

/* Runs argv without --lab. Returns the exit status of the run inside the lab. */
int lab_run(char **argv);

#endif
