/* Programs of DOCA 1.3 that check the attributes of an endpoint, see channel.h. */
#include <poll.h>
#include <sched.h>
#include <string.h>

#include <doca_comm_channel.h>

#include "tests/integration/comch/channel.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"

/* Raised to 8, and rounded up to 32. */
#define SERVICE_MAXMSGS 3u
#define CLIENT_MAXMSGS  20u
#define CLIENT_MSGSIZE  64u

static struct doca_comm_channel_ep_t *make(struct doca_comm_channel_init_attr attr)
{
	struct doca_comm_channel_ep_t *ep;

	OK(doca_comm_channel_ep_create(&attr, &ep));
	return ep;
}

/* Returns a name of this length. */
static const char *name_of(size_t len)
{
	static char name[SERVICE_NAME_MAX + 2];

	ck_assert_uint_lt(len, sizeof(name));
	memset(name, 'n', len);
	name[len] = '\0';
	return name;
}

static struct doca_comm_channel_peer_addr_info info_of(struct doca_comm_channel_addr_t *peer)
{
	struct doca_comm_channel_peer_addr_info info;

	memset(&info, 0xff, sizeof(info));
	OK(doca_comm_channel_peer_addr_info_get(peer, &info));
	return info;
}

/* Invalid attributes are detected when the endpoint is created, or when it gets its device. */
static void refused(doca_error_t (*begin)(struct doca_comm_channel_ep_t *ep, const char *name))
{
	struct doca_comm_channel_init_attr attr = {.maxmsgs = 32769};
	struct doca_comm_channel_ep_t *ep;

	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_create(&attr, &ep));
	attr = (struct doca_comm_channel_init_attr){.flags = DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK
							     << 1};
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_create(&attr, &ep));
	ep = make((struct doca_comm_channel_init_attr){.msgsize = UINT32_MAX});
	EXPECT(DOCA_ERROR_INVALID_VALUE, begin(ep, "too big"));
	OK(doca_comm_channel_ep_destroy(ep));
	ep = make((struct doca_comm_channel_init_attr){.maxmsgs = 32768});
	EXPECT(DOCA_ERROR_INVALID_VALUE, begin(ep, ""));
	EXPECT(DOCA_ERROR_INVALID_VALUE, begin(ep, name_of(SERVICE_NAME_MAX)));
	EXPECT(DOCA_ERROR_INVALID_VALUE, begin(ep, name_of(SERVICE_NAME_MAX + 1)));
	OK(doca_comm_channel_ep_destroy(ep));
}

/* --- the service --- */

/* Waits for one message and counts it. Returns its number. */
static uint64_t receive(struct doca_comm_channel_ep_t *ep, struct channel_figures *got,
			struct doca_comm_channel_addr_t **peer)
{
	uint8_t msg[CLIENT_MSGSIZE];
	size_t len = sizeof(msg);
	uint64_t number;

	OK(doca_comm_channel_ep_recvfrom(ep, msg, &len, DOCA_CC_MSG_FLAG_MORE, peer));
	ck_assert_uint_ge(len, sizeof(number));
	memcpy(&number, msg, sizeof(number));
	ck_assert(number == got->n_msgs || number == CHANNEL_STOP);
	got->n_msgs++;
	got->n_bytes += len;
	return number;
}

/* The cookie is private to this end: the peer's user data does not begin with it. */
static void check_user_data(struct doca_comm_channel_addr_t *peer)
{
	uint64_t word = 1;

	OK(doca_comm_channel_peer_addr_user_data_get(peer, &word));
	ck_assert_uint_eq(word, 0);
}

static void check_first(struct doca_comm_channel_addr_t *peer, const struct channel_figures *got,
			uint16_t vport)
{
	struct doca_comm_channel_peer_addr_info info = info_of(peer);

	ck_assert_uint_eq(info.rx_msgs, got->n_msgs);
	ck_assert_uint_eq(info.rx_bytes, got->n_bytes);
	ck_assert_uint_eq(info.tx_msgs, 0);
	ck_assert_uint_eq(info.tx_bytes, 0);
	ck_assert_uint_eq(info.curmsgs, 0);
	ck_assert_uint_eq(info.maxmsgs, 32);
	ck_assert_uint_eq(info.msgsize, CLIENT_MSGSIZE);
	ck_assert_uint_eq(info.vport, vport);
}

static void check_second(struct doca_comm_channel_addr_t *peer)
{
	struct doca_comm_channel_peer_addr_info info = info_of(peer);

	ck_assert_uint_eq(info.rx_msgs, 1);
	ck_assert_uint_eq(info.maxmsgs, 64);
	ck_assert_uint_eq(info.msgsize, 4080);
}

void channel_attr_serve(int sock, void *arg)
{
	struct doca_comm_channel_ep_t *ep = make((struct doca_comm_channel_init_attr){
		.cookie = 0xc00c1e, .maxmsgs = SERVICE_MAXMSGS});
	struct channel_figures got = {0}, of_second = {0};
	struct doca_comm_channel_addr_t *first, *second;
	uint16_t (*vport)(void) = arg;
	uint64_t word;
	size_t len = sizeof(word);

	refused(doca_comm_channel_ep_listen);
	OK(doca_comm_channel_ep_listen(ep, name_of(SERVICE_NAME_MAX - 1)));
	lab_signal(sock);
	/* No client is accepted meanwhile. */
	lab_wait(sock);
	ck_assert_uint_eq(receive(ep, &got, &first), 0);
	lab_signal(sock);
	/* No message is received. */
	lab_wait(sock);
	while (receive(ep, &got, &first) != CHANNEL_STOP)
		continue;
	/* A receive that finds no message has released all room. */
	EXPECT(DOCA_ERROR_AGAIN,
	       doca_comm_channel_ep_recvfrom(ep, &word, &len, DOCA_CC_MSG_FLAG_DONTWAIT, &second));
	check_first(first, &got, vport());
	check_user_data(first);
	OK(doca_comm_channel_ep_sendto(ep, &got, sizeof(got), DOCA_CC_MSG_FLAG_MORE, first));
	ck_assert_uint_eq(receive(ep, &of_second, &second), 0);
	ck_assert_ptr_ne(first, second);
	check_second(second);
	OK(doca_comm_channel_ep_sendto(ep, &got, sizeof(got), 0, second));
	ck_assert_uint_eq(info_of(first).tx_msgs, 1);
	ck_assert_uint_eq(info_of(first).tx_bytes, sizeof(got));
	lab_wait(sock);
	OK(doca_comm_channel_ep_destroy(ep));
}

/* --- the client --- */

static doca_error_t begin_client(struct doca_comm_channel_ep_t *ep, const char *name)
{
	struct doca_comm_channel_addr_t *peer;

	return doca_comm_channel_ep_connect(ep, name, &peer);
}

static void sleep_on(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	EXPECT_TRUE(poll(&pollfd, 1, LOST_MS) == 1, "a wake-up was lost");
}

/* Connects, while the service makes no call. */
static struct doca_comm_channel_addr_t *connect_unaccepted(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t *peer, *from;
	struct doca_comm_channel_peer_addr_info info;
	uint64_t number = 0;
	size_t len = sizeof(number);

	EXPECT(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(ep, "nobody", &peer));
	OK(doca_comm_channel_ep_connect(ep, name_of(SERVICE_NAME_MAX - 1), &peer));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_connect(ep, "again", &from));
	EXPECT(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(ep, &number, len, 0, peer));
	EXPECT(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &number, &len, 0, &from));
	info = info_of(peer);
	ck_assert_uint_eq(info.msgsize, 0);
	ck_assert_uint_eq(info.maxmsgs, 0);
	ck_assert_uint_eq(info.curmsgs, 0);
	ck_assert_uint_eq(info.tx_msgs, 0);
	return peer;
}

/* Sends without blocking in a call; if there is no room, sleeps or stops. */
static doca_error_t send_one(struct doca_comm_channel_ep_t *ep, uint64_t number, int flags,
			     struct doca_comm_channel_addr_t *peer, int fd,
			     struct channel_figures *sent)
{
	uint8_t msg[CLIENT_MSGSIZE] = {0};
	size_t len = number % 2 == 0 ? sizeof(number) : sizeof(msg);
	doca_error_t result;

	memcpy(msg, &number, sizeof(number));
	while ((result = doca_comm_channel_ep_sendto(ep, msg, len, flags, peer)) ==
		       DOCA_ERROR_AGAIN &&
	       fd >= 0)
		sleep_on(fd);
	if (result == DOCA_SUCCESS) {
		sent->n_msgs++;
		sent->n_bytes += len;
	}
	return result;
}

/*
 * The service has received one message and receives no more: the following messages fill its queue.
 */
static void fill(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer,
		 struct channel_figures *sent)
{
	const int flags = DOCA_CC_MSG_FLAG_MORE | DOCA_CC_MSG_FLAG_DONTWAIT;
	struct doca_comm_channel_peer_addr_info info;

	/*
	 * The credit of the first may arrive late from another machine, and makes room for one
	 * more.
	 */
	do {
		while (send_one(ep, sent->n_msgs, flags, peer, -1, sent) == DOCA_SUCCESS)
			continue;
		info = info_of(peer);
	} while (info.curmsgs < info.maxmsgs);
	ck_assert_uint_eq(info.maxmsgs, 8);
	ck_assert_uint_eq(info.curmsgs, 8);
	ck_assert(sent->n_msgs == 8 || sent->n_msgs == 9);
	ck_assert_uint_eq(info.msgsize, CLIENT_MSGSIZE);
	ck_assert_uint_eq(info.tx_msgs, sent->n_msgs);
	ck_assert_uint_eq(info.tx_bytes, sent->n_bytes);
	ck_assert_uint_eq(info.rx_msgs, 0);
	ck_assert_uint_eq(info.rx_bytes, 0);
}

static void exchange_until_stop(struct doca_comm_channel_ep_t *ep,
				struct doca_comm_channel_addr_t *peer, int fd,
				struct channel_figures *sent)
{
	struct doca_comm_channel_addr_t *from;
	struct channel_figures got;
	size_t len = sizeof(got);
	doca_error_t result;

	OK(send_one(ep, CHANNEL_STOP, DOCA_CC_MSG_FLAG_MORE, peer, fd, sent));
	while ((result = doca_comm_channel_ep_recvfrom(ep, &got, &len, 0, &from)) ==
	       DOCA_ERROR_AGAIN)
		sleep_on(fd);
	OK(result);
	ck_assert_ptr_eq(from, peer);
	ck_assert_uint_eq(len, sizeof(got));
	ck_assert_uint_eq(got.n_msgs, sent->n_msgs);
	ck_assert_uint_eq(got.n_bytes, sent->n_bytes);
}

static void sends_no_credentials(void)
{
	struct doca_comm_channel_ep_t *ep = make((struct doca_comm_channel_init_attr){0});
	struct doca_comm_channel_addr_t *peer;
	struct channel_figures got;
	uint8_t msg[4081] = {0};
	uint64_t number = 0;
	size_t len = sizeof(got);

	OK(doca_comm_channel_ep_connect(ep, name_of(SERVICE_NAME_MAX - 1), &peer));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_comm_channel_ep_sendto(ep, msg, sizeof(msg), 0, peer));
	OK(doca_comm_channel_ep_sendto(ep, &number, sizeof(number), 0, peer));
	OK(doca_comm_channel_ep_recvfrom(ep, &got, &len, 0, &peer));
	OK(doca_comm_channel_ep_destroy(ep));
}

void channel_attr_ask(int sock, void *arg)
{
	struct doca_comm_channel_ep_t *ep = make((struct doca_comm_channel_init_attr){
		.cookie = 7,
		.flags = DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK,
		.maxmsgs = CLIENT_MAXMSGS,
		.msgsize = CLIENT_MSGSIZE,
	});
	struct doca_comm_channel_peer_addr_info info;
	struct doca_comm_channel_addr_t *peer;
	struct channel_figures sent = {0};
	uint16_t (*vport)(void) = arg;
	int fd;

	refused(begin_client);
	peer = connect_unaccepted(ep);
	fd = doca_comm_channel_ep_event_channel_get(ep);
	ck_assert_int_ge(fd, 0);
	lab_signal(sock);
	OK(send_one(ep, 0, DOCA_CC_MSG_FLAG_MORE, peer, fd, &sent));
	lab_wait(sock);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(ep, &sent, 8, 4, peer));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_comm_channel_ep_sendto(ep, (uint8_t[CLIENT_MSGSIZE + 1]){0}, CLIENT_MSGSIZE + 1,
					   0, peer));
	fill(ep, peer, &sent);
	lab_signal(sock);
	exchange_until_stop(ep, peer, fd, &sent);
	sends_no_credentials();
	while ((info = info_of(peer)).curmsgs != 0)
		sched_yield();
	ck_assert_uint_eq(info.vport, vport());
	ck_assert_uint_eq(info.tx_msgs, sent.n_msgs);
	ck_assert_uint_eq(info.tx_bytes, sent.n_bytes);
	ck_assert_uint_eq(info.rx_msgs, 1);
	ck_assert_uint_eq(info.rx_bytes, sizeof(sent));
	check_user_data(peer);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_info_get(NULL, &info));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_info_get(peer, NULL));
	OK(doca_comm_channel_ep_disconnect(ep, peer));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_peer_addr_info_get(peer, &info));
	OK(doca_comm_channel_ep_destroy(ep));
}
