/*
 * Servers, clients, consumers and producers of 2.5 and 2.6: implementations of the functions that
 * are bound to 2.5 (client/compat/abi/v2_5). No type here depends on the version that a file is
 * compiled for.
 */
#ifndef CLIENT_COMPAT_CC_CC_H
#define CLIENT_COMPAT_CC_CC_H

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

struct doca_devinfo;

/* A getter for a capability that has a wider type in 2.5. */
typedef doca_error_t (*cc_get_cap_t)(const struct doca_devinfo *devinfo, uint32_t *value_out);
doca_error_t cc_get_size(const struct doca_devinfo *devinfo, size_t *size_out, cc_get_cap_t get);
/* Returns the logarithm of the largest power of two that does not exceed the capability. */
doca_error_t cc_get_log(const struct doca_devinfo *devinfo, size_t *log_out, cc_get_cap_t get);

uint32_t cc_u32(size_t value);
uint32_t cc_n_tasks(size_t log_num_tasks);

/* The receive callback of 2.5, whatever the program's pointer types are. */
typedef void (*cc_recv_cb_t)(void *event, uint8_t *recv_buffer, size_t msg_len, void *connection);
/* object: a server or client. */
doca_error_t cc_set_recv_cb(void *object, void (*recv_cb)(void), const char *call);

#endif
