/*
 * doca_rdma.h: each documented result code of each function, and every getter with its setter. Uses
 * the fake provider of the unit tests, which can be made to refuse anything; the real providers
 * have tests of their own.
 */
#include <errno.h>
#include <string.h>

#include "tests/conformance/cover.h"
#include "tests/lib/runner.h"
#include "tests/unit/client/rdma/fixture.h"

#define N_TASKS 1u

static struct end a, b;
static struct doca_rdma *const none; /* NULL */
static struct doca_rdma_connection *const no_conn;
static struct doca_devinfo poor_info = {.refs = 1, .name = "poor"};
static struct doca_dev poor_dev = {.info = &poor_info, .n_opens = 1};
/* Stands in for objects that cannot be created here; never dereferenced. */
static char nothing;

static void setup(void)
{
	ends_open(&a, &b);
}

static void teardown(void)
{
	ends_close(&a, &b);
}

/* --- capabilities --- */

#define LIMIT(name, expected)                                                                  \
	do {                                                                                   \
		PASSES(doca_rdma_cap_get_##name(&unit_info, &n));                              \
		ck_assert_uint_eq(n, expected);                                                \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_##name(NULL, &n));         \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_##name(&unit_info, NULL)); \
		RETURNS(DOCA_ERROR_DRIVER, doca_rdma_cap_get_##name(&poor_info, &n));          \
	} while (0)
#define CAN(kind)                                                                                  \
	do {                                                                                       \
		PASSES(doca_rdma_cap_task_##kind##_is_supported(&unit_info));                      \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_task_##kind##_is_supported(NULL)); \
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,                                                  \
			doca_rdma_cap_task_##kind##_is_supported(&poor_info));                     \
	} while (0)

START_TEST(test_capabilities)
{
	const enum doca_rdma_transport_type rc = DOCA_RDMA_TRANSPORT_TYPE_RC;
	const enum doca_rdma_transport_type dc = DOCA_RDMA_TRANSPORT_TYPE_DC;
	const enum doca_rdma_transport_type odd = (enum doca_rdma_transport_type)2;
	struct doca_rdma_gid gid;
	uint32_t n;

	LIMIT(max_recv_queue_size, FAKE_MAX_QUEUE);
	LIMIT(max_send_queue_size, FAKE_MAX_QUEUE);
	LIMIT(max_send_buf_list_len, FAKE_MAX_SGES);
	LIMIT(max_message_size, FAKE_MAX_MESSAGE);
	LIMIT(gid_table_size, FAKE_N_GIDS);
	PASSES(doca_rdma_cap_get_gid(&unit_info, 0, 1, &gid));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_gid(&unit_info, 0, 1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_gid(NULL, 0, 1, &gid));
	RETURNS(DOCA_ERROR_DRIVER, doca_rdma_cap_get_gid(&poor_info, 0, 1, &gid));
	PASSES(doca_rdma_cap_transport_type_is_supported(&unit_info, rc));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_rdma_cap_transport_type_is_supported(&unit_info, dc));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_cap_transport_type_is_supported(&unit_info, odd));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_transport_type_is_supported(NULL, rc));
	RETURNS(DOCA_ERROR_DRIVER, doca_rdma_cap_transport_type_is_supported(&poor_info, rc));
	PASSES(doca_rdma_cap_task_receive_get_max_dst_buf_list_len(&unit_info, rc, &n));
	ck_assert_uint_eq(n, FAKE_MAX_SGES);
	RETURNS(DOCA_ERROR_DRIVER,
		doca_rdma_cap_task_receive_get_max_dst_buf_list_len(&unit_info, dc, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_cap_task_receive_get_max_dst_buf_list_len(&unit_info, odd, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_cap_task_receive_get_max_dst_buf_list_len(&unit_info, rc, NULL));
	CAN(receive);
	CAN(send);
	CAN(send_imm);
	CAN(read);
	CAN(write);
	CAN(write_imm);
	CAN(atomic_cmp_swp);
	CAN(atomic_fetch_add);
	CAN(remote_net_sync_event_get);
	CAN(remote_net_sync_event_notify_set);
	CAN(remote_net_sync_event_notify_add);
}
END_TEST

/* --- life cycle and configuration --- */

/* Tests a numeric setter and its getter with one valid and one invalid value. */
#define FIELD(name, type, right, wrong, code)                                         \
	do {                                                                          \
		type got_;                                                            \
                                                                                      \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_##name(none, right)); \
		RETURNS(code, doca_rdma_set_##name(rdma, wrong));                     \
		PASSES(doca_rdma_set_##name(rdma, right));                            \
		PASSES(doca_rdma_get_##name(rdma, &got_));                            \
		ck_assert_int_eq((int)got_, (int)(right));                            \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(none, &got_)); \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(rdma, NULL));  \
		RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_set_##name(a.rdma, right));   \
	} while (0)

START_TEST(test_configuration)
{
	struct doca_rdma *rdma;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_create(NULL, &rdma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_create(&unit_dev, NULL));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_rdma_create(&poor_dev, &rdma));
	if (allocount_works)
		RUNS_OUT(0, doca_rdma_create(&unit_dev, &rdma));
	PASSES(doca_rdma_create(&unit_dev, &rdma));
	ck_assert_ptr_null(CALLED(doca_rdma_as_ctx(none)));
	ck_assert_ptr_nonnull(CALLED(doca_rdma_as_ctx(rdma)));
	FIELD(send_queue_size, uint32_t, 7, 0, DOCA_ERROR_INVALID_VALUE);
	FIELD(send_queue_size, uint32_t, 7, FAKE_MAX_QUEUE + 1, DOCA_ERROR_NOT_SUPPORTED);
	FIELD(recv_queue_size, uint32_t, 8, 0, DOCA_ERROR_INVALID_VALUE);
	FIELD(recv_queue_size, uint32_t, 8, FAKE_MAX_QUEUE + 1, DOCA_ERROR_NOT_SUPPORTED);
	FIELD(max_send_buf_list_len, uint32_t, 3, FAKE_MAX_SGES + 1, DOCA_ERROR_INVALID_VALUE);
	FIELD(transport_type, enum doca_rdma_transport_type, DOCA_RDMA_TRANSPORT_TYPE_RC,
	      DOCA_RDMA_TRANSPORT_TYPE_DC, DOCA_ERROR_NOT_SUPPORTED);
	FIELD(transport_type, enum doca_rdma_transport_type, DOCA_RDMA_TRANSPORT_TYPE_RC,
	      (enum doca_rdma_transport_type)2, DOCA_ERROR_INVALID_VALUE);
	FIELD(mtu, enum doca_mtu_size, DOCA_MTU_SIZE_512_BYTES, DOCA_MTU_SIZE_4K_BYTES,
	      DOCA_ERROR_NOT_SUPPORTED);
	FIELD(mtu, enum doca_mtu_size, DOCA_MTU_SIZE_512_BYTES, DOCA_MTU_SIZE_RAW_ETHERNET,
	      DOCA_ERROR_NOT_SUPPORTED);
	FIELD(mtu, enum doca_mtu_size, DOCA_MTU_SIZE_512_BYTES, (enum doca_mtu_size)6,
	      DOCA_ERROR_INVALID_VALUE);
	FIELD(permissions, uint32_t, DOCA_ACCESS_FLAG_RDMA_READ, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
	      DOCA_ERROR_INVALID_VALUE);
	FIELD(grh_enabled, uint8_t, 0, 2, DOCA_ERROR_INVALID_VALUE);
	FIELD(gid_index, uint32_t, 1, FAKE_N_GIDS, DOCA_ERROR_INVALID_VALUE);
	FIELD(sl, uint32_t, 3, 16, DOCA_ERROR_INVALID_VALUE);
	FIELD(connection_request_timeout, uint16_t, 100, 0, DOCA_ERROR_INVALID_VALUE);
	FIELD(max_num_connections, uint16_t, 9, 0, DOCA_ERROR_INVALID_VALUE);
	FIELD(max_num_connections, uint16_t, 9, FAKE_MAX_QPS + 1, DOCA_ERROR_NOT_SUPPORTED);
	FIELD(rnr_retry_count, uint8_t, 6, 8, DOCA_ERROR_INVALID_VALUE);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_task_receive_set_dst_buf_list_len(none, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_task_receive_set_dst_buf_list_len(rdma, 0));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_task_receive_set_dst_buf_list_len(a.rdma, 1));
	PASSES(doca_rdma_task_receive_set_dst_buf_list_len(rdma, 5));
	PASSES(doca_rdma_task_receive_get_dst_buf_list_len(rdma, &n));
	ck_assert_uint_eq(n, 5);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_task_receive_get_dst_buf_list_len(rdma, NULL));
	PASSES(doca_rdma_set_connection_state_callbacks(rdma, NULL, end_established, end_failure,
							end_disconnected));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_set_connection_state_callbacks(none, end_requested, end_established,
							 end_failure, end_disconnected));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_set_connection_state_callbacks(rdma, end_requested, NULL, end_failure,
							 end_disconnected));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_set_connection_state_callbacks(a.rdma, end_requested, end_established,
							 end_failure, end_disconnected));
	PASSES(doca_rdma_destroy(rdma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_destroy(none));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_destroy(a.rdma));
}
END_TEST

START_TEST(test_other_processors)
{
	struct doca_gpu_dev_rdma *gpu;
	doca_dpa_dev_rdma_t dpa;
	struct doca_dpa_completion *completion = (void *)&nothing;

	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_dpa_handle(a.rdma, &dpa));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_dpa_handle(none, &dpa));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_get_gpu_handle(a.rdma, &gpu));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_gpu_handle(a.rdma, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_dpa_completion_attach(a.rdma, completion));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_dpa_completion_attach(a.rdma, NULL));
}
END_TEST

/* --- connections --- */

START_TEST(test_details)
{
	struct doca_rdma_connection *conn, *second;
	const void *details;
	union doca_data data;
	uint32_t id;
	size_t len;

	RETURNS(DOCA_ERROR_FULL, doca_rdma_export(a.rdma, &details, &len, &conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(none, &details, &len, &conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(a.rdma, NULL, &len, &conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(a.rdma, &details, NULL, &conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(a.rdma, &details, &len, NULL));
	PASSES(doca_rdma_connection_get_id(a.conn, &id));
	ck_assert_uint_eq(id, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_get_id(a.conn, NULL));
	PASSES(doca_rdma_connection_set_user_data(a.conn, DATA(3)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_set_user_data(no_conn, DATA(3)));
	PASSES(doca_rdma_connection_get_user_data(a.conn, &data));
	ck_assert_uint_eq(data.u64, 3);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_get_user_data(no_conn, &data));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, b.details, b.details_len, a.conn));
	PASSES(doca_rdma_connection_disconnect(a.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(no_conn));
	fake.qp_new = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_export(a.rdma, &details, &len, &conn));
	fake.qp_new = DOCA_SUCCESS;
	PASSES(doca_rdma_export(a.rdma, &details, &len, &second));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, NULL, 1, second));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, "junk", 5, second));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_connect(a.rdma, b.details, b.details_len, no_conn));
	fake.connect = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED,
		doca_rdma_connect(a.rdma, b.details, b.details_len, second));
	fake.connect = DOCA_SUCCESS;
	PASSES(doca_rdma_connect(a.rdma, b.details, b.details_len, second));
	fake.disconnect = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connection_disconnect(second));
	fake.disconnect = DOCA_SUCCESS;
	end_stop(&a);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_export(a.rdma, &details, &len, &conn));
}
END_TEST

/* a connects to b; the identifiers are the fake provider's. */
static struct fake_cm_id asking, asked;
#define ID(id) ((struct rdma_cm_id *)&(id))

static void bridge_prepare(void)
{
	PASSES(doca_rdma_connection_disconnect(a.conn));
	PASSES(doca_rdma_connection_disconnect(b.conn));
	ends_progress(&a, &b);
	asking = (struct fake_cm_id){.other = &asked};
	asked = (struct fake_cm_id){.other = &asking, .is_asked = true};
	PASSES(doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), &a.conn));
	PASSES(doca_rdma_bridge_prepare_connection(b.rdma, ID(asked), &b.conn));
}

START_TEST(test_bridge)
{
	struct doca_rdma_connection *conn = NULL;
	uint32_t before = a.n_established, left;
	uint8_t word[57];

	RETURNS(DOCA_ERROR_FULL, doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), &conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_prepare_connection(a.rdma, NULL, &conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_bridge_prepare_connection(none, ID(asking), &conn));
	/* This connection was made by details, and not prepared. */
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_bridge_accept(a.rdma, NULL, 0, a.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(a.rdma, a.conn));
	bridge_prepare();
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, b.details, b.details_len, a.conn));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_bridge_accept(a.rdma, NULL, 0, a.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(a.rdma, a.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(b.rdma, b.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_accept(none, NULL, 0, b.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_accept(b.rdma, NULL, 0, no_conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_accept(b.rdma, NULL, 0, a.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_accept(b.rdma, NULL, 1, b.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_bridge_accept(b.rdma, word, sizeof(word), b.conn));
	fake.accept = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_bridge_accept(b.rdma, NULL, 0, b.conn));
	fake.accept = DOCA_SUCCESS;
	PASSES(doca_rdma_bridge_accept(b.rdma, word, 56, b.conn));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_bridge_accept(b.rdma, NULL, 0, b.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(a.rdma, no_conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(a.rdma, b.conn));
	PASSES(doca_rdma_bridge_established(b.rdma, b.conn));
	PASSES(doca_rdma_bridge_established(a.rdma, a.conn));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(a.rdma, a.conn));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_established, before + 1);
	ck_assert_ptr_eq(a.announced, a.conn);
	/* The identifier may be destroyed as soon as the connection is released. */
	left = b.n_disconnections;
	PASSES(doca_rdma_connection_disconnect(a.conn));
	ck_assert_ptr_null(asking.qp);
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_disconnections, left + 1);
	PASSES(doca_rdma_connection_disconnect(b.conn));
	ck_assert_ptr_null(asked.qp);
}
END_TEST

START_TEST(test_bridge_refused)
{
	struct doca_rdma_connection *conn = NULL;
	struct doca_rdma *soft;

	bridge_prepare();
	PASSES(doca_rdma_connection_disconnect(a.conn));
	ck_assert_ptr_null(asking.qp);
	fake.qp_new = DOCA_ERROR_NO_MEMORY;
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), &conn));
	fake.qp_new = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED,
		doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), &conn));
	fake.qp_new = DOCA_SUCCESS;
	fake.prepare = DOCA_ERROR_INVALID_VALUE;
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), &conn));
	fake.prepare = DOCA_SUCCESS;
	/* Each attempt returned its slot. */
	PASSES(doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), &conn));
	/* The context stops, and releases connections that were only prepared. */
	end_stop(&a);
	ck_assert_ptr_null(asking.qp);
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_rdma_bridge_prepare_connection(a.rdma, ID(asking), &conn));
	fake.has_no_cm_ids = true;
	PASSES(doca_rdma_create(&unit_dev, &soft));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_rdma_bridge_prepare_connection(soft, ID(asking), &conn));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_bridge_accept(soft, NULL, 0, b.conn));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_bridge_established(soft, b.conn));
	PASSES(doca_rdma_destroy(soft));
}
END_TEST

START_TEST(test_addresses)
{
	struct doca_rdma_addr *addr, *other;
	enum doca_rdma_addr_type type;
	const char *text;
	uint16_t port;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, NULL, 1, &addr));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "nowhere", 1, &addr));
	if (allocount_works)
		RUNS_OUT(0, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 1, &addr));
	PASSES(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv6, "::1", 5, &addr));
	PASSES(doca_rdma_addr_get_params(addr, &type, &text, &port));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_addr_get_params(NULL, &type, &text, &port));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_addr_get_params(addr, &type, NULL, &port));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_addr_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_start_listen_to_port(none, 5));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_stop_listen_to_port(b.rdma, 5));
	fake.listen = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_start_listen_to_port(b.rdma, 5));
	fake.listen = DOCA_SUCCESS;
	PASSES(doca_rdma_start_listen_to_port(b.rdma, 5));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(b.rdma, 5));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect_to_addr(none, addr, DATA(0)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect_to_addr(a.rdma, NULL, DATA(0)));
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_get_addr(a.conn, &other));
	PASSES(doca_rdma_connection_disconnect(a.conn));
	ends_progress(&a, &b);
	PASSES(doca_rdma_connection_disconnect(b.conn));
	PASSES(doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_requests, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(no_conn, NULL, 0));
	fake.accept = DOCA_ERROR_NO_MEMORY;
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_rdma_connection_accept(b.announced, NULL, 0));
	fake.accept = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connection_accept(b.announced, NULL, 0));
	fake.accept = DOCA_SUCCESS;
	PASSES(doca_rdma_connection_accept(b.announced, NULL, 0));
	ends_progress(&a, &b);
	PASSES(doca_rdma_connection_get_addr(b.announced, &other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_addr_destroy(other));
	PASSES(doca_rdma_connection_disconnect(a.announced));
	ends_progress(&a, &b);
	PASSES(doca_rdma_connection_disconnect(b.announced));
	PASSES(doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)));
	ends_progress(&a, &b);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_reject(no_conn));
	PASSES(doca_rdma_connection_reject(b.announced));
	ends_progress(&a, &b);
	PASSES(doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)));
	ends_progress(&a, &b);
	fake.reject = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connection_reject(b.announced));
	fake.reject = DOCA_SUCCESS;
	ends_progress(&a, &b);
	fake.listen = DOCA_ERROR_OPERATING_SYSTEM;
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_stop_listen_to_port(b.rdma, 5));
	fake.listen = DOCA_SUCCESS;
	PASSES(doca_rdma_start_listen_to_port(b.rdma, 5));
	PASSES(doca_rdma_stop_listen_to_port(b.rdma, 5));
	end_stop(&a);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)));
	a.rdma->limits.has_addresses = false;
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_start_listen_to_port(a.rdma, 5));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_stop_listen_to_port(a.rdma, 5));
	PASSES(doca_rdma_addr_destroy(addr));
}
END_TEST

/* --- tasks --- */

/* Configures one kind with one task, after every invalid configuration. */
#define CONF(kind)                                                                      \
	do {                                                                            \
		const doca_rdma_task_##kind##_completion_cb_t ok_ =                     \
			(doca_rdma_task_##kind##_completion_cb_t)end_ok;                \
		const doca_rdma_task_##kind##_completion_cb_t bad_ =                    \
			(doca_rdma_task_##kind##_completion_cb_t)end_failed;            \
                                                                                        \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                       \
			doca_rdma_task_##kind##_set_conf(none, ok_, bad_, N_TASKS));    \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                       \
			doca_rdma_task_##kind##_set_conf(a.rdma, NULL, bad_, N_TASKS)); \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                       \
			doca_rdma_task_##kind##_set_conf(a.rdma, ok_, NULL, N_TASKS));  \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                       \
			doca_rdma_task_##kind##_set_conf(a.rdma, ok_, bad_, 0));        \
		RETURNS(DOCA_ERROR_BAD_STATE,                                           \
			doca_rdma_task_##kind##_set_conf(b.rdma, ok_, bad_, N_TASKS));  \
		PASSES(doca_rdma_task_##kind##_set_conf(a.rdma, ok_, bad_, N_TASKS));   \
	} while (0)

/*
 * Allocates the only task of a kind, and tests the getter of its connection. The caller defines
 * `task` and `second`.
 */
#define ALLOC(kind, ...)                                                                           \
	do {                                                                                       \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_rdma_task_##kind##_allocate_init(none, a.conn, __VA_ARGS__, &task));  \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_task_##kind##_allocate_init(           \
							  a.rdma, no_conn, __VA_ARGS__, &task));   \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_rdma_task_##kind##_allocate_init(a.rdma, a.conn, __VA_ARGS__, NULL)); \
		PASSES(doca_rdma_task_##kind##_allocate_init(a.rdma, a.conn, __VA_ARGS__, &task)); \
		RETURNS(DOCA_ERROR_NO_MEMORY, doca_rdma_task_##kind##_allocate_init(               \
						      a.rdma, a.conn, __VA_ARGS__, &second));      \
		ck_assert_ptr_null(CALLED(doca_rdma_task_##kind##_as_task(NULL)));                 \
		ck_assert_ptr_eq(CALLED(doca_rdma_task_##kind##_get_rdma_connection(task)),        \
				 a.conn);                                                          \
		(void)CALLED(doca_rdma_task_##kind##_set_rdma_connection(task, b.conn));           \
		ck_fails(doca_task_try_submit(doca_rdma_task_##kind##_as_task(task)),              \
			 DOCA_ERROR_INVALID_VALUE);                                                \
		doca_rdma_task_##kind##_set_rdma_connection(task, a.conn);                         \
		(void)second;                                                                      \
	} while (0)

/* The getter returns what the setter set. */
#define SETS(kind, field, value, other)                                                  \
	do {                                                                             \
		CALLED(doca_rdma_task_##kind##_set_##field(task, other));                \
		ck_assert(CALLED(doca_rdma_task_##kind##_get_##field(task)) == (other)); \
		doca_rdma_task_##kind##_set_##field(task, value);                        \
		ck_assert(doca_rdma_task_##kind##_get_##field(task) == (value));         \
	} while (0)
/* Runs the task until it completes; the test frees it. */
#define RUN(kind)                                                                   \
	do {                                                                        \
		ck_ok(doca_task_try_submit(doca_rdma_task_##kind##_as_task(task))); \
		ends_progress(&a, &b);                                              \
		ck_assert_int_eq(a.status, DOCA_SUCCESS);                           \
	} while (0)
#define FREE(kind) doca_task_free(doca_rdma_task_##kind##_as_task(task))

static void restart(void)
{
	end_stop(&a);
	CONF(receive);
	CONF(send);
	CONF(send_imm);
	CONF(read);
	CONF(write);
	CONF(write_imm);
	CONF(atomic_cmp_swp);
	CONF(atomic_fetch_add);
	CONF(remote_net_sync_event_get);
	CONF(remote_net_sync_event_notify_set);
	CONF(remote_net_sync_event_notify_add);
	end_stop(&b);
	ck_ok(doca_ctx_start(a.ctx));
	ck_ok(doca_ctx_start(b.ctx));
	ends_connect(&a, &b);
	a.keeps = true;
}

static void receive_one(struct end *end)
{
	ck_ok(doca_task_submit(END_TASK(end, receive, NULL, DATA(0))));
}

START_TEST(test_messages)
{
	struct doca_buf *src = end_data(&a, 0, 8), *dst = end_recv_buf(&a, 8, 8);
	uint32_t imm = 5;

	restart();
	{
		struct doca_rdma_task_receive *task, *second = NULL;

		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_rdma_task_receive_allocate_init(none, dst, DATA(0), &task));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_rdma_task_receive_allocate_init(a.rdma, dst, DATA(0), NULL));
		PASSES(doca_rdma_task_receive_allocate_init(a.rdma, NULL, DATA(0), &task));
		RETURNS(DOCA_ERROR_NO_MEMORY,
			doca_rdma_task_receive_allocate_init(a.rdma, dst, DATA(0), &second));
		SETS(receive, dst_buf, dst, NULL);
		ck_ok(doca_task_try_submit(CALLED(doca_rdma_task_receive_as_task(task))));
		ck_ok(doca_task_submit(END_TASK(&b, send_imm, b.conn, NULL, 0x11223344, DATA(0))));
		ends_progress(&a, &b);
		ck_assert_int_eq(CALLED(doca_rdma_task_receive_get_result_opcode(task)),
				 DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
		ck_assert_uint_eq(CALLED(doca_rdma_task_receive_get_result_len(task)), 0);
		ck_assert_uint_eq(CALLED(doca_rdma_task_receive_get_result_immediate_data(task)),
				  0x11223344);
		ck_assert_ptr_eq(CALLED(doca_rdma_task_receive_get_result_rdma_connection(task)),
				 a.conn);
		FREE(receive);
	}
	{
		struct doca_rdma_task_send *task, *second = NULL;

		ALLOC(send, src, DATA(0));
		SETS(send, src_buf, NULL, src);
		receive_one(&b);
		RUN(send);
		FREE(send);
	}
	{
		struct doca_rdma_task_send_imm *task, *second = NULL;

		ALLOC(send_imm, NULL, imm, DATA(0));
		SETS(send_imm, src_buf, NULL, src);
		SETS(send_imm, immediate_data, imm, 6u);
		receive_one(&b);
		RUN(send_imm);
		FREE(send_imm);
	}
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(test_memory)
{
	struct doca_buf *src = end_data(&a, 0, 8), *dst = end_recv_buf(&a, 8, 8);
	struct doca_buf *remote_buf = end_remote(&a, &b, 0, 8, 8),
			*room = end_remote(&a, &b, 8, 16, 0);
	uint64_t value = 3, other = 4;

	restart();
	{
		struct doca_rdma_task_read *task, *second = NULL;

		ALLOC(read, remote_buf, dst, DATA(0));
		SETS(read, src_buf, remote_buf, NULL);
		SETS(read, dst_buf, dst, NULL);
		RUN(read);
		ck_assert_uint_eq(CALLED(doca_rdma_task_read_get_result_len(task)), 8);
		FREE(read);
	}
	{
		struct doca_rdma_task_write *task, *second = NULL;

		ALLOC(write, src, room, DATA(0));
		SETS(write, src_buf, src, NULL);
		SETS(write, dst_buf, room, NULL);
		RUN(write);
		FREE(write);
	}
	{
		struct doca_rdma_task_write_imm *task, *second = NULL;

		ALLOC(write_imm, src, room, 7, DATA(0));
		SETS(write_imm, src_buf, src, NULL);
		SETS(write_imm, dst_buf, room, NULL);
		SETS(write_imm, immediate_data, 7u, 8u);
		receive_one(&b);
		RUN(write_imm);
		FREE(write_imm);
	}
	{
		struct doca_rdma_task_atomic_cmp_swp *task, *second = NULL;

		ck_ok(doca_buf_reset_data_len(dst));
		ALLOC(atomic_cmp_swp, remote_buf, dst, other, value, DATA(0));
		SETS(atomic_cmp_swp, dst_buf, remote_buf, NULL);
		SETS(atomic_cmp_swp, result_buf, dst, NULL);
		SETS(atomic_cmp_swp, cmp_data, value, other);
		SETS(atomic_cmp_swp, swap_data, other, value);
		RUN(atomic_cmp_swp);
		FREE(atomic_cmp_swp);
	}
	{
		struct doca_rdma_task_atomic_fetch_add *task, *second = NULL;

		ck_ok(doca_buf_reset_data_len(dst));
		ALLOC(atomic_fetch_add, remote_buf, dst, value, DATA(0));
		SETS(atomic_fetch_add, dst_buf, remote_buf, NULL);
		SETS(atomic_fetch_add, result_buf, dst, NULL);
		SETS(atomic_fetch_add, add_data, value, other);
		RUN(atomic_fetch_add);
		FREE(atomic_fetch_add);
	}
	unit_put(src);
	unit_put(dst);
	unit_put(remote_buf);
	unit_put(room);
}
END_TEST

START_TEST(test_events)
{
	_Atomic uint64_t counter = 5;
	struct doca_sync_event_remote_net event = {
		.import = {.cell = {.value = &counter}, .dev = &unit_dev}};
	struct doca_buf *src = end_data(&a, 0, 8), *dst = end_recv_buf(&a, 8, 8);
	uint64_t value = 3, other = 4;

	restart();
	{
		struct doca_rdma_task_remote_net_sync_event_get *task, *second = NULL;

		ALLOC(remote_net_sync_event_get, &event, dst, DATA(0));
		SETS(remote_net_sync_event_get, sync_event, &event, NULL);
		SETS(remote_net_sync_event_get, dst_buf, dst, NULL);
		RUN(remote_net_sync_event_get);
		ck_assert_uint_eq(
			CALLED(doca_rdma_task_remote_net_sync_event_get_get_result_len(task)), 8);
		FREE(remote_net_sync_event_get);
	}
	{
		struct doca_rdma_task_remote_net_sync_event_notify_set *task, *second = NULL;

		ALLOC(remote_net_sync_event_notify_set, &event, src, DATA(0));
		SETS(remote_net_sync_event_notify_set, sync_event, &event, NULL);
		SETS(remote_net_sync_event_notify_set, src_buf, src, NULL);
		RUN(remote_net_sync_event_notify_set);
		FREE(remote_net_sync_event_notify_set);
	}
	{
		struct doca_rdma_task_remote_net_sync_event_notify_add *task, *second = NULL;

		ck_ok(doca_buf_reset_data_len(dst));
		ALLOC(remote_net_sync_event_notify_add, &event, dst, value, DATA(0));
		SETS(remote_net_sync_event_notify_add, sync_event, &event, NULL);
		SETS(remote_net_sync_event_notify_add, result_buf, dst, NULL);
		SETS(remote_net_sync_event_notify_add, add_data, value, other);
		RUN(remote_net_sync_event_notify_add);
		FREE(remote_net_sync_event_notify_add);
	}
	ck_assert_uint_eq(counter, 3);
	unit_put(src);
	unit_put(dst);
}
END_TEST

static const struct unreachable unreachable[] = {
	{"doca_rdma_set_mtu", "UNEXPECTED", "nothing here answers that way"},
	{"doca_rdma_set_grh_enabled", "NOT_SUPPORTED", "every device takes both values"},
	{"doca_rdma_set_rnr_retry_count", "NOT_SUPPORTED", "every device counts"},
	{"doca_rdma_get_recv_queue_size", "NOT_SUPPORTED", "every object has a receive queue"},
	{"doca_rdma_get_recv_queue_size", "BAD_STATE", "it is known in every state"},
	{"doca_rdma_task_receive_get_dst_buf_list_len", "BAD_STATE", "it is known in every state"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("doca_rdma", documented_doca_rdma, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("rdma");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_capabilities);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_other_processors);
	tcase_add_test(tcase, test_details);
	tcase_add_test(tcase, test_bridge);
	tcase_add_test(tcase, test_bridge_refused);
	tcase_add_test(tcase, test_addresses);
	tcase_add_test(tcase, test_messages);
	tcase_add_test(tcase, test_memory);
	tcase_add_test(tcase, test_events);
}

int main(void)
{
	cover_init();
	return runner_main("doca_rdma", add_cases, finish);
}
