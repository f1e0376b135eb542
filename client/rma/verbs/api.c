/* Loads rdma-core; see client/rma/verbs/api.h. */
#include "client/rma/verbs/api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/util.h"

struct symbol {
	const char *name;
	size_t at; /* offset of the pointer in the table */
};

static const struct symbol verbs_symbols[] = {
	{"ibv_get_device_list", offsetof(struct verbs_api, get_device_list)},
	{"ibv_free_device_list", offsetof(struct verbs_api, free_device_list)},
	{"ibv_get_device_name", offsetof(struct verbs_api, get_device_name)},
	{"ibv_open_device", offsetof(struct verbs_api, open_device)},
	{"ibv_close_device", offsetof(struct verbs_api, close_device)},
	{"ibv_query_device", offsetof(struct verbs_api, query_device)},
	{"ibv_query_port", offsetof(struct verbs_api, query_port)},
	{"ibv_query_gid", offsetof(struct verbs_api, query_gid)},
	{"ibv_alloc_pd", offsetof(struct verbs_api, alloc_pd)},
	{"ibv_dealloc_pd", offsetof(struct verbs_api, dealloc_pd)},
	{"ibv_reg_mr", offsetof(struct verbs_api, reg_mr)},
	{"ibv_rereg_mr", offsetof(struct verbs_api, rereg_mr)},
	{"ibv_dereg_mr", offsetof(struct verbs_api, dereg_mr)},
	{"ibv_create_comp_channel", offsetof(struct verbs_api, create_comp_channel)},
	{"ibv_destroy_comp_channel", offsetof(struct verbs_api, destroy_comp_channel)},
	{"ibv_create_cq", offsetof(struct verbs_api, create_cq)},
	{"ibv_destroy_cq", offsetof(struct verbs_api, destroy_cq)},
	{"ibv_get_cq_event", offsetof(struct verbs_api, get_cq_event)},
	{"ibv_ack_cq_events", offsetof(struct verbs_api, ack_cq_events)},
	{"ibv_create_srq", offsetof(struct verbs_api, create_srq)},
	{"ibv_destroy_srq", offsetof(struct verbs_api, destroy_srq)},
	{"ibv_create_qp", offsetof(struct verbs_api, create_qp)},
	{"ibv_modify_qp", offsetof(struct verbs_api, modify_qp)},
	{"ibv_query_qp", offsetof(struct verbs_api, query_qp)},
	{"ibv_destroy_qp", offsetof(struct verbs_api, destroy_qp)},
	{"ibv_get_async_event", offsetof(struct verbs_api, get_async_event)},
	{"ibv_ack_async_event", offsetof(struct verbs_api, ack_async_event)},
	{"ibv_wc_status_str", offsetof(struct verbs_api, wc_status_str)},
};

static const struct symbol cm_symbols[] = {
	{"rdma_create_event_channel", offsetof(struct cm_api, create_event_channel)},
	{"rdma_destroy_event_channel", offsetof(struct cm_api, destroy_event_channel)},
	{"rdma_create_id", offsetof(struct cm_api, create_id)},
	{"rdma_destroy_id", offsetof(struct cm_api, destroy_id)},
	{"rdma_bind_addr", offsetof(struct cm_api, bind_addr)},
	{"rdma_resolve_addr", offsetof(struct cm_api, resolve_addr)},
	{"rdma_resolve_route", offsetof(struct cm_api, resolve_route)},
	{"rdma_listen", offsetof(struct cm_api, listen)},
	{"rdma_connect", offsetof(struct cm_api, connect)},
	{"rdma_establish", offsetof(struct cm_api, establish)},
	{"rdma_accept", offsetof(struct cm_api, accept)},
	{"rdma_reject", offsetof(struct cm_api, reject)},
	{"rdma_disconnect", offsetof(struct cm_api, disconnect)},
	{"rdma_get_cm_event", offsetof(struct cm_api, get_cm_event)},
	{"rdma_ack_cm_event", offsetof(struct cm_api, ack_cm_event)},
	{"rdma_init_qp_attr", offsetof(struct cm_api, init_qp_attr)},
};

#define WHY_MAX 160
static struct verbs_api verbs_table;
static struct cm_api cm_table;
static char verbs_why[WHY_MAX], cm_why[WHY_MAX];

/* Loads a library. It is never unloaded, because its providers have state in the process. */
static void load(const char *file, const struct symbol *symbols, size_t n, void *table,
		 char why[WHY_MAX])
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL) {
		snprintf(why, WHY_MAX, "%s cannot be loaded; install rdma-core's libraries", file);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		void *address = dlsym(library, symbols[i].name);

		if (address == NULL) {
			snprintf(why, WHY_MAX, "%s is too old: it lacks %s", file, symbols[i].name);
			return;
		}
		memcpy((char *)table + symbols[i].at, &address, sizeof(address));
	}
}

static void load_verbs(void)
{
	void *library, *address;

	load("libibverbs.so.1", verbs_symbols, ARRAY_LEN(verbs_symbols), &verbs_table, verbs_why);
	if (verbs_why[0] != '\0')
		return;
	library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		return;
	address = dlsym(library, "ibv_reg_mr_iova");
	memcpy(&verbs_table.reg_mr_iova, &address, sizeof(address));
}

static void load_cm(void)
{
	load("librdmacm.so.1", cm_symbols, ARRAY_LEN(cm_symbols), &cm_table, cm_why);
}

const struct verbs_api *verbs_api(const char **why_out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_verbs);
	if (verbs_why[0] == '\0')
		return &verbs_table;
	*why_out = verbs_why;
	return NULL;
}

const struct cm_api *cm_api(const char **why_out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_cm);
	if (cm_why[0] == '\0')
		return &cm_table;
	*why_out = cm_why;
	return NULL;
}
