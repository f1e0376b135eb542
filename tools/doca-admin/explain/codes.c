/*
 * Table of result codes; see codes.h. tests/unit compares names and values with the public
 * header.
 */
#include "tools/doca-admin/explain/codes.h"

#include "util/util.h"

const struct explain_code explain_codes[] = {
	{"DOCA_SUCCESS", "the call did what it says", "nothing went wrong"},
	{"DOCA_ERROR_UNKNOWN", "it failed, and no other code fits",
	 "look at the sentence of dococ_last_error() and at the daemon's log"},
	{"DOCA_ERROR_NOT_PERMITTED", "the object or the caller may not do this, now or ever",
	 "a memory map without the permission that the call needs, an export that was revoked or "
	 "whose owner has ended, a device that the daemon's [policy] closes to this user, or a "
	 "call "
	 "that the object's state forbids for good (a started map, an imported one)"},
	{"DOCA_ERROR_IN_USE", "something still depends on the object",
	 "destroy or stop what was made from it first: buffers before their map, tasks and "
	 "contexts "
	 "before their engine, everything before its device"},
	{"DOCA_ERROR_NOT_SUPPORTED", "this device or this build cannot do it",
	 "ask the capability functions before, or choose another device; 'doca-admin caps DEVICE' "
	 "shows what each can do"},
	{"DOCA_ERROR_AGAIN", "no room or nothing to take at this moment; it is no fault",
	 "a full queue or an empty one: call doca_pe_progress (or wait for the event) and repeat"},
	{"DOCA_ERROR_INVALID_VALUE", "an argument is wrong",
	 "NULL, a length of 0 or over the limit, an address outside the map, or a size that is no "
	 "power of two where one is needed; the sentence names the argument"},
	{"DOCA_ERROR_NO_MEMORY", "no memory, or no element of a pool is left",
	 "the pool was made too small, buffers or tasks were not given back, a quota of the daemon "
	 "is used up, or the machine is out of memory"},
	{"DOCA_ERROR_INITIALIZATION", "a resource could not be set up",
	 "the device lacks the capability, or the system refused the resource; the daemon's log "
	 "may say more"},
	{"DOCA_ERROR_TIME_OUT", "it took longer than allowed",
	 "the other side does not answer: it is stopped, busy, or does not call progress"},
	{"DOCA_ERROR_SHUTDOWN", "the object is being shut down",
	 "the call came after a stop; wait until the object is idle and start it again"},
	{"DOCA_ERROR_CONNECTION_RESET", "the peer ended the connection",
	 "the program at the other end closed it or ended; 'doca-admin channels' shows what is "
	 "left"},
	{"DOCA_ERROR_CONNECTION_ABORTED", "the connection broke or was broken off",
	 "the daemon refused it, lost its link to the other side, or an administrator ended it; "
	 "the daemon's log says which"},
	{"DOCA_ERROR_CONNECTION_INPROGRESS", "the connection is not established yet",
	 "call progress until it is, then repeat"},
	{"DOCA_ERROR_NOT_CONNECTED", "there is no connection, no progress engine, or no daemon",
	 "the daemon of this side does not run ('doca-admin status'), DOCOCORED_SOCKET or "
	 "DOCA_SIDE point elsewhere, the two daemons are not linked ('doca-admin peers'), or a "
	 "context was started before it was given its engine"},
	{"DOCA_ERROR_NO_LOCK", "a lock could not be taken",
	 "another thread holds it; most objects are for one thread at a time"},
	{"DOCA_ERROR_NOT_FOUND", "there is no such thing",
	 "a name or address that is not in the topology ('doca-admin devices', 'doca-admin "
	 "representors'), a representor whose function is not there, or an object that has ended"},
	{"DOCA_ERROR_IO_FAILED", "reading, writing or copying failed",
	 "the memory at the other end was unmapped, its process ended or was not allowed to be "
	 "read, the export was revoked, the hardware reported an error, or a task or job was given "
	 "something wrong: its completion has this code, and the sentence names what was wrong"},
	{"DOCA_ERROR_BAD_STATE", "the right call at the wrong moment",
	 "configuring after start, using before start, stopping twice, or an object that a call of "
	 "another version made; the doc block of each call names its states"},
	{"DOCA_ERROR_UNSUPPORTED_VERSION",
	 "the version of a structure, a descriptor or a peer is not known",
	 "library and daemon, or the two sides, are of different versions: install the same"},
	{"DOCA_ERROR_OPERATING_SYSTEM", "a system call failed",
	 "a limit (files, locked memory), a missing right, or a sandbox; the sentence names the "
	 "call"},
	{"DOCA_ERROR_DRIVER", "the driver failed; here that is the daemon",
	 "the daemon or the RDMA driver reported an error; see the daemon's log"},
	{"DOCA_ERROR_UNEXPECTED", "something that must not happen did",
	 "a fault of this runtime, or memory that was overwritten: please report it with the "
	 "sentence"},
	{"DOCA_ERROR_ALREADY_EXIST", "it is there already",
	 "a server of that name runs for this representor, or an object was added twice"},
	{"DOCA_ERROR_FULL", "no room is left, and waiting does not make any",
	 "a limit of the device or a quota of the daemon is reached; 'doca-admin status' shows "
	 "quotas"},
	{"DOCA_ERROR_EMPTY", "there is nothing left to take",
	 "the list, pool or queue is at its end"},
	{"DOCA_ERROR_IN_PROGRESS", "begun, but not finished",
	 "usually of start or stop: call doca_pe_progress until the state has changed"},
	{"DOCA_ERROR_TOO_BIG", "over the largest size or count",
	 "a buffer, message or list exceeds what the device reports; 'doca-admin caps DEVICE' "
	 "shows its limits"},
	{"DOCA_ERROR_AUTHENTICATION", "the peer's identity was refused",
	 "a certificate or key that the other side does not trust, or one that has expired"},
	{"DOCA_ERROR_BAD_CONFIG", "settings that do not fit together",
	 "two attributes that exclude each other; the sentence names them"},
	{"DOCA_ERROR_SKIPPED", "accepted, but left out",
	 "nothing had to be done, or an earlier failure made it pointless"},
	{"DOCA_ERROR_DEVICE_FATAL_ERROR", "the device is gone for good",
	 "it was removed or reset: close everything of it and open it again"},
};

const size_t explain_n_codes = ARRAY_LEN(explain_codes);
