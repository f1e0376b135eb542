/* Structured log; see journal.h. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include "daemon/base/journal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "util/log.h"

#define JOURNAL_MAX_FIELDS 12
#define JOURNAL_FIELD_LEN  160

static const char *const journal_ids[JOURNAL_N_EVENTS] = {
	[JOURNAL_STARTED] = "6f3d2a9e4c7b4f0c9b1e5a7d80c2e411",
	[JOURNAL_STOPPING] = "1b7c5e02d9a84c3f8e6f0d4ab3975c22",
	[JOURNAL_RELOADED] = "c40e8f5b71d2493aa86d2f9b05e71a33",
	[JOURNAL_RELOAD_REFUSED] = "e95a1cd8036f4b7e9d40b82c6f13ea44",
	[JOURNAL_CLIENT_DROPPED] = "2d86f7b3a15e4d9cb0c7e94f5a682b55",
	[JOURNAL_PEER_LINKED] = "a71f0c4e92b8463d8fe2d5b97c064e66",
	[JOURNAL_PEER_LOST] = "58c3e9d1f06a4b27b4a9e0f7d21c8b77",
	[JOURNAL_EXPORT_REVOKED] = "f20b6d9a8c374e15a3d8c1e60b7f4988",
	[JOURNAL_RESUMED] = "9c5e17a4d0f84b62be317f0a86d4c299",
	[JOURNAL_NOT_RESUMED] = "07d4b8e3c62f4a9f95cb6e18d3a70faa",
};

static struct {
	const char *side;
	enum journal_event event;
} journal;

static _Thread_local struct journal_subject journal_subject;

struct journal_line {
	char texts[JOURNAL_MAX_FIELDS][JOURNAL_FIELD_LEN];
	struct iovec fields[JOURNAL_MAX_FIELDS + 1];
	int n;
};

static void journal_add(struct journal_line *line, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void journal_add(struct journal_line *line, const char *fmt, ...)
{
	char *text = line->texts[line->n];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, JOURNAL_FIELD_LEN, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	line->fields[line->n].iov_base = text;
	line->fields[line->n].iov_len = MIN((size_t)n, (size_t)JOURNAL_FIELD_LEN - 1);
	line->n++;
}

static void journal_add_subject(struct journal_line *line)
{
	const struct journal_subject *subject = &journal_subject;

	if (subject->client)
		journal_add(line, "DOCOCORE_CLIENT=%" PRIu64, subject->client);
	if (subject->has_uid) {
		journal_add(line, "DOCOCORE_CLIENT_PID=%d", (int)subject->pid);
		journal_add(line, "DOCOCORE_CLIENT_UID=%u", (unsigned)subject->uid);
	}
	if (subject->program)
		journal_add(line, "DOCOCORE_CLIENT_PROGRAM=%s", subject->program);
	if (subject->request)
		journal_add(line, "DOCOCORE_REQUEST=%s", subject->request);
	if (subject->peer)
		journal_add(line, "DOCOCORE_PEER=%s", subject->peer);
}

static bool journal_send(int priority, const char *text)
{
	struct journal_line line = {.n = 0};
	char message[2200];
	int n = snprintf(message, sizeof(message), "MESSAGE=%s", text);

	journal_add(&line, "PRIORITY=%d", priority);
	journal_add(&line, "SYSLOG_IDENTIFIER=dococored");
	journal_add(&line, "DOCOCORE_SIDE=%s", journal.side);
	if (journal.event != JOURNAL_NONE)
		journal_add(&line, "MESSAGE_ID=%s", journal_ids[journal.event]);
	journal_add_subject(&line);
	if (n < 0)
		return false;
	line.fields[line.n].iov_base = message;
	line.fields[line.n].iov_len = MIN((size_t)n, sizeof(message) - 1);
	return sd_journal_sendv(line.fields, line.n + 1) == 0;
}

/*
 * JOURNAL_STREAM is "device:inode" of the stream. It is compared, because standard error may have
 * been redirected since.
 */
static bool journal_is_stderr(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

void journal_open(const char *side)
{
	journal.side = side;
	if (journal_is_stderr())
		log_set_sink(journal_send);
}

struct journal_subject journal_enter(const struct journal_subject *subject)
{
	struct journal_subject before = journal_subject;

	journal_subject = *subject;
	return before;
}

void journal_leave(const struct journal_subject *before)
{
	journal_subject = *before;
}

bool journal_source(char *name_out, size_t name_len)
{
	const struct journal_subject *subject = &journal_subject;

	if (subject->has_uid)
		snprintf(name_out, name_len, "uid %u", (unsigned)subject->uid);
	else if (subject->peer)
		snprintf(name_out, name_len, "peer %s", subject->peer);
	else if (subject->group)
		snprintf(name_out, name_len, "%s", subject->group);
	return subject->has_uid || subject->peer || subject->group;
}

void journal_event_begin(enum journal_event event)
{
	journal.event = event;
}

void journal_event_end(void)
{
	journal.event = JOURNAL_NONE;
}
