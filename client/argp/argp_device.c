/*
 * DEVICE and DEVICE_REP parameters: from the user's text to open devices, through public calls
 * only.
 *
 * A device is named "ID[,DEVARGS]", a representor "ID,REP[,DEVARGS]". ID is a PCI address, an IB
 * device or an interface name. The prefixes "pci/", "ibdev/" and "iface/" state which; without a
 * prefix, they are tried in this order. REP is a PCI address, a VUID or an interface name, with the
 * same prefixes and "vuid/". Names such as "pf0" and "pf0vf1" also find the interface with an
 * additional "h" at the beginning. If the program registered a callback for opening devices, that
 * callback opens the device.
 *
 * The program owns what was opened once its parameter callback has been called. Each use opens the
 * device again; the library counts how often a device was opened and returns the same instance.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <string.h>

#include <doca_dev.h>

#include "client/argp/argp.h"
#include "util/str.h"

#define NAMES_LEN 256

enum id_kind { ID_ANY, ID_PCI, ID_IBDEV, ID_IFACE, ID_VUID };

/* Skips the prefix and returns the kind that it states. */
static const char *id_kind(const char *id, enum id_kind *kind_out)
{
	static const struct {
		const char *prefix;
		enum id_kind kind;
	} kinds[] = {
		{"pci/", ID_PCI}, {"ibdev/", ID_IBDEV}, {"iface/", ID_IFACE}, {"vuid/", ID_VUID}};

	*kind_out = ID_ANY;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		size_t len = strlen(kinds[i].prefix);

		if (!strncmp(id, kinds[i].prefix, len)) {
			*kind_out = kinds[i].kind;
			return id + len;
		}
	}
	return id;
}

static bool kind_is(enum id_kind kind, enum id_kind wanted)
{
	return kind == ID_ANY || kind == wanted;
}

static bool pci_equals(const char *have, const char *id)
{
	char normal[13];

	return !str_pci_normalize(id, normal) && !strcmp(have, normal);
}

static bool devinfo_matches(const struct doca_devinfo *info, enum id_kind kind, const char *id)
{
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];

	if (kind_is(kind, ID_PCI) && doca_devinfo_get_pci_addr_str(info, text) == DOCA_SUCCESS &&
	    pci_equals(text, id))
		return true;
	if (kind_is(kind, ID_IBDEV) &&
	    doca_devinfo_get_ibdev_name(info, text, DOCA_DEVINFO_IBDEV_NAME_SIZE) == DOCA_SUCCESS &&
	    *text && !strcmp(text, id))
		return true;
	return kind_is(kind, ID_IFACE) &&
	       doca_devinfo_get_iface_name(info, text, sizeof(text)) == DOCA_SUCCESS && *text &&
	       !strcmp(text, id);
}

static bool rep_matches(const struct doca_devinfo_rep *info, enum id_kind kind, const char *id)
{
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];

	if (kind_is(kind, ID_PCI) &&
	    doca_devinfo_rep_get_pci_addr_str(info, text) == DOCA_SUCCESS && pci_equals(text, id))
		return true;
	if (kind_is(kind, ID_VUID) &&
	    doca_devinfo_rep_get_vuid(info, text, DOCA_DEVINFO_REP_VUID_SIZE) == DOCA_SUCCESS &&
	    *text && !strcmp(text, id))
		return true;
	if (!kind_is(kind, ID_IFACE) ||
	    doca_devinfo_rep_get_iface_name(info, text, sizeof(text)) != DOCA_SUCCESS || !*text)
		return false;
	return !strcmp(text, id) ||
	       (!strncmp(id, "pf", 2) && text[0] == 'h' && !strcmp(text + 1, id));
}

/* Appends a name to the list of existing devices in an error sentence: "0000:03:00.0
 * 0000:03:00.1". */
static void names_append(char *names, const char *name)
{
	size_t len = strlen(names);

	if (len + strlen(name) + 2 <= NAMES_LEN)
		snprintf(names + len, NAMES_LEN - len, "%s%s", len ? " " : "", name);
}

static doca_error_t device_find_open(struct argp *argp, const char *label, const char *id,
				     struct doca_dev **dev_out)
{
	struct doca_devinfo **list, *found = NULL;
	char names[NAMES_LEN] = "", text[DOCA_DEVINFO_PCI_ADDR_SIZE];
	doca_error_t result;
	enum id_kind kind;
	const char *name = id_kind(id, &kind);
	uint32_t n;

	result = doca_devinfo_create_list(&list, &n);
	if (result != DOCA_SUCCESS)
		return result;
	for (uint32_t i = 0; i < n && !found; i++) {
		if (devinfo_matches(list[i], kind, name))
			found = list[i];
		else if (doca_devinfo_get_pci_addr_str(list[i], text) == DOCA_SUCCESS)
			names_append(names, text);
	}
	if (!found)
		result = argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				   "%s: there is no device \"%s\"; there are: %s", label, id,
				   names);
	else if (argp->dev_open_cb)
		result = argp->dev_open_cb(found, argp->dev_open_ctx, dev_out);
	else
		result = doca_dev_open(found, dev_out);
	doca_devinfo_destroy_list(list);
	return result;
}

static doca_error_t rep_find_open(struct argp *argp, const char *label, struct doca_dev *dev,
				  const char *id, struct doca_dev_rep **rep_out)
{
	struct doca_devinfo_rep **list, *found = NULL;
	char names[NAMES_LEN] = "", text[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	doca_error_t result;
	enum id_kind kind;
	const char *name = id_kind(id, &kind);
	uint32_t n;

	result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &n);
	if (result != DOCA_SUCCESS)
		return result;
	for (uint32_t i = 0; i < n && !found; i++) {
		if (rep_matches(list[i], kind, name))
			found = list[i];
		else if (doca_devinfo_rep_get_pci_addr_str(list[i], text) == DOCA_SUCCESS)
			names_append(names, text);
	}
	if (!found)
		result = argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				   "%s: the device has no representor \"%s\"; there are: %s", label,
				   id, names);
	else
		result = doca_dev_rep_open(found, rep_out);
	doca_devinfo_rep_destroy_list(list);
	return result;
}

/* Truncates the text at its first comma. Returns the text after it, or NULL. */
static char *split_at_comma(char *text)
{
	char *comma = strchr(text, ',');

	if (!comma)
		return NULL;
	*comma = '\0';
	return comma[1] ? comma + 1 : NULL;
}

doca_error_t argp_device_open(struct argp *argp, const char *label, char *text,
			      struct doca_argp_device_ctx *ctx_out)
{
	struct doca_argp_device_ctx ctx = {.devargs = split_at_comma(text)};
	doca_error_t result = device_find_open(argp, label, text, &ctx.dev);

	if (result == DOCA_SUCCESS)
		*ctx_out = ctx;
	return result;
}

doca_error_t argp_device_rep_open(struct argp *argp, const char *label, char *text,
				  struct doca_argp_device_rep_ctx *ctx_out)
{
	char *rep = split_at_comma(text);
	struct doca_argp_device_rep_ctx ctx = {0};
	doca_error_t result;

	if (!rep)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: \"%s\" names a device only; write DEVICE,REPRESENTOR", label,
				 text);
	ctx.dev_ctx.devargs = split_at_comma(rep);
	result = device_find_open(argp, label, text, &ctx.dev_ctx.dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = rep_find_open(argp, label, ctx.dev_ctx.dev, rep, &ctx.dev_rep);
	if (result != DOCA_SUCCESS) {
		doca_dev_close(ctx.dev_ctx.dev);
		return result;
	}
	*ctx_out = ctx;
	return DOCA_SUCCESS;
}
