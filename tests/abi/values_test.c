/*
 * The version and build macros of the newest interface, and the macros that contain code: main
 * checks what cannot be checked at compile time. Needs no library. The other values are in the rows
 * of interface_test.c.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <doca_build_config.h>
#include <doca_compat.h>
#include <doca_config.h>
#include <doca_error.h>
#include <doca_version.h>

#define IS(name, value) _Static_assert((name) == (value), #name " is not " #value)

/* doca_version.h: the version that this release declares */
IS(DOCA_VERSION_MAJOR, 3);
IS(DOCA_VERSION_MINOR, 3);
IS(DOCA_VERSION_PATCH, 0);
IS(DOCA_VERSION_EXACT, 0x3030000);
IS(DOCA_VERSION_OFFICIAL, 0x3030000);
IS(DOCA_VERSION_CALC_EXACT(2, 10, 87), 0x20a0057);
IS(DOCA_VERSION_CALC(3, 0, 58), 0x3000000 | 58000);
IS(DOCA_VERSION_EQ_CURRENT(3, 3, 0), 1);
IS(DOCA_VERSION_EQ_CURRENT(3, 2, 0), 0);
IS(DOCA_VERSION_LTE_CURRENT(2, 9, 1), 1);
IS(DOCA_VERSION_LTE_CURRENT(3, 3, 0), 1);
IS(DOCA_VERSION_LTE_CURRENT(3, 4, 0), 0);

/* doca_build_config.h: this program is compiled for the host */
#if !defined(DOCA_ARCH_HOST) || defined(DOCA_ARCH_DPU) || !defined(DOCA_COMPAT_HELPERS)
#error "the build configuration is not that of a host program"
#endif
IS(DOCA_ARCH_DPU_BF2, 0);

struct versioned {
	DOCA_STRUCT_START;
	int value;
};

static int n_failed;

#define CHECK(cond) \
	((cond) ? (void)0 : (void)(n_failed++, fprintf(stderr, "line %d: %s\n", __LINE__, #cond)))

static void check_propagate(void)
{
	doca_error_t result = DOCA_SUCCESS;

	DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
	CHECK(!DOCA_IS_ERROR(result));
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_AGAIN);
	CHECK(result == DOCA_ERROR_AGAIN && DOCA_IS_ERROR(result));
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_EMPTY);
	CHECK(result == DOCA_ERROR_AGAIN);
	DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
	CHECK(result == DOCA_ERROR_AGAIN);
}

static void check_struct(void)
{
	struct versioned plain = {.value = 7};
	struct versioned listed = {DOCA_STRUCT_CTOR_LIST_START, .value = 7};
	DOCA_STRUCT_DEF(versioned, defined);

	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == 0);
	DOCA_STRUCT_CTOR(plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == 7);
	DOCA_STRUCT_MEMSET_CTOR(plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == 0);

	CHECK(DOCA_STRUCT_GET_VERSION(&listed) == DOCA_VERSION_EXACT && listed.value == 7);
	CHECK(DOCA_STRUCT_GET_VERSION(&defined) == DOCA_VERSION_EXACT && defined.value == 0);

	memset(&plain, 0xff, sizeof(plain));
	DOCA_STRUCT_PTR_CTOR(&plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == -1);
	DOCA_STRUCT_PTR_MEMSET_CTOR(&plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == 0);
}

int main(void)
{
	CHECK(strcmp(doca_version(), DOCA_VERSION_STRING) == 0);
	CHECK(strcmp(DOCA_VERSION_STRING, "3.3.0") == 0);
	check_propagate();
	check_struct();
	return n_failed ? 1 : 0;
}
