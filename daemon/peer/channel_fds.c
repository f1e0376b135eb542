/* Memory and eventfds of a channel; see channel_fds.h. */
#include "daemon/peer/channel_fds.h"

#include <errno.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "util/fd.h"
#include "util/memfd.h"

void channel_fds_deinit(struct channel_fds *parts)
{
	fd_close(&parts->memfd);
	fd_close(&parts->server_eventfd);
	fd_close(&parts->client_eventfd);
}

int channel_fds_init(struct channel_fds *parts, uint32_t ring_len)
{
	struct {
		uint32_t magic, version, ring_len;
	} head = {CHANNEL_MAGIC, CHANNEL_LAYOUT, ring_len};

	parts->memfd = memfd_create_sealed("dococored-channel",
					   CHANNEL_HEADER_LEN + 2ull * ring_len);
	parts->server_eventfd = fd_eventfd();
	parts->client_eventfd = fd_eventfd();
	if (parts->memfd < 0)
		return parts->memfd;
	if (parts->server_eventfd < 0)
		return parts->server_eventfd;
	if (parts->client_eventfd < 0)
		return parts->client_eventfd;
	return pwrite(parts->memfd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) ? 0 : -EIO;
}
