/* The simulated device of the verbs provider's tests; see fake_device.h in this folder. */
#include "tests/unit/client/rma/verbs/fake_device.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <check.h>

#include "util/util.h"

struct verbs_fake fake;

static int fake_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int i = 0;

	(void)cq;
	if (fake.batch != 0)
		n = MIN(n, (int)fake.batch);
	for (; i < n && fake.n_taken < fake.n_wcs; i++)
		wc[i] = fake.wcs[fake.n_taken++];
	return i;
}

static int fake_notify(struct ibv_cq *cq, int solicited_only)
{
	(void)cq;
	(void)solicited_only;
	return 0;
}

static int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp;
	(void)bad;
	fake.sent = *wr;
	fake.sge = wr->num_sge > 0 ? wr->sg_list[0] : (struct ibv_sge){.lkey = 0};
	return 0;
}

static int fake_post_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)srq;
	(void)bad;
	fake.received[fake.n_received++] = wr->wr_id;
	return 0;
}

static struct ibv_comp_channel *fake_create_channel(struct ibv_context *context)
{
	fake.channel = (struct ibv_comp_channel){.context = context,
						 .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	return &fake.channel;
}

static int fake_destroy_channel(struct ibv_comp_channel *channel)
{
	return close(channel->fd);
}

static struct ibv_cq *fake_create_cq(struct ibv_context *context, int n, void *arg,
				     struct ibv_comp_channel *channel, int vector)
{
	(void)arg;
	(void)vector;
	errno = fake.no_queues;
	if (fake.no_queues != 0)
		return NULL;
	fake.cq = (struct ibv_cq){.context = context, .channel = channel, .cqe = n};
	return &fake.cq;
}

static int fake_destroy_cq(struct ibv_cq *cq)
{
	(void)cq;
	return 0;
}

static int fake_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **arg)
{
	(void)channel;
	(void)cq;
	(void)arg;
	return -1;
}

static struct ibv_srq *fake_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	fake.srq_attr = *attr;
	fake.srqs[fake.n_srqs] = (struct ibv_srq){.context = pd->context};
	return &fake.srqs[fake.n_srqs++];
}

static int fake_destroy_srq(struct ibv_srq *srq)
{
	(void)srq;
	fake.n_srqs_gone++;
	return 0;
}

static struct ibv_qp *fake_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *qp = &fake.qps[fake.n_qps];

	errno = fake.no_queues;
	if (fake.max_qps != 0 && fake.n_qps - fake.n_qps_gone >= fake.max_qps)
		errno = ENOMEM;
	if (errno != 0)
		return NULL;
	fake.qp_attr = *attr;
	*qp = (struct ibv_qp){.context = pd->context,
			      .qp_context = attr->qp_context,
			      .qp_num = VERBS_FAKE_QP + fake.n_qps};
	fake.n_qps++;
	return qp;
}

static int fake_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (attr->qp_state == IBV_QPS_RTR)
		fake.next_psns[qp->qp_num - VERBS_FAKE_QP] = attr->rq_psn;
	fake.states[attr->qp_state] = *attr;
	fake.masks[attr->qp_state] = mask;
	return fake.was_removed ? EIO : fake.no_path;
}

static int fake_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
			 struct ibv_qp_init_attr *init)
{
	(void)mask;
	(void)init;
	attr->rq_psn = fake.next_psns[qp->qp_num - VERBS_FAKE_QP];
	return fake.was_removed ? EIO : 0;
}

static int fake_destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	fake.n_qps_gone++;
	fake.n_wcs += fake.n_late;
	fake.n_late = 0;
	return 0;
}

static int fake_query_gid(struct ibv_context *context, uint8_t number, int index,
			  union ibv_gid *gid)
{
	(void)context;
	(void)number;
	memset(gid, fake.has_no_gid ? 0 : index + 1, sizeof(*gid));
	return 0;
}

static int fake_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	eventfd_t n;

	if (fake.n_notified < atomic_load(&fake.n_events)) {
		*event = fake.events[fake.n_notified++];
		return 0;
	}
	(void)eventfd_read(context->async_fd, &n);
	errno = EAGAIN;
	return -1;
}

static void fake_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
	atomic_fetch_add(&fake.n_acked, 1);
}

static const char *fake_status(enum ibv_wc_status status)
{
	(void)status;
	return "as the test has it";
}

static struct ibv_mr *fake_reg_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	struct ibv_mr *mr = &fake.mrs[fake.n_mrs];
	uint32_t key = VERBS_FAKE_REMOTE_KEY + fake.n_mrs++;
	struct pollfd none = {.fd = -1};

	fake.access = access;
	while (atomic_load(&fake.holds_regions)) {
		atomic_store(&fake.is_held, true);
		poll(&none, 1, 1);
	}
	if (fake.refusal != 0) {
		fake.n_mrs--;
		errno = fake.refusal;
		return NULL;
	}
	if (fake.same_key != 0)
		key = fake.same_key;
	fake.same_key = 0;
	*mr = (struct ibv_mr){.pd = pd,
			      .addr = addr,
			      .length = len,
			      .lkey = key - VERBS_FAKE_REMOTE_KEY + VERBS_FAKE_KEY,
			      .rkey = key};
	return mr;
}

static struct ibv_mr *fake_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova,
				       int access)
{
	fake.known_as = iova;
	return fake_reg_mr(pd, addr, len, access);
}

static int fake_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t len,
			 int access)
{
	(void)mr;
	(void)pd;
	(void)addr;
	(void)len;
	ck_assert_int_eq(flags, IBV_REREG_MR_CHANGE_ACCESS);
	ck_assert_int_eq(access & (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE), 0);
	fake.n_changed++;
	return fake.cannot_change ? IBV_REREG_MR_ERR_CMD : 0;
}

static int fake_dereg_mr(struct ibv_mr *mr)
{
	(void)mr;
	fake.n_mrs_gone++;
	return 0;
}

static int fake_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
			  enum rdma_port_space space)
{
	(void)channel;
	(void)space;
	fake.id = (struct rdma_cm_id){.context = context};
	*id = &fake.id;
	return 0;
}

static int fake_of_id(struct rdma_cm_id *id)
{
	ck_assert_ptr_eq(id, &fake.id);
	return 0;
}

static int fake_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to,
			     int timeout_ms)
{
	(void)id;
	(void)to;
	(void)timeout_ms;
	memset(&fake.source, 0, sizeof(fake.source));
	if (from != NULL)
		memcpy(&fake.source, from,
		       from->sa_family == AF_INET ? sizeof(struct sockaddr_in)
						  : sizeof(struct sockaddr_in6));
	return 0;
}

/* Fills it like the kernel: from the other end's parameters. */
static int fake_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	enum ibv_qp_state state = attr->qp_state;

	(void)id;
	*attr = fake.asked;
	attr->qp_state = state;
	*mask = IBV_QP_STATE;
	return 0;
}

static int fake_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	(void)id;
	fake.answer = *param;
	return 0;
}

static int fake_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	(void)channel;
	if (!fake.has_cm_event)
		return -1;
	fake.has_cm_event = false;
	*event = &fake.cm_event;
	return 0;
}

static int fake_ack_cm_event(struct rdma_cm_event *event)
{
	ck_assert_ptr_eq(event, &fake.cm_event);
	return 0;
}

static int fake_disconnect(struct rdma_cm_id *id)
{
	fake.is_left = true;
	fake.is_abandoned_with_qp = id->qp != NULL;
	return fake_of_id(id);
}

static void fake_destroy_event_channel(struct rdma_event_channel *channel)
{
	(void)channel;
}

const struct cm_api verbs_fake_cm = {
	.destroy_event_channel = fake_destroy_event_channel,
	.create_id = fake_create_id,
	.destroy_id = fake_of_id,
	.disconnect = fake_disconnect,
	.resolve_addr = fake_resolve_addr,
	.init_qp_attr = fake_init_qp_attr,
	.accept = fake_accept,
	.get_cm_event = fake_get_cm_event,
	.ack_cm_event = fake_ack_cm_event,
};

static const struct verbs_api fake_api = {
	.query_gid = fake_query_gid,
	.reg_mr = fake_reg_mr,
	.reg_mr_iova = fake_reg_mr_iova,
	.rereg_mr = fake_rereg_mr,
	.dereg_mr = fake_dereg_mr,
	.create_comp_channel = fake_create_channel,
	.destroy_comp_channel = fake_destroy_channel,
	.create_cq = fake_create_cq,
	.destroy_cq = fake_destroy_cq,
	.get_cq_event = fake_get_cq_event,
	.create_srq = fake_create_srq,
	.destroy_srq = fake_destroy_srq,
	.create_qp = fake_create_qp,
	.modify_qp = fake_modify_qp,
	.query_qp = fake_query_qp,
	.destroy_qp = fake_destroy_qp,
	.get_async_event = fake_get_async_event,
	.ack_async_event = fake_ack_async_event,
	.wc_status_str = fake_status,
};

void verbs_fake_set_up(void)
{
	struct verbs_device *device = &fake.device;

	memset(&fake, 0, sizeof(fake));
	fake.context.ops.poll_cq = fake_poll;
	fake.context.ops.req_notify_cq = fake_notify;
	fake.context.ops.post_send = fake_post_send;
	fake.context.ops.post_srq_recv = fake_post_recv;
	fake.context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fake.pd.context = &fake.context;
	snprintf(device->name, sizeof(device->name), "fake0");
	device->api = &fake_api;
	device->context = &fake.context;
	device->pd = &fake.pd;
	/* One reference belongs to the test, so the device is never freed. */
	device->refs = 2;
	device->pid = getpid();
	device->epoll_fd = device->stop_fd = -1;
	device->attr.max_cqe = 1024;
	device->attr.max_qp_rd_atom = device->attr.max_qp_init_rd_atom = 4;
	device->port.gid_tbl_len = 1;
	device->port.max_msg_sz = 1u << 20;
	device->port.active_mtu = IBV_MTU_1024;
	device->port.link_layer = IBV_LINK_LAYER_ETHERNET;
	pthread_mutex_init(&device->lock, NULL);
	list_init(&device->wakeups);
	list_init(&device->alarms);
}

void verbs_fake_tear_down(void)
{
	close(fake.context.async_fd);
	pthread_mutex_destroy(&fake.device.lock);
}

void verbs_fake_complete(uint32_t qp, uint64_t id, enum ibv_wc_status status, bool is_recv)
{
	fake.wcs[fake.n_wcs++] = (struct ibv_wc){.wr_id = id,
						 .status = status,
						 .opcode = is_recv ? IBV_WC_RECV : IBV_WC_SEND,
						 .qp_num = qp};
}

struct verbs_qp *verbs_fake_qp_new(struct rdma_domain *domain)
{
	uint8_t details[RDMA_PARAMS_MAX];
	struct rdma_event event;
	struct rdma_qp *qp;
	size_t len;

	ck_assert_int_eq(rdma_verbs.qp_new(domain, NULL, &qp), DOCA_SUCCESS);
	ck_assert_int_eq(rdma_verbs.qp_params(qp, details, &len), DOCA_SUCCESS);
	ck_assert_int_eq(rdma_verbs.qp_connect(qp, details, len), DOCA_SUCCESS);
	ck_assert(rdma_verbs.next_event(domain, &event));
	ck_assert_int_eq(event.type, RDMA_QP_ESTABLISHED);
	return verbs_qp_of(qp);
}
