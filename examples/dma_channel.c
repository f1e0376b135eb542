/* A directory that serves as the channel between two programs; dma_channel.h has the rules. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "common.h"
#include "dma_channel.h"

static int channel_path(char path[PATH_MAX], const char *dir, const char *name, const char *suffix)
{
	if (snprintf(path, PATH_MAX, "%s/%s%s", dir, name, suffix) >= PATH_MAX) {
		fprintf(stderr, "path is too long: %s\n", dir);
		return -1;
	}
	return 0;
}

int channel_put(const char *dir, const char *name, const void *data, size_t len)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	FILE *file;
	int bad;

	if (channel_path(path, dir, name, "") != 0 ||
	    channel_path(temporary, dir, name, ".new") != 0)
		return -1;
	file = fopen(temporary, "we");
	if (file == NULL) {
		perror(temporary);
		return -1;
	}
	bad = fwrite(data, 1, len, file) != len;
	bad |= fclose(file) != 0;
	if (bad || rename(temporary, path) != 0) {
		perror(path);
		return -1;
	}
	return 0;
}

int channel_get(const char *dir, const char *name, void *data, size_t cap, size_t *len_out)
{
	char path[PATH_MAX];
	FILE *file;
	size_t len;
	int bad;

	if (channel_path(path, dir, name, "") != 0)
		return -1;
	file = fopen(path, "re");
	if (file == NULL) {
		perror(path);
		return -1;
	}
	len = fread(data, 1, cap, file);
	bad = ferror(file) != 0 || (len == cap && fgetc(file) != EOF);
	fclose(file);
	if (bad) {
		fprintf(stderr, "%s: not readable, or longer than %zu bytes\n", path, cap);
		return -1;
	}
	*len_out = len;
	return 0;
}

static int inotify_wait(int fd, const char *path, uint64_t deadline_ns)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char events[4096];
	uint64_t now_ns;

	while (access(path, F_OK) != 0) {
		now_ns = example_now_ns();
		if (now_ns >= deadline_ns) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (poll(&pfd, 1, (int)((deadline_ns - now_ns) / 1000000 + 1)) < 0 &&
		    errno != EINTR)
			return -1;
		/* The kind of event does not matter: the loop checks for the file itself. */
		if (read(fd, events, sizeof(events)) < 0 && errno != EAGAIN && errno != EINTR)
			return -1;
	}
	return 0;
}

int channel_wait(const char *dir, const char *name, int timeout_s)
{
	uint64_t deadline_ns = example_now_ns() + (uint64_t)timeout_s * 1000000000u;
	char path[PATH_MAX];
	int fd, r = -1;

	if (channel_path(path, dir, name, "") != 0)
		return -1;
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd >= 0 && inotify_add_watch(fd, dir, IN_MOVED_TO) >= 0)
		r = inotify_wait(fd, path, deadline_ns);
	if (r != 0 && errno == ETIMEDOUT)
		fprintf(stderr,
			"%s did not appear within %d seconds; run the other side's program with "
			"the "
			"same --dir meanwhile\n",
			path, timeout_s);
	else if (r != 0)
		fprintf(stderr, "wait for %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return r;
}

void channel_clear(const char *dir)
{
	static const char *const names[] = {CHANNEL_OFFER, CHANNEL_DATA_DESC, CHANNEL_ANSWER_DESC,
					    CHANNEL_DONE};
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (channel_path(path, dir, names[i], "") == 0)
			unlink(path);
	}
}

int channel_offer_put(const char *dir, const struct channel_offer *offer)
{
	char text[512];
	int len;

	len = snprintf(text, sizeof(text),
		       "data 0x%" PRIx64 " %" PRIu64 "\nanswer 0x%" PRIx64 "\nsha256 %s\n",
		       offer->data_addr, offer->data_len, offer->answer_addr, offer->sha256);
	return channel_put(dir, CHANNEL_OFFER, text, (size_t)len);
}

int channel_offer_get(const char *dir, struct channel_offer *offer_out)
{
	struct channel_offer offer;
	char text[512];
	size_t len;

	if (channel_get(dir, CHANNEL_OFFER, text, sizeof(text) - 1, &len) != 0)
		return -1;
	text[len] = '\0';
	if (sscanf(text, "data 0x%" SCNx64 " %" SCNu64 " answer 0x%" SCNx64 " sha256 %64s",
		   &offer.data_addr, &offer.data_len, &offer.answer_addr, offer.sha256) != 4) {
		fprintf(stderr, "%s/%s is not an offer\n", dir, CHANNEL_OFFER);
		return -1;
	}
	*offer_out = offer;
	return 0;
}

int sha256_hex(const void *data, size_t len, char hex_out[SHA256_HEX_LEN])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int digest_len, i;

	if (EVP_Digest(data, len, digest, &digest_len, EVP_sha256(), NULL) != 1) {
		fprintf(stderr, "libcrypto has no SHA-256\n");
		return -1;
	}
	for (i = 0; i < digest_len; i++)
		snprintf(hex_out + 2 * i, 3, "%02x", digest[i]);
	return 0;
}
