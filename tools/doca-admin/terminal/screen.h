/*
 * Terminal of a full-screen program: alternate screen, no cursor, single keys. screen_end()
 * restores the terminal, however the program ends: by a key, by SIGINT, SIGTERM or SIGHUP, or by
 * return. One per process, single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_TERMINAL_SCREEN_H
#define TOOLS_DOCA_ADMIN_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 0, or -errno with nothing changed. */
int screen_begin(void);
void screen_end(void);
/* Returns the present size of the terminal. */
void screen_size(unsigned *rows_out, unsigned *columns_out);
/* Shows the text, one line per row, and clears the rest. */
void screen_show(const char *text);
/* Returns the next key; 0: timeout; -1: the program must end; -2: the size has changed. */
int screen_key(unsigned timeout_ms);

#endif
