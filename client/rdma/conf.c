/* RDMA: configuration of an object. Values are checked against the device's limits when they are
 * set, so that a start is refused by the device only. Threads: those of the progress engine. */
#include "client/rdma/rdma.h"
#include "util/str.h"

doca_error_t rdma_check_form(const struct doca_rdma *rdma, enum rdma_form last, const char *call)
{
	if (likely(rdma->form <= last))
		return DOCA_SUCCESS;
	return api_refuse(call, "RDMA object",
			  rdma->form == RDMA_FORM_JOBS ? API_2_0 : DOCA_MAKE_VERSION(2, 5));
}

/* Checks that the object is of form `last` or an earlier one and has a device. */
static doca_error_t conf_check(const struct doca_rdma *rdma, const void *out, enum rdma_form last,
			       const char *what)
{
	if (rdma == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma %s: %s is NULL", what,
				 rdma == NULL ? "rdma" : "the result");
	if (unlikely(rdma->form > last))
		return rdma_check_form(rdma, last, what);
	if (unlikely(rdma->ops == NULL))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma %s: the context has no device, whose limits hold; call "
				 "doca_ctx_dev_add first",
				 what);
	return DOCA_SUCCESS;
}

static doca_error_t conf_check_idle(const struct doca_rdma *rdma, enum rdma_form last,
				    const char *what)
{
	doca_error_t result = conf_check(rdma, rdma, last, what);

	return result != DOCA_SUCCESS ? result
				      : ctx_check_idle(&rdma->ctx, DOCA_ERROR_BAD_STATE, what);
}

doca_error_t rdma_check_conf(const struct doca_rdma *rdma, const char *what)
{
	return conf_check_idle(rdma, RDMA_FORM_JOBS, what);
}

/* A rule for numbers: at least 1, and at most the device's limit. */
struct conf_rule {
	const char *what;
	size_t field, max; /* offsets in struct doca_rdma */
	doca_error_t too_many;
	enum rdma_form last;
};

#define CONF_RULE(what_, field_, max_, code_, last_)                                 \
	{                                                                            \
		.what = (what_), .field = offsetof(struct doca_rdma, conf.field_),   \
		.max = offsetof(struct doca_rdma, limits.max_), .too_many = (code_), \
		.last = (last_),                                                     \
	}

static const struct conf_rule send_queue_rule = CONF_RULE(
	"send queue size", send_queue, max_send_queue, DOCA_ERROR_NOT_SUPPORTED, RDMA_FORM_JOBS);
static const struct conf_rule recv_queue_rule = CONF_RULE(
	"receive queue size", recv_queue, max_recv_queue, DOCA_ERROR_NOT_SUPPORTED, RDMA_FORM_JOBS);
static const struct conf_rule send_list_rule = CONF_RULE("send list length", max_send_sges,
							 max_send_sges, DOCA_ERROR_INVALID_VALUE,
							 RDMA_FORM_FORMER);
static const struct conf_rule recv_list_rule = CONF_RULE("receive list length", max_recv_sges,
							 max_recv_sges, DOCA_ERROR_INVALID_VALUE,
							 RDMA_FORM_FORMER);
static const struct conf_rule old_recv_list_rule =
	CONF_RULE("receive list length", max_recv_sges, max_recv_sges, DOCA_ERROR_INVALID_VALUE,
		  RDMA_FORM_JOBS);
static const struct conf_rule conns_rule = CONF_RULE("number of connections", max_qps, max_qps,
						     DOCA_ERROR_NOT_SUPPORTED, RDMA_FORM_CONNS);

static uint32_t *conf_number(struct doca_rdma *rdma, size_t at)
{
	return (uint32_t *)(void *)((char *)rdma + at);
}

static doca_error_t conf_set_number(struct doca_rdma *rdma, uint32_t number,
				    const struct conf_rule *rule)
{
	const char *what = rule->what;
	doca_error_t result = conf_check_idle(rdma, rule->last, what);
	uint32_t max;

	if (result != DOCA_SUCCESS)
		return result;
	max = *conf_number(rdma, rule->max);
	if (number == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma %s: 0; the minimum is 1", what);
	if (number > max)
		return error_set(rule->too_many, "rdma %s: %u, %s allows %u", what, number,
				 rdma->dev_info->name, max);
	*conf_number(rdma, rule->field) = number;
	return DOCA_SUCCESS;
}

static doca_error_t conf_get_number(const struct doca_rdma *rdma, uint32_t *out,
				    const struct conf_rule *rule)
{
	doca_error_t result = conf_check(rdma, out, rule->last, rule->what);

	if (result == DOCA_SUCCESS)
		*out = *conf_number((struct doca_rdma *)(uintptr_t)rdma, rule->field);
	return result;
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
	return conf_set_number(rdma, send_queue_size, &send_queue_rule);
}

doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
	return conf_set_number(rdma, recv_queue_size, &recv_queue_rule);
}

doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
						 uint32_t max_send_buf_list_len)
{
	return conf_set_number(rdma, max_send_buf_list_len, &send_list_rule);
}

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
							 uint32_t buf_list_len)
{
	return conf_set_number(rdma, buf_list_len, &recv_list_rule);
}

doca_error_t rdma_set_recv_list(struct doca_rdma *rdma, uint32_t n_bufs)
{
	return conf_set_number(rdma, n_bufs, &old_recv_list_rule);
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
	return conf_set_number(rdma, max_num_connections, &conns_rule);
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
					  enum doca_rdma_transport_type transport_type)
{
	doca_error_t result = rdma_check_conf(rdma, "transport type");

	if (result != DOCA_SUCCESS)
		return result;
	if (transport_type == DOCA_RDMA_TRANSPORT_TYPE_RC)
		return DOCA_SUCCESS;
	if (transport_type != DOCA_RDMA_TRANSPORT_TYPE_DC)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma transport type: %d is no transport", (int)transport_type);
	return error_set(DOCA_ERROR_NOT_SUPPORTED, "rdma transport type: %s has no DC; use RC",
			 rdma->dev_info->name);
}

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
	doca_error_t result = rdma_check_conf(rdma, "mtu");

	if (result != DOCA_SUCCESS)
		return result;
	if ((unsigned)mtu > DOCA_MTU_SIZE_RAW_ETHERNET)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma mtu: %d is no size", (int)mtu);
	if (mtu == DOCA_MTU_SIZE_RAW_ETHERNET || 256u << mtu > rdma->limits.max_mtu)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "rdma mtu: %s has packets of %u bytes at most",
				 rdma->dev_info->name, rdma->limits.max_mtu);
	rdma->mtu = mtu;
	rdma->conf.mtu = 256u << mtu;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
	doca_error_t result = rdma_check_conf(rdma, "permissions");

	if (result != DOCA_SUCCESS)
		return result;
	if (permissions & ~(uint32_t)RDMA_PERMISSIONS_ALLOWED)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma permissions: 0x%x has bits without a meaning here; use "
				 "LOCAL_READ_WRITE, RDMA_READ, RDMA_WRITE and RDMA_ATOMIC",
				 permissions);
	rdma->conf.permissions = permissions;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
	doca_error_t result = conf_check_idle(rdma, RDMA_FORM_FORMER, "grh enabled");

	if (result != DOCA_SUCCESS)
		return result;
	if (grh_enabled > 1)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma grh enabled: %u; it is 0 or 1",
				 grh_enabled);
	rdma->conf.grh = grh_enabled;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_set_grh_enabled, 2_6);

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
	doca_error_t result = rdma_check_conf(rdma, "gid index");

	if (result != DOCA_SUCCESS)
		return result;
	if (gid_index >= rdma->limits.n_gids)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma gid index: %u, the table of %s has %u %s", gid_index,
				 rdma->dev_info->name, rdma->limits.n_gids,
				 plural(rdma->limits.n_gids, "entry", "entries"));
	rdma->conf.gid_index = gid_index;
	rdma->conf.has_gid_index = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
	doca_error_t result = rdma_check_conf(rdma, "service level");

	if (result != DOCA_SUCCESS)
		return result;
	if (sl > RDMA_SL_MAX)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma service level: %u, at most %u", sl,
				 RDMA_SL_MAX);
	rdma->conf.sl = sl;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout)
{
	doca_error_t result = conf_check_idle(rdma, RDMA_FORM_CONNS, "connection request timeout");

	if (result != DOCA_SUCCESS)
		return result;
	if (timeout == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma connection request timeout: 0; at least 1 millisecond");
	rdma->conf.connect_timeout_ms = timeout;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count)
{
	doca_error_t result = conf_check_idle(rdma, RDMA_FORM_CONNS, "rnr retry count");

	if (result != DOCA_SUCCESS)
		return result;
	if (rnr_retry_count > RDMA_RNR_RETRY_FOR_EVER)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma rnr retry count: %u, at most 7, which means without end",
				 rnr_retry_count);
	rdma->conf.rnr_retry = rnr_retry_count;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_connection_state_callbacks(
	struct doca_rdma *rdma, doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
	doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
	doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
	doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb)
{
	if (rdma == NULL || doca_rdma_connect_established_cb == NULL ||
	    doca_rdma_connect_failure_cb == NULL || doca_rdma_disconnect_cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma connection callbacks: %s is NULL",
				 rdma == NULL
					 ? "rdma"
					 : "the established, failure or disconnection callback");
	if (rdma_check_form(rdma, RDMA_FORM_CONNS, "rdma connection callbacks") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	/* The contract has one code. */
	if (ctx_check_idle(&rdma->ctx, DOCA_ERROR_INVALID_VALUE, "rdma connection callbacks") !=
	    DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	rdma->request_cb = doca_rdma_connect_request_cb;
	rdma->established_cb = doca_rdma_connect_established_cb;
	rdma->failure_cb = doca_rdma_connect_failure_cb;
	rdma->disconnection_cb = doca_rdma_disconnect_cb;
	return DOCA_SUCCESS;
}

doca_error_t rdma_kind_conf(struct doca_rdma *rdma, enum rdma_kind kind,
			    doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			    uint32_t n_tasks)
{
	doca_error_t result;

	if (rdma == NULL || ok_cb == NULL || err_cb == NULL || n_tasks == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma %s set conf: %s",
				 rdma_kind_names[kind],
				 rdma == NULL     ? "rdma is NULL"
				 : ok_cb == NULL  ? "the completion callback is NULL"
				 : err_cb == NULL ? "the error callback is NULL"
						  : "0 tasks; ask for at least 1");
	result = conf_check_idle(rdma, RDMA_FORM_FORMER, "task set conf");
	if (result != DOCA_SUCCESS)
		return result;
	rdma->pools[kind].ok_cb = ok_cb;
	rdma->pools[kind].err_cb = err_cb;
	rdma->n_tasks[kind] = n_tasks;
	return DOCA_SUCCESS;
}

/* --- getters --- */

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
{
	return conf_get_number(rdma, send_queue_size, &send_queue_rule);
}

doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size)
{
	return conf_get_number(rdma, recv_queue_size, &recv_queue_rule);
}

doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
						 uint32_t *max_send_buf_list_len)
{
	return conf_get_number(rdma, max_send_buf_list_len, &send_list_rule);
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
{
	doca_error_t result = conf_check(rdma, mtu, RDMA_FORM_JOBS, "mtu");

	if (result == DOCA_SUCCESS)
		*mtu = rdma->mtu;
	return result;
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
{
	doca_error_t result = conf_check(rdma, permissions, RDMA_FORM_JOBS, "permissions");

	if (result == DOCA_SUCCESS)
		*permissions = rdma->conf.permissions;
	return result;
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled)
{
	doca_error_t result = conf_check(rdma, grh_enabled, RDMA_FORM_FORMER, "grh enabled");

	if (result == DOCA_SUCCESS)
		*grh_enabled = rdma->conf.grh;
	return result;
}
API_PLAIN(doca_rdma_get_grh_enabled, 2_6);

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
{
	doca_error_t result = conf_check(rdma, gid_index, RDMA_FORM_JOBS, "gid index");

	if (result == DOCA_SUCCESS)
		*gid_index = rdma->conf.gid_index;
	return result;
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
	doca_error_t result = conf_check(rdma, sl, RDMA_FORM_JOBS, "sl");

	if (result == DOCA_SUCCESS)
		*sl = rdma->conf.sl;
	return result;
}

doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
					       uint16_t *max_num_connections)
{
	doca_error_t result = conf_check(rdma, max_num_connections, RDMA_FORM_CONNS,
					 "max num connections");

	if (result == DOCA_SUCCESS)
		*max_num_connections = (uint16_t)rdma->conf.max_qps;
	return result;
}

doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count)
{
	doca_error_t result = conf_check(rdma, rnr_retry_count, RDMA_FORM_CONNS, "rnr retry count");

	if (result == DOCA_SUCCESS)
		*rnr_retry_count = rdma->conf.rnr_retry;
	return result;
}

doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
						      uint16_t *timeout)
{
	doca_error_t result = conf_check(rdma, timeout, RDMA_FORM_CONNS,
					 "connection request timeout");

	if (result == DOCA_SUCCESS)
		*timeout = rdma->conf.connect_timeout_ms;
	return result;
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
					  enum doca_rdma_transport_type *transport_type)
{
	doca_error_t result = conf_check(rdma, transport_type, RDMA_FORM_JOBS, "transport type");

	if (result == DOCA_SUCCESS)
		*transport_type = DOCA_RDMA_TRANSPORT_TYPE_RC;
	return result;
}

doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
							 uint32_t *buf_list_len)
{
	return conf_get_number(rdma, buf_list_len, &recv_list_rule);
}

doca_error_t rdma_get_recv_list(const struct doca_rdma *rdma, uint32_t *n_bufs_out)
{
	return conf_get_number(rdma, n_bufs_out, &old_recv_list_rule);
}

/* --- processors that this runtime lacks --- */

static doca_error_t conf_no_processor(const struct doca_rdma *rdma, const void *other,
				      const char *what)
{
	doca_error_t result = conf_check(rdma, other, RDMA_FORM_CONNS, what);

	if (result != DOCA_SUCCESS)
		return result;
	return error_set(DOCA_ERROR_BAD_STATE,
			 "rdma %s: the data path is on the CPU; this runtime has no other", what);
}

doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma)
{
	return conf_no_processor(rdma, dpa_rdma, "dpa handle");
}
API_PLAIN(doca_rdma_get_dpa_handle, 2_7);

doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma)
{
	return conf_no_processor(rdma, gpu_rdma, "gpu handle");
}

doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
					     struct doca_dpa_completion *dpa_comp)
{
	return conf_no_processor(rdma, dpa_comp, "dpa completion");
}
