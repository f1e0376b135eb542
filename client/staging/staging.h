/*
 * Staging: the part of the libraries compress, aes_gcm, erasure_coding and sha that holds tasks
 * which cannot be executed at once. There are two reasons to hold a task:
 *
 * - Its source or destination is memory of another machine, which only posted requests reach. The
 *   source is read into bounce memory of this process, the task is executed on it, and its result
 *   is written from there (client/staging/transfer.h).
 * - It is long, and the program has asked for a thread that executes long tasks
 *   (client/staging/thread.h).
 *
 * While a task is held, all later tasks of the context are held behind it, so that the tasks of a
 * context are executed and complete in the order of their submission, except tasks that a stop
 * ends: those that are not held yet complete with SHUTDOWN before the task in progress completes.
 * One task at a time is in progress. In a forked child, held tasks never complete.
 *
 * A held task is executed as a copy whose source and destination are the bounce memory as far as
 * they are staged. The library sees single buffers of this process then, and the task that the
 * program can reach does not change before it completes. Threads: those of the progress engine; the
 * library's `run` may be called on the thread of its context.
 */
#ifndef CLIENT_STAGING_STAGING_H
#define CLIENT_STAGING_STAGING_H

#include "client/memory/buf.h"
#include "client/progress/task.h"

/* The bounce memory of a context, for sources and for results each, unless the environment variable
 * DOCOCORED_BOUNCE_BYTES says otherwise. */
#define STAGING_BOUNCE_LEN (4u << 20)

/* The longest task, in bytes. */
#define STAGING_TASK_MAX 512u

/* Each task of such a library begins with these members. */
struct staged_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
};
#define STAGED_TASK_ASSERT(type)                                                                  \
	_Static_assert(offsetof(struct type, src) == offsetof(struct staged_task, src) &&         \
			       offsetof(struct type, dst) == offsetof(struct staged_task, dst) && \
			       sizeof(struct type) <= STAGING_TASK_MAX,                           \
		       "a task of a library with a staging begins like a staged_task")

/* The memory that a valid task needs. */
struct staging_need {
	size_t src_len;  /* bytes of the source */
	size_t dst_len;  /* room for the result */
	size_t work_len; /* the measure by which a task is long, in bytes */
};

struct staging_ops {
	/*
	 * Checks a task that is to be executed next. Returns SUCCESS and what it needs, or the
	 * error that the execution would return, with its sentence.
	 */
	doca_error_t (*check)(struct doca_task *task, struct staging_need *need_out);
	/*
	 * Executes a checked task; `task` may be a copy. On any thread: must not change the context
	 * or its counters. Members of the task behind struct staged_task are copied back.
	 */
	doca_error_t (*run)(struct doca_task *task);
	/* Called before a held task completes with an error, which is not SHUTDOWN and not from
	 * `run`. May be NULL. */
	void (*on_failed)(struct doca_task *task);
	/* Called with a held task after `run`, on the thread of the progress engine. May be
	 * NULL. */
	void (*on_run)(struct doca_task *task);
	/* Bounce memory is overwritten after each task. Core dumps leave it out, and forked
	 * children have zeros there. */
	bool is_secret;
};

struct staging;

/* The object of such a library begins with this struct. */
struct staged_ctx {
	struct doca_ctx ctx;
	/* Tasks whose measure is at least this long are held: SIZE_MAX if there is no thread, 0
	 * while a task is held. */
	size_t hold_len;
	struct staging *staging; /* from the start to the release; NULL: no task can be held */
};

static inline struct staged_ctx *staged_ctx_of(struct doca_ctx *ctx)
{
	return (struct staged_ctx *)(void *)ctx;
}

/*
 * Called by the start of the context: reserves bounce memory, and starts a thread if the program
 * asked for it. Returns INITIALIZATION with an error sentence.
 */
doca_error_t staging_open(struct doca_ctx *ctx, const struct staging_ops *ops);
/* The operations of struct ctx_ops; staging_release() accepts a context without a staging. */
void staging_stop(struct doca_ctx *ctx);
bool staging_stopped(const struct doca_ctx *ctx);
void staging_release(struct doca_ctx *ctx);
uint8_t staging_poll(struct doca_ctx *ctx);
bool staging_arm(struct doca_ctx *ctx);
void staging_disarm(struct doca_ctx *ctx);

/* Returns whether tasks are held, so that the next one must be held too, before it is checked. */
static inline bool staging_is_busy(const struct staged_ctx *staged)
{
	return staged->hold_len == 0;
}

/* Holds a task. Returns IN_PROGRESS, the result of its execution. */
doca_error_t staging_hold(struct doca_task *task);

/*
 * Returns whether a checked task must be held. `is_mapped`: all memory of both lists is mapped in
 * this process.
 */
bool staging_must_hold_unmapped(const struct staged_task *t);
static inline bool staging_must_hold(const struct staged_ctx *staged, const struct staged_task *t,
				     bool is_mapped, size_t work_len)
{
	return unlikely(work_len >= staged->hold_len) ||
	       (unlikely(!is_mapped) && staging_must_hold_unmapped(t));
}

/*
 * The check of a task for bounce memory. Returns NULL, or a clause that says what exceeds it.
 * `need` may have a result length of 0 if it is not known.
 */
const char *staging_exceeds(const struct staged_task *t, const struct staging_need *need);
/* For `run`: returns whether the context's thread calls it, so that the program goes on. */
bool staging_is_on_thread(const struct staged_ctx *staged);
/* Returns whether the buffer is bounce memory, whose room is limited by the staging. */
bool staging_is_bounce(const struct doca_buf *buf);

#endif
