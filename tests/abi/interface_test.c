/*
 * What a program of one version sees: every function, callback type, value and public structure is
 * there and is what it was. Compiled once for each generation; almost all is decided then, and that
 * it links shows that the library has every function. When it runs it counts them.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_types.h>
#include <doca_error.h>
#include <doca_version.h>
#include <doca_compat.h>
#include <doca_config.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_argp.h>
#include <dococ.h>

/* The versions that have a row; the newest one has no end. */
#define IN(first, last) (DOCA_USE_VERSION >= (first) && DOCA_USE_VERSION <= (last))

#if IN(200, 999)
#include <doca_buf_array.h>
#include <doca_graph.h>
#include <doca_rdma.h>
#include <doca_rdma_bridge.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#endif
#if IN(200, 204)
#include <doca_bufpool.h>
#endif
#if IN(205, 999)
#include <doca_buf_pool.h>
#include <doca_pe.h>
#endif
#if IN(103, 104) || IN(200, 206)
#include <doca_comm_channel.h>
#endif
#if IN(205, 206)
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#endif
#if IN(207, 999)
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap_advise.h>
#endif

/* A function has exactly this type, and the library has it. */
#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name);                                            \
	static const void *const bound_##name                                        \
		__attribute__((used, section("bound"))) = (const void *)&name
#define SAME_TYPE(name, ...) \
	_Static_assert(__builtin_types_compatible_p(name, __VA_ARGS__), "type of " #name)
#define IS(name, value) _Static_assert((name) == (value), #name " is not " #value)
/* A value that was never published as a number. */
#define THERE(name)      _Static_assert((name) == (name), #name)
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "sizeof " #type " is not " #size)
#define FIELD(type, name, ...)                                                               \
	_Static_assert(                                                                      \
		__builtin_types_compatible_p(__typeof__(((type *)NULL)->name), __VA_ARGS__), \
		"type of " #name " in " #type)

#include "tests/abi/interface_core.h"
#include "tests/abi/interface_run.h"
#include "tests/abi/interface_channel.h"
#include "tests/abi/interface_rdma.h"

/* Least functions of any generation: 1.3 has that many. */
#define MIN_FUNCTIONS 66

extern const void *const __start_bound[], *const __stop_bound[];

int main(void)
{
	size_t n = 0, n_unbound = 0;

	for (const void *const *at = __start_bound; at < __stop_bound; at++, n++)
		n_unbound += *at == NULL;
	printf("version %d: %zu functions, %zu not bound\n", DOCA_USE_VERSION, n, n_unbound);
	return n >= MIN_FUNCTIONS && n_unbound == 0 ? 0 : 1;
}
