/*
 * The result of every fallible DOCA call.
 *
 * A call that fails changes nothing and writes none of its out parameters, unless its doc block
 * says otherwise. A NULL argument to a configuration call gives DOCA_ERROR_INVALID_VALUE; calls of
 * the data path (progress, accessors of tasks and buffers) do not check for NULL. The sentence
 * behind a code is in dococ_last_error() (dococ.h).
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Values are fixed; the list only grows at its end. It is declared whole for every version, since
 * the library may report a code that came later than the version that a program was written for:
 * up to 1.3 the list ended at BAD_STATE, in 1.5 at UNEXPECTED, in 2.2 at IN_PROGRESS, in 2.6 at
 * TOO_BIG, in 3.0 at SKIPPED.
 */
enum doca_error {
	DOCA_SUCCESS = 0,
	DOCA_ERROR_UNKNOWN = 1,                /* no better word for it */
	DOCA_ERROR_NOT_PERMITTED = 2,          /* forbidden for this object or this caller */
	DOCA_ERROR_IN_USE = 3,                 /* something still depends on the object */
	DOCA_ERROR_NOT_SUPPORTED = 4,          /* the device or this build cannot do it */
	DOCA_ERROR_AGAIN = 5,                  /* full or busy now: progress, then repeat */
	DOCA_ERROR_INVALID_VALUE = 6,          /* an argument is wrong */
	DOCA_ERROR_NO_MEMORY = 7,              /* out of memory or out of pool elements */
	DOCA_ERROR_INITIALIZATION = 8,         /* set-up of a resource failed */
	DOCA_ERROR_TIME_OUT = 9,               /* took longer than allowed */
	DOCA_ERROR_SHUTDOWN = 10,              /* being shut down */
	DOCA_ERROR_CONNECTION_RESET = 11,      /* the peer ended the connection */
	DOCA_ERROR_CONNECTION_ABORTED = 12,    /* the connection broke */
	DOCA_ERROR_CONNECTION_INPROGRESS = 13, /* not established yet */
	DOCA_ERROR_NOT_CONNECTED = 14,         /* no connection, no engine or no daemon */
	DOCA_ERROR_NO_LOCK = 15,               /* a lock could not be taken */
	DOCA_ERROR_NOT_FOUND = 16,             /* no such thing */
	DOCA_ERROR_IO_FAILED = 17,             /* reading, writing or copying failed */
	DOCA_ERROR_BAD_STATE = 18,             /* right call, wrong moment */
	DOCA_ERROR_UNSUPPORTED_VERSION = 19,   /* version of a structure or peer not known */
	DOCA_ERROR_OPERATING_SYSTEM = 20,      /* a system call failed */
	DOCA_ERROR_DRIVER = 21,                /* the driver, here the daemon, failed */
	DOCA_ERROR_UNEXPECTED = 22,            /* a rule of our own was broken: report it */
	DOCA_ERROR_ALREADY_EXIST = 23,         /* is there already */
	DOCA_ERROR_FULL = 24,                  /* no more room */
	DOCA_ERROR_EMPTY = 25,                 /* nothing left to take */
	DOCA_ERROR_IN_PROGRESS = 26,           /* begun, not finished: progress the engine */
	DOCA_ERROR_TOO_BIG = 27,               /* over the largest size or count */
	DOCA_ERROR_AUTHENTICATION = 28,        /* the peer's identity was refused */
	DOCA_ERROR_BAD_CONFIG = 29,            /* settings that do not fit together */
	DOCA_ERROR_SKIPPED = 30,               /* accepted, but left out */
	DOCA_ERROR_DEVICE_FATAL_ERROR = 31     /* the device is gone for good; since 3.1 */
};

typedef enum doca_error doca_error_t;

/* True if r is anything but success. */
#define DOCA_IS_ERROR(r) ((r) != DOCA_SUCCESS)

/*
 * Keeps the first failure of a sequence in r: takes over t while r is success, else leaves r. t is
 * evaluated only when it is taken, so make the call first and pass its result.
 */
#define DOCA_ERROR_PROPAGATE(r, t) ((r) = DOCA_IS_ERROR(r) ? (r) : (t))

#if DOCA_API_BETWEEN(205, 303)
/**
 * Name of a code as it is written in a program, for example "DOCA_ERROR_AGAIN".
 * @param error any value
 * Threads: any thread.
 * @return a static string, never NULL; "unrecognized error code" for a value that is no code
 * Since 2.5; before, doca_get_error_name. Source: DOCA Core guide, error codes.
 */
DOCA_STABLE const char *doca_error_get_name(doca_error_t error);

/**
 * One short sentence about a code, for people.
 * @param error any value
 * Threads: any thread.
 * @return a static string, never NULL; "unrecognized error code" for a value that is no code
 * Since 2.5; before, doca_get_error_string. Source: DOCA Core guide, error codes.
 */
DOCA_STABLE const char *doca_error_get_descr(doca_error_t error);
#else
DOCA_ELSEWHERE(doca_error_get_name, "since 2.5; up to 2.2 it is doca_get_error_name");
DOCA_ELSEWHERE(doca_error_get_descr, "since 2.5; up to 2.2 it is doca_get_error_string");
#endif

#if DOCA_API_BETWEEN(103, 204)
/**
 * Name of a code as it is written in a program, for example "DOCA_ERROR_AGAIN".
 * @param error any value
 * Threads: any thread.
 * @return a static string, never NULL; "unrecognized error code" for a value that is no code
 * Since 1.3, until 2.2; then doca_error_get_name. Source: DOCA Core guide, error codes.
 */
DOCA_STABLE const char *doca_get_error_name(doca_error_t error);

/**
 * One short sentence about a code, for people.
 * @param error any value
 * Threads: any thread.
 * @return a static string, never NULL; "unrecognized error code" for a value that is no code
 * Since 1.3, until 2.2; then doca_error_get_descr. Source: DOCA Core guide, error codes.
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
