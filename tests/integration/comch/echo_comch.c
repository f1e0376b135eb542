/* The conversation of echo.h by a program of DOCA 3.3: comch, a progress engine and callbacks. */
#include <string.h>

#include "tests/integration/comch/echo.h"
#include "tests/lib/lab.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"

/* The service replies from here; the client counts. */
struct speaker {
	struct talk talk;
	unsigned n_answered;
	bool is_over;
};

static void answer(struct talk *talk, struct doca_comch_connection *connection,
		   const uint8_t *bytes, uint32_t len)
{
	struct speaker *speaker = talk->owner;

	ck_assert(talk_send(talk, connection, bytes, len));
	speaker->is_over |= echo_is(bytes, len, ECHO_N);
}

static void check(struct talk *talk, struct doca_comch_connection *connection, const uint8_t *bytes,
		  uint32_t len)
{
	struct speaker *speaker = talk->owner;

	(void)connection;
	ck_assert(echo_is(bytes, len, speaker->n_answered));
	speaker->n_answered++;
}

static void serve(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct speaker speaker = {0};
	struct doca_pe *pe;

	(void)arg;
	OK(doca_pe_create(&pe));
	speaker.talk.owner = &speaker;
	speaker.talk.msg_max = ECHO_MAX;
	speaker.talk.on_message = answer;
	talk_serve(&speaker.talk, pe, dev, ECHO_SERVICE, 64);
	lab_signal(sock);
	while (!speaker.is_over || speaker.talk.n_left == 0)
		use_progress(pe);
	talk_end(&speaker.talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static void ask(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct speaker speaker = {0};
	unsigned n_asked = 0;
	struct doca_pe *pe;

	(void)sock;
	(void)arg;
	OK(doca_pe_create(&pe));
	speaker.talk.owner = &speaker;
	speaker.talk.msg_max = ECHO_MAX;
	speaker.talk.on_message = check;
	talk_connect(&speaker.talk, pe, dev, ECHO_SERVICE, 64);
	use_ctx_await(pe, speaker.talk.ctx, DOCA_CTX_STATE_RUNNING);
	talk_connected(&speaker.talk);
	while (speaker.n_answered <= ECHO_N) {
		uint8_t msg[ECHO_MAX];

		if (n_asked <= ECHO_N && n_asked - speaker.n_answered < ECHO_WINDOW &&
		    talk_send(&speaker.talk, speaker.talk.connection, msg, echo_make(msg, n_asked)))
			n_asked++;
		use_progress(pe);
	}
	talk_end(&speaker.talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

const struct echo_role echo_comch_303 = {"comch", DOCA_USE_VERSION, serve, ask};
