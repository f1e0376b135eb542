/*
 * Result codes that the daemon sends: values of the public doca_error_t, on which the daemon does
 * not depend otherwise. tests/unit compares them with the public header.
 */
#ifndef DAEMON_BASE_CODE_H
#define DAEMON_BASE_CODE_H

enum code {
	CODE_SUCCESS = 0,
	CODE_NOT_PERMITTED = 2,
	CODE_IN_USE = 3,
	CODE_NOT_SUPPORTED = 4,
	CODE_AGAIN = 5,
	CODE_INVALID_VALUE = 6,
	CODE_NO_MEMORY = 7,
	CODE_TIME_OUT = 9,
	CODE_CONNECTION_RESET = 11,
	CODE_CONNECTION_ABORTED = 12,
	CODE_NOT_CONNECTED = 14,
	CODE_NOT_FOUND = 16,
	CODE_BAD_STATE = 18,
	CODE_UNSUPPORTED_VERSION = 19,
	CODE_OPERATING_SYSTEM = 20,
	CODE_ALREADY_EXIST = 23,
	CODE_FULL = 24,
};

#endif
