/*
 * The terminal of a program that fills it: other screen, no cursor, keys one by one. However the
 * program ends - by a key, by SIGINT, SIGTERM or SIGHUP, or by return - screen_end() puts the
 * terminal back as it was. One per process, single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_SCREEN_H
#define TOOLS_DOCA_ADMIN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 or -errno: then nothing was changed. */
int screen_begin(void);
void screen_end(void);
/* Cells of the terminal now. */
void screen_size(unsigned *rows_out, unsigned *columns_out);
/* Shows text, one line of it on each row, and clears the rest. */
void screen_show(const char *text);
/* The next key; 0: the time has passed; -1: the program is to end; -2: the size has changed. */
int screen_key(unsigned timeout_ms);

#endif
