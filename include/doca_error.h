/*
 * Result codes of DOCA calls.
 *
 * A call that fails has no effect and does not write its output parameters, unless its doc block
 * says otherwise. If a pointer argument of a configuration call is NULL, the call returns
 * DOCA_ERROR_INVALID_VALUE. Calls of the data path (progress, getters and setters of tasks and
 * buffers) do not check for NULL. dococ_last_error() (dococ.h) returns a sentence that explains the
 * last failure.
 *
 * Threads: any thread may call the functions of this header.
 *
 * Reference: DOCA Core guide, error codes.
 *
 * Example: report a failure.
 *
 *     #include <stdio.h>
 *     #include <dococ.h>
 *
 *     void report(const char *what, doca_error_t error)
 *     {
 *         fprintf(stderr, "%s: %s: %s\n", what, doca_error_get_descr(error), dococ_last_error());
 *     }
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Values are fixed; the list grows at its end only. It is complete in every version, because the
 * library may return a code that is newer than the version for which a program was written. The
 * last code was BAD_STATE up to 1.3, UNEXPECTED in 1.5, IN_PROGRESS in 2.2, TOO_BIG in 2.6, SKIPPED
 * in 3.0.
 */
enum doca_error {
	DOCA_SUCCESS = 0,
	DOCA_ERROR_UNKNOWN = 1,                /* no other code fits */
	DOCA_ERROR_NOT_PERMITTED = 2,          /* forbidden for this object or caller */
	DOCA_ERROR_IN_USE = 3,                 /* something still depends on the object */
	DOCA_ERROR_NOT_SUPPORTED = 4,          /* the device or this build cannot do it */
	DOCA_ERROR_AGAIN = 5,                  /* full or busy now: progress, then repeat */
	DOCA_ERROR_INVALID_VALUE = 6,          /* an argument is wrong */
	DOCA_ERROR_NO_MEMORY = 7,              /* out of memory or out of pool elements */
	DOCA_ERROR_INITIALIZATION = 8,         /* set-up of a resource failed */
	DOCA_ERROR_TIME_OUT = 9,               /* not done in time */
	DOCA_ERROR_SHUTDOWN = 10,              /* being shut down */
	DOCA_ERROR_CONNECTION_RESET = 11,      /* the peer ended the connection */
	DOCA_ERROR_CONNECTION_ABORTED = 12,    /* the connection broke */
	DOCA_ERROR_CONNECTION_INPROGRESS = 13, /* not established yet */
	DOCA_ERROR_NOT_CONNECTED = 14,         /* no connection, no engine or no daemon */
	DOCA_ERROR_NO_LOCK = 15,               /* a lock could not be taken */
	DOCA_ERROR_NOT_FOUND = 16,             /* the object does not exist */
	DOCA_ERROR_IO_FAILED = 17,             /* reading, writing or copying failed */
	DOCA_ERROR_BAD_STATE = 18,             /* not allowed in this state */
	DOCA_ERROR_UNSUPPORTED_VERSION = 19,   /* unknown version of a structure or peer */
	DOCA_ERROR_OPERATING_SYSTEM = 20,      /* a system call failed */
	DOCA_ERROR_DRIVER = 21,                /* the driver, here the daemon, failed */
	DOCA_ERROR_UNEXPECTED = 22,            /* internal error: report it */
	DOCA_ERROR_ALREADY_EXIST = 23,         /* exists already */
	DOCA_ERROR_FULL = 24,                  /* no more room */
	DOCA_ERROR_EMPTY = 25,                 /* nothing available */
	DOCA_ERROR_IN_PROGRESS = 26,           /* has begun: progress the engine */
	DOCA_ERROR_TOO_BIG = 27,               /* exceeds the largest size or count */
	DOCA_ERROR_AUTHENTICATION = 28,        /* the peer's identity was refused */
	DOCA_ERROR_BAD_CONFIG = 29,            /* settings contradict each other */
	DOCA_ERROR_SKIPPED = 30,               /* accepted, but left out */
	DOCA_ERROR_DEVICE_FATAL_ERROR = 31     /* the device is gone for good; since 3.1 */
};

typedef enum doca_error doca_error_t;

/* True if r is anything but success. */
#define DOCA_IS_ERROR(r) ((r) != DOCA_SUCCESS)

/*
 * Retains the first failure of a sequence in r: assigns t to r if r is DOCA_SUCCESS, and otherwise
 * leaves r unchanged. t is evaluated only if it is assigned, so make the call first and pass its
 * result.
 */
#define DOCA_ERROR_PROPAGATE(r, t) ((r) = DOCA_IS_ERROR(r) ? (r) : (t))

#if DOCA_API_BETWEEN(205, 303)
/**
 * Gets the name of a code as it is written in a program, for example "DOCA_ERROR_AGAIN".
 * @param error any value
 * @return a static string, never NULL; "unrecognized error code" for a value that is not a code
 * Since 2.5; before, doca_get_error_name.
 */
DOCA_STABLE const char *doca_error_get_name(doca_error_t error);

/**
 * Returns a short description of a code, for people.
 * @param error any value
 * @return a static string, never NULL; "unrecognized error code" for a value that is not a code
 * Since 2.5; before, doca_get_error_string.
 */
DOCA_STABLE const char *doca_error_get_descr(doca_error_t error);
#else
DOCA_ELSEWHERE(doca_error_get_name, "since 2.5; up to 2.2 it is doca_get_error_name");
DOCA_ELSEWHERE(doca_error_get_descr, "since 2.5; up to 2.2 it is doca_get_error_string");
#endif

#if DOCA_API_BETWEEN(103, 204)
/**
 * Gets the name of a code as it is written in a program, for example "DOCA_ERROR_AGAIN".
 * @param error any value
 * @return a static string, never NULL; "unrecognized error code" for a value that is not a code
 * Since 1.3, until 2.2; replaced by doca_error_get_name.
 */
DOCA_STABLE const char *doca_get_error_name(doca_error_t error);

/**
 * Returns a short description of a code, for people.
 * @param error any value
 * @return a static string, never NULL; "unrecognized error code" for a value that is not a code
 * Since 1.3, until 2.2; replaced by doca_error_get_descr.
 */
DOCA_STABLE const char *doca_get_error_string(doca_error_t error);
#else
DOCA_ELSEWHERE(doca_get_error_name, "until 2.2; from 2.5 on it is doca_error_get_name");
DOCA_ELSEWHERE(doca_get_error_string, "until 2.2; from 2.5 on it is doca_error_get_descr");
#endif

#ifdef __cplusplus
}
#endif

#endif
