/*
 * For the tests of what a generation of the interface looks like: comparisons that the compiler
 * makes. Uses nothing of the library.
 */
#ifndef TESTS_ABI_GENERATION_H
#define TESTS_ABI_GENERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define SAME_TYPE(name, ...) \
	_Static_assert(__builtin_types_compatible_p(name, __VA_ARGS__), "type of " #name)
#define IS(name, value) _Static_assert((name) == (value), #name " is not " #value)
/* A value that was never published. */
#define THERE(name) _Static_assert((name) == (name), #name)
#define FIELD(type, name, ...)                                                               \
	_Static_assert(                                                                      \
		__builtin_types_compatible_p(__typeof__(((type *)NULL)->name), __VA_ARGS__), \
		"type of " #name " in " #type)
#define ADDRESS(name) ((const void *)(&(name)))

static inline bool bound_is_complete(const void *const bound[], size_t n)
{
	bool is_complete = n != 0;

	for (size_t i = 0; i < n; i++) {
		if (bound[i] == NULL) {
			printf("function %zu of the table is not bound\n", i);
			is_complete = false;
		}
	}
	printf("%zu functions\n", n);
	return is_complete;
}

#endif
