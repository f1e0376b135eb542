/* Which transport an import takes; see client/memory/transport_choice.h. */
#include "client/memory/transport_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/memory/export.h"
#include "client/memory/mmap.h"
#include "client/memory/transport.h"
#include "proto/transport_default.h"

#define TRANSPORTS_MAX 8

static doca_error_t refuse_remote(const struct transport_target *target, const char *why)
{
	if (target->same_kernel)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap create from export: the memory is exported by a process "
				 "behind a tls: link, which passes no descriptors, but both "
				 "daemons run on one machine: link them with 'address = unix:...' "
				 "instead (%s)",
				 why != NULL ? why : "or unset DOCOCORED_TRANSPORT");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "mmap create from export: the memory is exported on another machine, "
			 "linked over tls:, and nothing reaches it: %s",
			 why != NULL ? why
				     : "DOCOCORED_TRANSPORT names a transport within one machine");
}

/* Returns whether the transport is the one that the daemons assume by default. In that case no
 * report is needed. */
static bool choice_is_expected(const struct transport_target *target, const char *transport,
			       size_t n_rejected)
{
	size_t n;

	return target->is_expected &&
	       strcmp(transport_default_name(target->same_process, target->is_memfd, &n),
		      transport) == 0 &&
	       n == n_rejected;
}

doca_error_t transport_choose(struct doca_mmap *mmap, const struct transport_target *target)
{
	const char *forced = env_get(ENV_TRANSPORT);
	const char *last_tried = NULL;
	char reasons[TRANSPORTS_MAX][TRANSPORT_REASON_MAX];
	char *rejected[TRANSPORTS_MAX];
	size_t n = 0, len = 1;
	bool asked, forced_is_set = target->is_named;

	for (size_t i = 0; transport_table[i] != NULL && n < TRANSPORTS_MAX; i++) {
		const struct transport_ops *ops = transport_table[i];
		char reason[TRANSPORT_REASON_MAX] = "";

		asked = !forced_is_set || strcmp(forced, ops->name) == 0;
		if (ops->is_for_files && !target->is_file && !(forced_is_set && asked))
			continue;
		if (target->is_remote && !ops->reaches_remote) {
			asked = false;
			snprintf(reason, sizeof(reason), "the exporter is on another machine");
		} else if (!asked) {
			snprintf(reason, sizeof(reason),
				 "not asked for (DOCOCORED_TRANSPORT=%.32s)", forced);
		} else {
			mmap->region = (struct transport_region){
				.ops = ops, .base = target->base, .len = target->len, .pidfd = -1};
			if (ops->open(target, &mmap->region, reason) == 0) {
				mmap->region.ops = ops;
				break;
			}
			mmap->region.ops = NULL;
		}
		snprintf(reasons[n], sizeof(reasons[n]), "%s: %.180s", ops->name, reason);
		/* For memory of this machine, the error must not name a transport that reaches
		 * other machines. */
		if (asked && (forced_is_set || target->is_remote || !ops->reaches_remote))
			last_tried = reasons[n];
		sdk_debug("import of %zu bytes: transport %s", (size_t)target->len, reasons[n]);
		rejected[n] = reasons[n];
		len += strlen(reasons[n]) + 1;
		n++;
	}
	mmap->rejections = calloc(1, len);
	for (size_t i = 0; mmap->rejections != NULL && i < n; i++) {
		strcat(mmap->rejections, reasons[i]);
		strcat(mmap->rejections, "\n");
	}
	if (mmap->region.ops == NULL && target->is_remote)
		return refuse_remote(target, last_tried);
	if (mmap->region.ops == NULL && last_tried == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap create from export: DOCOCORED_TRANSPORT=%.32s names no "
				 "transport of this library; unset it",
				 forced);
	if (mmap->region.ops == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap create from export: no transport reaches the memory: %s",
				 last_tried);
	sdk_debug("import of %zu bytes: transport %s chosen", (size_t)target->len,
		  mmap->region.ops->name);
	/* An operator should know why transports that come first were rejected. */
	if (forced_is_set || !choice_is_expected(target, mmap->region.ops->name, n))
		import_report(mmap->import_id, mmap->import_daemon, mmap->region.ops->name,
			      rejected, n);
	return DOCA_SUCCESS;
}
