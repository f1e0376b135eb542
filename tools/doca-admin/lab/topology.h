/*
 * The topology of a lab that is described by addresses instead of a file: functions of the host,
 * functions of the DPU, and a representor for each function of the host. For programs with
 * addresses in their sources. Owner: one command.
 */
#ifndef TOOLS_DOCA_ADMIN_LAB_TOPOLOGY_H
#define TOOLS_DOCA_ADMIN_LAB_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

/* Values of the options of 'lab up', as they were given; NULL: not given. */
struct lab_addresses {
	const char *host;  /* PCI addresses with commas between them */
	const char *dpu;   /* likewise */
	const char *ibdev; /* names of InfiniBand devices with commas between them */
	const char *ip;    /* IPv4 address of the first function */
	const char *card;  /* bf2 or bf3 */
};

struct lab_topology;

/* True if at least one of the options was given. */
bool lab_addresses_given(const struct lab_addresses *addresses);
/* Reads the options. 0, or -errno after one sentence on standard error. */
int lab_topology_new(const struct lab_addresses *addresses, struct lab_topology **topology_out);
/* Accepts NULL. Returns NULL. */
struct lab_topology *lab_topology_free(struct lab_topology *topology);
/*
 * Writes the file DIR/lab.topology, which describes both sides, and its name to path_out. 0 or
 * -errno.
 */
int lab_topology_write(const struct lab_topology *topology, const char *dir, char *path_out,
		       size_t len);

#endif
