/* Full-screen terminal output; see screen.h. */
#include "tools/doca-admin/terminal/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/util.h"

#define ENTER  "\033[?1049h\033[?25l"
#define LEAVE  "\033[?25h\033[?1049l"
#define CTRL_C 3

static struct {
	bool active;
	struct termios saved;
	sigset_t saved_mask;
	int signals; /* signalfd */
} screen = {.signals = -1};

static void put(const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

int screen_begin(void)
{
	struct termios raw;
	sigset_t mask;

	if (tcgetattr(STDIN_FILENO, &screen.saved) < 0)
		return -errno;
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGWINCH);
	screen.signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (screen.signals < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &mask, &screen.saved_mask);
	raw = screen.saved;
	/*
	 * Ctrl-C is read as a key. Ctrl-Z is disabled, because it would leave the terminal in this
	 * mode.
	 */
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) < 0) {
		int r = -errno;

		sigprocmask(SIG_SETMASK, &screen.saved_mask, NULL);
		fd_close(&screen.signals);
		return r;
	}
	screen.active = true;
	put(ENTER);
	return 0;
}

void screen_end(void)
{
	if (!screen.active)
		return;
	screen.active = false;
	put(LEAVE);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &screen.saved);
	fd_close(&screen.signals);
	sigprocmask(SIG_SETMASK, &screen.saved_mask, NULL);
}

void screen_size(unsigned *rows_out, unsigned *columns_out)
{
	struct winsize size = {.ws_row = 0};

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*rows_out = size.ws_row ? size.ws_row : 24;
	*columns_out = size.ws_col ? size.ws_col : 80;
}

/*
 * Number of bytes of the line that fit into this many cells; the daemon's text has only narrow
 * characters.
 */
static size_t line_truncate(const char *line, size_t len, unsigned columns)
{
	unsigned cells = 0;

	for (size_t i = 0; i < len; i++) {
		bool continues = ((unsigned char)line[i] & 0xc0) == 0x80;

		if (!continues && cells++ == columns)
			return i;
	}
	return len;
}

void screen_show(const char *text)
{
	unsigned rows, columns;
	char *frame = NULL;
	size_t len;
	FILE *f = open_memstream(&frame, &len);

	if (!f)
		return;
	screen_size(&rows, &columns);
	fputs("\033[H", f);
	for (unsigned row = 0; row < rows; row++) {
		size_t n = strcspn(text, "\n");

		/*
		 * Clears the line first: clearing after a character in the last column would erase
		 * that character.
		 */
		fprintf(f, "\033[2K%.*s%s", (int)line_truncate(text, n, columns), text,
			row + 1 < rows ? "\r\n" : "");
		text += n + (text[n] == '\n');
	}
	fclose(f);
	put(frame);
	free(frame);
}

static int signal_read(void)
{
	struct signalfd_siginfo info;
	int result = 0;

	while (read(screen.signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo == SIGWINCH)
			result = result ? result : -2;
		else
			result = -1;
	return result;
}

int screen_key(unsigned timeout_ms)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = screen.signals, .events = POLLIN}};
	unsigned char key;
	int r = poll(fds, ARRAY_LEN(fds), (int)timeout_ms);

	if (r <= 0)
		return 0;
	if (fds[1].revents)
		return signal_read();
	if (!(fds[0].revents & POLLIN) || read(STDIN_FILENO, &key, 1) != 1)
		return -1;
	return key == CTRL_C ? -1 : key;
}
