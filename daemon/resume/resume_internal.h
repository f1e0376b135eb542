/* Functions that resume.c and daemon/resume/comch.c share. */
#ifndef DAEMON_RESUME_RESUME_INTERNAL_H
#define DAEMON_RESUME_RESUME_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "daemon/store/persist.h"

struct resume_record {
	uint16_t type;
	uint64_t id, seq;
	uint32_t cell;
	ProtobufCMessage *message;
};

/*
 * Takes the descriptors of a record, which the caller then owns. Returns false if one is missing,
 * whose entry is -1.
 */
bool resume_adopt_fds(struct persisted *persisted, const uint32_t *keys, size_t n, int *fds_out);

/* Each of these returns 0, or -errno if the record's session is incomplete. */
int resume_service(struct session *session, const struct resume_record *record,
		   struct persisted *persisted);
int resume_channel(struct session *session, const struct resume_record *record,
		   struct persisted *persisted);
int resume_consumer(struct session *session, const struct resume_record *record,
		    struct persisted *persisted);
int resume_endpoint(struct session *session, const struct resume_record *record,
		    struct persisted *persisted);
int resume_call(struct session *session, const struct resume_record *record);
int resume_event(struct session *session, const struct resume_record *record);
/*
 * Restores an unresolved end: a channel's end without a session, or whose session is not resumed.
 */
void resume_unresolved_end(struct daemon *daemon, const struct resume_record *record);

#endif
