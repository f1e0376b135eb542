/* Limits log lines that other processes cause; see log_limit.h. */
#include "daemon/base/log_limit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/journal.h"
#include "util/log.h"

#define OTHERS "other processes"

struct limit {
	char source[64];
	const char *reason; /* the format of the line, which is unique; NULL: free */
	char last[200];     /* the last suppressed line */
	enum log_level level;
	unsigned n_written, n_more;
	uint64_t until_ns;
};

static struct {
	struct loop_source *timer; /* exists while limits are in use */
	uint64_t period_ns;
	struct limit limits[LOG_LIMIT_MAX + 1]; /* the last one is shared (OTHERS) */
	unsigned n;                             /* number of limits in use */
} state;

static void limit_end(struct limit *limit)
{
	struct limit ended = *limit;

	*limit = (struct limit){.reason = NULL};
	state.n--;
	if (ended.n_more)
		log_write(ended.level, "%s: %u more lines like this one were not logged: %s",
			  ended.source, ended.n_more, ended.last);
}

static void log_limit_on_timer(void *user)
{
	uint64_t now_ns = clock_now_ns(), next_ns = UINT64_MAX;

	(void)user;
	for (size_t i = 0; i < ARRAY_LEN(state.limits); i++) {
		struct limit *limit = &state.limits[i];

		if (!limit->reason)
			continue;
		if (limit->until_ns <= now_ns)
			limit_end(limit);
		else
			next_ns = MIN(next_ns, limit->until_ns);
	}
	if (state.n)
		loop_timer_set(state.timer, next_ns - now_ns);
}

static struct limit *limit_find(const char *source, const char *reason)
{
	struct limit *limit, *place = &state.limits[LOG_LIMIT_MAX];

	for (size_t i = 0; i < LOG_LIMIT_MAX; i++) {
		limit = &state.limits[i];
		if (limit->reason == reason && strcmp(limit->source, source) == 0)
			return limit;
		if (!limit->reason && place == &state.limits[LOG_LIMIT_MAX])
			place = limit;
	}
	if (place->reason)
		return place;
	snprintf(place->source, sizeof(place->source), "%s",
		 place == &state.limits[LOG_LIMIT_MAX] ? OTHERS : source);
	place->reason = reason;
	place->until_ns = clock_now_ns() + state.period_ns;
	if (state.n++ == 0)
		loop_timer_set(state.timer, state.period_ns);
	return place;
}

static bool log_limit_filter(enum log_level level, const char *reason, const char *source,
			     const char *text)
{
	struct limit *limit = limit_find(source, reason);

	if (limit->n_written < LOG_LIMIT_BURST) {
		limit->n_written++;
		return true;
	}
	limit->n_more++;
	limit->level = level;
	snprintf(limit->last, sizeof(limit->last), "%s", text);
	return false;
}

int log_limit_start(struct loop *loop, uint64_t period_ns)
{
	log_limit_stop();
	state.timer = loop_timer_new(loop, log_limit_on_timer, NULL);
	if (!state.timer)
		return -ENOMEM;
	state.period_ns = period_ns ? period_ns : LOG_LIMIT_NS;
	log_set_origin(journal_source, log_limit_filter);
	return 0;
}

void log_limit_stop(void)
{
	log_set_origin(NULL, NULL);
	for (size_t i = 0; i < ARRAY_LEN(state.limits); i++)
		if (state.limits[i].reason)
			limit_end(&state.limits[i]);
	state.timer = loop_source_free(state.timer);
}
