/*
 * The version of the interface that the program was written for, so that error sentences use the
 * names that the program uses. No call states it. Each call that creates an object is bound to some
 * versions, and the versions that these calls have in common are the program's. If parts of a
 * program are written for different versions, each thread has the version of the calls made there.
 *
 * Threads: any thread may call every function. Not for the data path.
 */
#ifndef CLIENT_BASE_PROGRAM_API_H
#define CLIENT_BASE_PROGRAM_API_H

#include "util/wording.h"

/* Later than all versions, for calls that still exist. */
#define PROGRAM_API_NEWEST 999

/* Notes that the thread made a call of programs of these versions, in the numbering of
 * DOCA_USE_VERSION. */
void program_api_note(unsigned first, unsigned last);
/* Notes that the thread created a message channel; 2.5 and 2.6 have two kinds. */
void program_api_note_channel(enum wording_channel channel);
/* Returns the wording for the newest version that fits. Without any call that is the newest
 * version. */
struct wording program_api_wording(void);

#endif
