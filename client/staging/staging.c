/*
 * Staging; see client/staging/staging.h. The first held task goes through the stages below, each
 * at most once: a stage that has nothing to do is skipped. Threads: those of the progress engine.
 */
#include "client/staging/staging.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/memory/buf_copy.h"
#include "client/staging/thread.h"
#include "client/staging/transfer.h"
#include "util/memfd.h"

enum stage {
	STAGE_WAITING, /* not begun */
	STAGE_READING, /* requests read the source into bounce memory */
	STAGE_RUNNING, /* the thread executes the task */
	STAGE_WRITING, /* requests write the result from bounce memory */
};

/* Bounce memory for sources, or for results. */
struct area {
	uint8_t *bytes;
	size_t len;
	struct doca_mmap *mmap;
	bool is_used;         /* by the first task */
	struct doca_buf view; /* the buffer that the library sees, if is_used */
};

struct staging {
	struct staged_ctx *staged;
	const struct staging_ops *ops;
	struct doca_task *head, **tail; /* held tasks; the first one may be in progress */
	enum stage stage;
	bool is_ended;            /* the context stops */
	struct staging_need need; /* of the first task */
	struct area in, out;
	struct transfer transfer;
	struct staging_thread *thread; /* NULL: every task is executed by the engine */
	size_t thread_len;             /* the shortest task for the thread; SIZE_MAX without it */
	/* The copy of the first task that is executed. */
	union {
		struct staged_task task;
		uint8_t bytes[STAGING_TASK_MAX];
	} copy;
};

/* --- opening and closing --- */

/* Returns the value of an environment variable that is a number of bytes, or `otherwise`. */
static size_t env_bytes(const char *name, size_t min, size_t max, size_t otherwise)
{
	const char *text = env_variable(name);
	unsigned long long n;
	char *end;

	if (text == NULL || text[0] == '\0')
		return otherwise;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end == '\0' && text[0] >= '0' && text[0] <= '9' && errno == 0 && n >= min && n <= max)
		return (size_t)n;
	sdk_warning("%s=%.32s is no number of %zu to %zu", name, text, min, max);
	return otherwise;
}

#define BOUNCE_MAX ((size_t)1 << 30)

/* With MAP_NORESERVE the kernel does not account for memory that most programs never use. */
static doca_error_t areas_reserve(struct staging *s)
{
	struct doca_ctx *ctx = &s->staged->ctx;
	size_t page = memfd_page_size();
	size_t len = ALIGN_UP(
		env_bytes("DOCOCORED_BOUNCE_BYTES", 1, BOUNCE_MAX, STAGING_BOUNCE_LEN), page);
	uint8_t *map = mmap(NULL, 2 * len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	doca_error_t result;

	if (map == MAP_FAILED)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "%s start: cannot reserve %zu bytes of address space; raise "
				 "RLIMIT_AS, or set DOCOCORED_BOUNCE_BYTES to less than %zu",
				 ctx->ops->name, 2 * len, len);
	if (s->ops->is_secret) {
		(void)madvise(map, 2 * len, MADV_DONTDUMP);
		(void)madvise(map, 2 * len, MADV_WIPEONFORK);
	}
	s->in = (struct area){.bytes = map, .len = len};
	s->out = (struct area){.bytes = map + len, .len = len};
	result = mmap_new_started(ctx->dev, s->in.bytes, len, &s->in.mmap);
	if (result == DOCA_SUCCESS)
		result = mmap_new_started(ctx->dev, s->out.bytes, len, &s->out.mmap);
	if (result != DOCA_SUCCESS)
		return error_set(DOCA_ERROR_INITIALIZATION, "%s start: out of memory",
				 ctx->ops->name);
	s->in.mmap->is_private = s->out.mmap->is_private = true;
	return DOCA_SUCCESS;
}

static void areas_release(struct staging *s)
{
	if (s->in.mmap != NULL)
		(void)doca_mmap_destroy(s->in.mmap);
	if (s->out.mmap != NULL)
		(void)doca_mmap_destroy(s->out.mmap);
	if (s->in.bytes != NULL)
		munmap(s->in.bytes, s->in.len + s->out.len);
}

/* On the thread. */
static doca_error_t run_copy(void *arg)
{
	struct staging *s = arg;

	return s->ops->run(&s->copy.task.task);
}

static doca_error_t thread_open(struct staging *s)
{
	s->thread_len = env_bytes("DOCOCORED_THREAD_BYTES", 1, SIZE_MAX, SIZE_MAX);
	return s->thread_len == SIZE_MAX
		       ? DOCA_SUCCESS
		       : staging_thread_start(s->staged->ctx.pe, run_copy, s, &s->thread);
}

doca_error_t staging_open(struct doca_ctx *ctx, const struct staging_ops *ops)
{
	struct staging *s = calloc(1, sizeof(*s));
	doca_error_t result;

	if (s == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "%s start: out of memory",
				 ctx->ops->name);
	s->staged = staged_ctx_of(ctx);
	s->ops = ops;
	s->tail = &s->head;
	transfer_init(&s->transfer, ctx->ops->name, ctx->dev, ctx->pe);
	s->staged->staging = s;
	result = areas_reserve(s);
	if (result == DOCA_SUCCESS)
		result = thread_open(s);
	if (result == DOCA_SUCCESS)
		s->staged->hold_len = s->thread_len;
	else
		staging_release(ctx);
	return result;
}

void staging_release(struct doca_ctx *ctx)
{
	struct staged_ctx *staged = staged_ctx_of(ctx);
	struct staging *s = staged->staging;

	if (s == NULL)
		return;
	ctx_set_polled(ctx, false);
	s->thread = staging_thread_end(s->thread, ctx->pe);
	transfer_deinit(&s->transfer);
	areas_release(s);
	free(s);
	staged->staging = NULL;
	staged->hold_len = SIZE_MAX;
}

/* --- which tasks are held --- */

bool staging_must_hold_unmapped(const struct staged_task *t)
{
	const struct staged_ctx *staged = staged_ctx_of(t->task.ctx);

	return staged->staging != NULL &&
	       (transfer_is_needed(t->src) || transfer_is_needed(t->dst));
}

const char *staging_exceeds(const struct staged_task *t, const struct staging_need *need)
{
	const struct staging *s = staged_ctx_of(t->task.ctx)->staging;

	if (s == NULL)
		return NULL;
	if (need->src_len > s->in.len && transfer_is_needed(t->src))
		return "the source is memory of another machine and longer than the bounce memory; "
		       "use shorter tasks, or set DOCOCORED_BOUNCE_BYTES before the start";
	if (need->dst_len > s->out.len && transfer_is_needed(t->dst))
		return "the result is for memory of another machine and longer than the bounce "
		       "memory; use shorter tasks, or set DOCOCORED_BOUNCE_BYTES before the start";
	return NULL;
}

bool staging_is_on_thread(const struct staged_ctx *staged)
{
	/* The engine changes the stage only while the thread does not run. */
	return staged->staging->stage == STAGE_RUNNING;
}

bool staging_is_bounce(const struct doca_buf *buf)
{
	return buf->mmap->is_private;
}

doca_error_t staging_hold(struct doca_task *task)
{
	struct staged_ctx *staged = staged_ctx_of(task->ctx);
	struct staging *s = staged->staging;

	task->next = NULL;
	*s->tail = task;
	s->tail = &task->next;
	staged->hold_len = 0;
	ctx_set_polled(task->ctx, true);
	return DOCA_ERROR_IN_PROGRESS;
}

/* --- the stages of the first task; each returns true when the task has ended, with a status --- */

static struct staged_task *first_task(const struct staging *s)
{
	return (struct staged_task *)(void *)s->head;
}

static size_t list_room(const struct doca_buf *list)
{
	const struct doca_buf *pos;
	size_t room = 0;

	BUF_FOR_EACH(pos, list)
	{
		if (__builtin_add_overflow(room, buf_tail_room(pos), &room))
			return SIZE_MAX;
	}
	return room;
}

/* Returns the room that the library sees. No more than the result needs, if that is known: all of
 * it is overwritten after the task if it is secret. */
static size_t result_room(const struct staging *s, const struct doca_buf *dst)
{
	size_t room = list_room(dst);

	return s->need.dst_len == 0 ? room : MIN(room, s->need.dst_len);
}

static void area_use(struct area *area, size_t len, size_t data_len)
{
	area->is_used = true;
	area->view = (struct doca_buf){
		.head = area->bytes,
		.len = MIN(len, area->len),
		.data = area->bytes,
		.data_len = data_len,
		.mmap = area->mmap,
		.state = 1,
	};
}

static struct transfer_memory area_memory(const struct area *area, size_t len)
{
	return (struct transfer_memory){.mmap = area->mmap, .bytes = area->bytes, .len = len};
}

/* Copies the results of the execution to the task of the program. */
static void copy_back(struct staging *s, size_t len)
{
	memcpy((uint8_t *)s->head + sizeof(struct staged_task),
	       s->copy.bytes + sizeof(struct staged_task), len - sizeof(struct staged_task));
}

static size_t task_len(const struct doca_task *task)
{
	return MIN(task->pool->stride, sizeof(((struct staging *)NULL)->copy));
}

static bool failed(const struct staging *s, doca_error_t status, doca_error_t *status_out)
{
	if (status != DOCA_ERROR_SHUTDOWN && s->ops->on_failed != NULL)
		s->ops->on_failed(s->head);
	*status_out = status;
	return true;
}

static bool transfer_failed(const struct staging *s, doca_error_t *status_out)
{
	if (s->transfer.status != DOCA_ERROR_SHUTDOWN)
		error_restore(&s->transfer.sentence);
	return failed(s, s->transfer.status, status_out);
}

static bool stage_write(struct staging *s, doca_error_t *status_out)
{
	struct staged_task *t = first_task(s);

	if (s->stage != STAGE_WRITING) {
		s->stage = STAGE_WRITING;
		transfer_begin_write(&s->transfer, t->dst,
				     area_memory(&s->out, s->out.view.data_len));
	}
	if (!transfer_poll(&s->transfer))
		return false;
	if (s->transfer.status != DOCA_SUCCESS)
		return transfer_failed(s, status_out);
	buf_copy_commit(t->dst, s->out.view.data_len);
	*status_out = DOCA_SUCCESS;
	return true;
}

/* Continues after the execution. */
static bool stage_ran(struct staging *s, doca_error_t result, doca_error_t *status_out)
{
	copy_back(s, task_len(s->head));
	if (s->ops->on_run != NULL)
		s->ops->on_run(s->head);
	if (result == DOCA_SUCCESS && s->out.is_used && s->out.view.data_len > 0)
		return stage_write(s, status_out);
	*status_out = result;
	return true;
}

static bool stage_run(struct staging *s, doca_error_t *status_out)
{
	doca_error_t result;

	memcpy(s->copy.bytes, s->head, task_len(s->head));
	if (s->in.is_used)
		s->copy.task.src = &s->in.view;
	if (s->out.is_used)
		s->copy.task.dst = &s->out.view;
	if (s->need.work_len < s->thread_len) {
		result = s->ops->run(&s->copy.task.task);
		return stage_ran(s, result, status_out);
	}
	s->stage = STAGE_RUNNING;
	staging_thread_run(s->thread);
	return false;
}

static bool stage_await_thread(struct staging *s, doca_error_t *status_out)
{
	doca_error_t result;

	/* The paths to other processes are kept up. */
	(void)transfer_poll(&s->transfer);
	return staging_thread_is_done(s->thread, &result) && stage_ran(s, result, status_out);
}

static bool stage_read(struct staging *s, doca_error_t *status_out)
{
	if (s->stage != STAGE_READING) {
		s->stage = STAGE_READING;
		transfer_begin_read(&s->transfer, first_task(s)->src,
				    area_memory(&s->in, s->need.src_len));
	}
	if (!transfer_poll(&s->transfer))
		return false;
	if (s->transfer.status != DOCA_SUCCESS)
		return transfer_failed(s, status_out);
	return stage_run(s, status_out);
}

static bool stage_begin(struct staging *s, doca_error_t *status_out)
{
	struct staged_task *t = first_task(s);
	const char *excess;

	if (s->is_ended || s->staged->ctx.state != DOCA_CTX_STATE_RUNNING)
		return failed(s, DOCA_ERROR_SHUTDOWN, status_out);
	*status_out = s->ops->check(&t->task, &s->need);
	if (*status_out != DOCA_SUCCESS)
		return true;
	excess = staging_exceeds(t, &s->need);
	if (excess != NULL)
		return failed(
			s,
			error_set(DOCA_ERROR_IO_FAILED, "%s: %s", s->staged->ctx.ops->name, excess),
			status_out);
	if (transfer_is_needed(t->dst))
		area_use(&s->out, result_room(s, t->dst), 0);
	if (!transfer_is_needed(t->src))
		return stage_run(s, status_out);
	area_use(&s->in, s->need.src_len, s->need.src_len);
	return stage_read(s, status_out);
}

static bool stage_continue(struct staging *s, doca_error_t *status_out)
{
	switch (s->stage) {
	case STAGE_READING:
		return stage_read(s, status_out);
	case STAGE_RUNNING:
		return stage_await_thread(s, status_out);
	case STAGE_WRITING:
		return stage_write(s, status_out);
	case STAGE_WAITING:
	default:
		return stage_begin(s, status_out);
	}
}

static void area_reset(const struct staging *s, struct area *area)
{
	if (area->is_used && s->ops->is_secret)
		explicit_bzero(area->bytes, area->view.len);
	area->is_used = false;
}

/* Removes the first task and completes it. This calls the application, and the context may be freed
 * then. */
static void first_end(struct staging *s, doca_error_t status)
{
	struct doca_task *task = s->head;

	s->head = task->next;
	s->stage = STAGE_WAITING;
	area_reset(s, &s->in);
	area_reset(s, &s->out);
	if (s->ops->is_secret)
		explicit_bzero(s->copy.bytes, sizeof(s->copy));
	if (s->head == NULL) {
		s->tail = &s->head;
		s->staged->hold_len = s->thread_len;
		/* Open paths must be polled. */
		if (!transfer_has_paths(&s->transfer))
			ctx_set_polled(task->ctx, false);
	}
	if (status == DOCA_SUCCESS)
		ctx_count_bytes(task->ctx, s->need.src_len);
	task_finish(task, status);
}

/* --- the operations of the context --- */

uint8_t staging_poll(struct doca_ctx *ctx)
{
	struct staging *s = staged_ctx_of(ctx)->staging;
	doca_error_t status;

	if (s->head == NULL) {
		(void)transfer_poll(&s->transfer);
		return 0;
	}
	if (!stage_continue(s, &status))
		return 0;
	first_end(s, status);
	return 1;
}

void staging_stop(struct doca_ctx *ctx)
{
	struct staging *s = staged_ctx_of(ctx)->staging;

	if (s == NULL)
		return;
	s->is_ended = true;
	transfer_stop(&s->transfer);
}

bool staging_stopped(const struct doca_ctx *ctx)
{
	const struct staging *s = ((const struct staged_ctx *)(const void *)ctx)->staging;

	return s == NULL || s->head == NULL;
}

bool staging_arm(struct doca_ctx *ctx)
{
	struct staging *s = staged_ctx_of(ctx)->staging;

	if (s->head != NULL && (s->stage == STAGE_WAITING || s->transfer.must_step))
		return true;
	if (s->stage == STAGE_RUNNING && staging_thread_arm(s->thread))
		return true;
	return transfer_arm(&s->transfer);
}

void staging_disarm(struct doca_ctx *ctx)
{
	struct staging *s = staged_ctx_of(ctx)->staging;

	if (s->thread != NULL)
		staging_thread_disarm(s->thread);
	transfer_disarm(&s->transfer);
}
