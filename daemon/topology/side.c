/* Detection of host or DPU; see side.h. */
#include "daemon/topology/side.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/util.h"

#define SIDE_PATH_LEN 512

/* Files in which the firmware of a DPU names the product. */
static const char *const dmi_files[] = {"product_name", "product_family", "board_name"};
static const char *const device_tree_files[] = {
	"sys/firmware/devicetree/base/compatible",
	"sys/firmware/devicetree/base/model",
};
/* ACPI devices that only the Arm side has: its message FIFO, boot control, management port. */
static const char acpi_prefix[] = "MLNXBF";

/* PCI ids of the network function of each BlueField generation. Both sides see this function. */
static const unsigned long pci_bluefield[] = {0xa2d2, 0xa2d6, 0xa2dc, 0xa2df};
#define PCI_VENDOR 0x15b3ul

/*
 * Reads a file. Returns the number of bytes, or 0 if there is no such file. NULs, which separate
 * items in a device tree, are replaced by blanks.
 */
static size_t side_read(const char *root, const char *name, char *text, size_t text_len)
{
	char path[SIDE_PATH_LEN];
	CLEANUP_FD int fd = -1;
	ssize_t n;

	text[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/%s", root, name) >= (int)sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, text_len - 1);
	if (n <= 0)
		return 0;
	for (ssize_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)text[i]))
			text[i] = ' ';
	while (n > 0 && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	return (size_t)n;
}

static bool side_is_dmi(const char *root, struct side_finding *finding)
{
	char name[64], text[100];

	for (size_t i = 0; i < ARRAY_LEN(dmi_files); i++) {
		snprintf(name, sizeof(name), "sys/class/dmi/id/%s", dmi_files[i]);
		if (side_read(root, name, text, sizeof(text)) == 0 ||
		    !strcasestr(text, "bluefield"))
			continue;
		snprintf(finding->why, sizeof(finding->why), "DMI %s is '%s'", dmi_files[i], text);
		return true;
	}
	return false;
}

static bool side_is_device_tree(const char *root, struct side_finding *finding)
{
	char text[100];

	for (size_t i = 0; i < ARRAY_LEN(device_tree_files); i++) {
		if (side_read(root, device_tree_files[i], text, sizeof(text)) == 0 ||
		    !strcasestr(text, "bluefield"))
			continue;
		snprintf(finding->why, sizeof(finding->why), "the device tree says '%s'", text);
		return true;
	}
	return false;
}

/* Calls fn for each name in the directory until it returns true. */
static bool side_any(const char *root, const char *dir,
		     bool (*fn)(const char *root, const char *name, struct side_finding *finding),
		     struct side_finding *finding)
{
	char path[SIDE_PATH_LEN];
	struct dirent *entry;
	bool found = false;
	DIR *list;

	if (snprintf(path, sizeof(path), "%s/%s", root, dir) >= (int)sizeof(path))
		return false;
	list = opendir(path);
	if (!list)
		return false;
	while (!found && (entry = readdir(list)))
		found = entry->d_name[0] != '.' && fn(root, entry->d_name, finding);
	closedir(list);
	return found;
}

static bool side_is_acpi(const char *root, const char *name, struct side_finding *finding)
{
	(void)root;
	if (strncmp(name, acpi_prefix, sizeof(acpi_prefix) - 1) != 0)
		return false;
	snprintf(finding->why, sizeof(finding->why), "ACPI has the device %.60s", name);
	return true;
}

static bool side_pci_value(const char *root, const char *name, const char *file,
			   unsigned long *value_out)
{
	char path[SIDE_PATH_LEN], text[32];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%.200s/%s", name, file);
	return side_read(root, path, text, sizeof(text)) > 0 && sscanf(text, "%lx", value_out) == 1;
}

static bool side_has_card(const char *root, const char *name, struct side_finding *finding)
{
	unsigned long vendor, device;

	if (!side_pci_value(root, name, "vendor", &vendor) || vendor != PCI_VENDOR ||
	    !side_pci_value(root, name, "device", &device))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(pci_bluefield); i++) {
		if (pci_bluefield[i] != device)
			continue;
		snprintf(finding->why, sizeof(finding->why),
			 "a BlueField card (15b3:%04lx) is at %.60s, and this is not its Arm side",
			 device, name);
		return true;
	}
	return false;
}

void side_detect(const char *root, struct side_finding *finding_out)
{
	struct side_finding finding = {.side = SIDE_DPU};

	if (!side_is_dmi(root, &finding) && !side_is_device_tree(root, &finding) &&
	    !side_any(root, "sys/bus/acpi/devices", side_is_acpi, &finding)) {
		finding.side = SIDE_HOST;
		if (!side_any(root, "sys/bus/pci/devices", side_has_card, &finding))
			snprintf(finding.why, sizeof(finding.why),
				 "nothing in DMI, device tree or ACPI says BlueField");
	}
	*finding_out = finding;
}

int side_parse_choice(const char *text, enum side *side_out)
{
	if (strcmp(text, "auto") == 0)
		return 1;
	return side_parse(text, side_out) < 0 ? -EINVAL : 0;
}

struct side_reading {
	struct side_finding *finding;
	bool is_given, is_wrong;
};

/* Other mistakes in the file are reported when it is loaded. */
static int side_entry(void *user, const struct ini_position *at, const char *section,
		      const char *key, const char *value)
{
	struct side_reading *in = user;
	int r;

	if (!key || strcmp(section, "daemon") != 0 || strcmp(key, "side") != 0)
		return 0;
	r = side_parse_choice(value, &in->finding->side);
	in->is_wrong |= r < 0;
	if (r < 0)
		return ini_refuse_key(at, key, "'%.60s' is not allowed; allowed: auto, host, dpu",
				      value);
	in->is_given = r == 0;
	if (in->is_given)
		snprintf(in->finding->why, sizeof(in->finding->why), "%.150s says so", at->file);
	return 0;
}

int side_choose(const char *config_file, const char *root, struct side_finding *finding_out,
		struct ini_error *error)
{
	struct side_finding finding = {.why = ""};
	struct side_reading in = {.finding = &finding};

	if (config_file)
		(void)ini_file_read(config_file, side_entry, &in, error);
	if (in.is_wrong)
		return -EINVAL;
	if (!in.is_given)
		side_detect(root, &finding);
	*finding_out = finding;
	return 0;
}
