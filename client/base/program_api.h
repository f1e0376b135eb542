/*
 * Which version of the interface the program was written for, so that sentences about errors name
 * what the program knows. No call states it: each call that makes an object is bound to some
 * versions, and the versions that these calls have in common are the program's. A program whose
 * parts are written for different versions has, in each thread, that of the calls there.
 *
 * Threads: every function may be called from any thread. Not for the data path.
 */
#ifndef CLIENT_BASE_PROGRAM_API_H
#define CLIENT_BASE_PROGRAM_API_H

#include "util/wording.h"

/* A version that is later than all others, for calls that are still there. */
#define PROGRAM_API_NEWEST 999

/* The thread made a call that programs of these versions make, as DOCA_USE_VERSION numbers them. */
void program_api_note(unsigned first, unsigned last);
/* The thread made a message channel; 2.5 and 2.6 have two kinds. */
void program_api_note_channel(enum wording_channel channel);
/* The words for the newest version that fits; without any call, those of the newest one. */
struct wording program_api_wording(void);

#endif
