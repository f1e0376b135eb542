/*
 * Determines the side of this machine: from the configuration, or, if that is `auto` or missing, by
 * detection. A DPU is recognised by its own hardware only: its firmware names it in the device
 * tree, in the DMI table, or by ACPI devices that only the Arm side of a card has. A BlueField
 * function on the PCI bus proves nothing, because both sides see one; it only improves the
 * explanation. Creates no threads.
 */
#ifndef DAEMON_TOPOLOGY_SIDE_H
#define DAEMON_TOPOLOGY_SIDE_H

#include <stddef.h>

#include "daemon/base/ini_file.h"
#include "daemon/topology/topology.h"

struct side_finding {
	enum side side;
	char why[200]; /* for the log, for example "the DMI product name is 'BlueField-2 ...'" */
};

/* Detects the side. root: "" for this machine; tests pass a directory with sys/ in it. */
void side_detect(const char *root, struct side_finding *finding_out);
/* Parses "auto", "host" or "dpu". Returns 0 for a side, 1 for auto, or -EINVAL. */
int side_parse_choice(const char *text, enum side *side_out);
/*
 * Uses the key 'side' of section [daemon], or else detection. config_file may be NULL. Returns
 * -EINVAL and a sentence if the key is invalid. Other mistakes in the file are reported when it is
 * loaded.
 */
int side_choose(const char *config_file, const char *root, struct side_finding *finding_out,
		struct ini_error *error);

#endif
