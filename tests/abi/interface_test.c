/*
 * The interface for a program of one version: every function, callback type, value and public
 * structure exists and is unchanged. Compiled once for each generation, which checks almost
 * everything; successful linking shows that the library has every function. When run, it counts
 * them.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/abi/interface_all.h"

/* The function has exactly this type and exists in the library. */
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
#include "tests/abi/interface_engines.h"
#include "tests/abi/interface_aes_gcm.h"

/* The fewest functions of any generation: those of 1.3. */
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
