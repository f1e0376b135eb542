/* See util/descriptor.h. */
#include "util/descriptor.h"

#include <string.h>

#include "util/util.h"

static const char *const kinds[] = {"pci", "rdma", "sync-pci", "sync-net", "rdma-qp"};

const char *descriptor_kind_name(uint8_t kind)
{
	return kind < ARRAY_LEN(kinds) ? kinds[kind] : "unknown";
}

const char *descriptor_side_name(uint8_t side)
{
	return side == 0 ? "host" : side == 1 ? "dpu" : "unknown";
}

const char *descriptor_permission_next(uint32_t permissions, unsigned *at)
{
	static const char *const names[] = {
		"local-read-write", "rdma-read",      "rdma-write",           "rdma-atomic",
		"pci-read-only",    "pci-read-write", "pci-relaxed-ordering",
	};

	while (*at < ARRAY_LEN(names)) {
		unsigned bit = (*at)++;

		if (bit == 0 && !(permissions & 1))
			return "local-read-only";
		if (permissions >> bit & 1)
			return names[bit];
	}
	return NULL;
}

const char *descriptor_type_name(const struct descriptor *descriptor)
{
	if (*descriptor->provider || descriptor->export_descriptor.kind == EXPORT_KIND_RDMA_QP)
		return "rdma-connection";
	return descriptor->export_descriptor.kind >= EXPORT_KIND_SYNC_PCI ? "sync-event-export"
									  : "mmap-export";
}

/*
 * Parses the provider's part of the details. Returns false if it is not in the format of a known
 * provider.
 */
static bool body_parse(const struct conn_params *details, struct descriptor *descriptor)
{
	if (strcmp(details->provider, "verbs") == 0) {
		descriptor->has_qp = conn_params_read_qp(details, &descriptor->qp);
		return descriptor->has_qp;
	}
	if (strcmp(details->provider, "soft") == 0) {
		descriptor->has_export = details->len == EXPORT_DESCRIPTOR_LEN &&
					 export_descriptor_decode(details->body, details->len,
								  &descriptor->export_descriptor) ==
						 EXPORT_DESCRIPTOR_OK;
		return descriptor->has_export &&
		       descriptor->export_descriptor.kind == EXPORT_KIND_RDMA_QP;
	}
	return false;
}

static const char *details_parse(const void *data, size_t len, struct descriptor *descriptor)
{
	struct conn_params details;
	enum conn_params_error error = conn_params_decode(data, len, &details);
	const char *wrong = NULL;

	if (error != CONN_PARAMS_OK)
		return conn_params_error_text(error);
	memcpy(descriptor->provider, details.provider, sizeof(descriptor->provider));
	if (!body_parse(&details, descriptor))
		wrong = "this version does not know what their provider put into them";
	explicit_bzero(&details, sizeof(details));
	return wrong;
}

const char *descriptor_parse(const void *data, size_t len, struct descriptor *descriptor_out)
{
	struct descriptor descriptor = {.provider = ""};
	enum export_descriptor_error error;
	const char *wrong = NULL;

	if (conn_params_has_magic(data, len)) {
		wrong = details_parse(data, len, &descriptor);
	} else {
		error = export_descriptor_decode(data, len, &descriptor.export_descriptor);
		descriptor.has_export = error == EXPORT_DESCRIPTOR_OK;
		if (error != EXPORT_DESCRIPTOR_OK)
			wrong = export_descriptor_error_text(error);
	}
	if (!wrong)
		*descriptor_out = descriptor;
	descriptor_wipe(&descriptor);
	return wrong;
}

void descriptor_wipe(struct descriptor *descriptor)
{
	explicit_bzero(descriptor, sizeof(*descriptor));
}
