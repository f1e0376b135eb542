/* Numbered messages of a connection: a lost, duplicated or damaged message is detected. */
#ifndef TESTS_INTEGRATION_RESTART_NUMBERED_H
#define TESTS_INTEGRATION_RESTART_NUMBERED_H

#include <inttypes.h>
#include <string.h>

#include "tests/lib/assert.h"
#include "tests/lib/use.h"

struct message {
	uint64_t number; /* from 0 on, per connection */
	uint8_t bytes[40];
};

static inline void message_fill(struct message *message, uint64_t number)
{
	message->number = number;
	use_fill(message->bytes, sizeof(message->bytes), (uint32_t)number);
}

static inline void message_check(const uint8_t *bytes, uint32_t len, uint64_t number)
{
	struct message message;

	EXPECT_TRUE(len == sizeof(message), "a message of %u bytes", len);
	memcpy(&message, bytes, len);
	EXPECT_TRUE(message.number == number, "message %" PRIu64 " came for %" PRIu64,
		    message.number, number);
	EXPECT_TRUE(use_is_filled(message.bytes, sizeof(message.bytes), (uint32_t)number),
		    "message %" PRIu64 " is harmed", number);
}

#endif
