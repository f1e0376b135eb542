/*
 * Which side this machine is: what the configuration says, and if that is `auto` (or nothing), what
 * the machine looks like. A DPU is told by its own hardware and nothing else: its firmware names it
 * in the device tree, in the DMI table or by ACPI devices that only the Arm side of a card has. A
 * BlueField function on the PCI bus proves nothing, both sides see one; it only makes the sentence
 * better. Threads: none.
 */
#ifndef DAEMON_TOPOLOGY_SIDE_H
#define DAEMON_TOPOLOGY_SIDE_H

#include <stddef.h>

#include "daemon/base/ini_file.h"
#include "daemon/topology/topology.h"

struct side_finding {
	enum side side;
	char why[200]; /* for the log: "the DMI product name is 'BlueField-2 ...'" */
};

/* root: "" for this machine, a directory with sys/ in tests. */
void side_detect(const char *root, struct side_finding *finding_out);
/* "auto", "host" or "dpu". 0: it names a side; 1: auto; -EINVAL. */
int side_parse_choice(const char *text, enum side *side_out);
/* Key 'side' of section [daemon], else detection. config_file may be NULL. -EINVAL and a sentence
 * when the key is wrong; what else is wrong with the file is said when it is loaded. */
int side_choose(const char *config_file, const char *root, struct side_finding *finding_out,
		struct ini_error *error);

#endif
