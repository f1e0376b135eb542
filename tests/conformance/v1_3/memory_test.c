/*
 * Memory maps, buffers and inventories as programs of 1.3 use them: maps are started first and get
 * chunks and devices afterwards; properties; exports that the caller frees. Runs on the host side
 * of a lab.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "tests/conformance/other_memory.h"
#include "tests/lib/allocount.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

_Static_assert(DOCA_USE_VERSION == 103, "compiled for 1.3");

#define PAGE     4096u
#define N_CHUNKS 1000u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static char memory[8 * PAGE];

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	OK(doca_mmap_create("samples", &mmap_));
}

static void teardown(void)
{
	OK(doca_mmap_destroy(mmap_));
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static void set_u32(enum doca_mmap_property property, uint32_t value)
{
	OK(doca_mmap_property_set(mmap_, property, (uint8_t *)&value, sizeof(value)));
}

static uint32_t get_u32(const struct doca_mmap *mmap, enum doca_mmap_property property)
{
	uint32_t value = 0;

	OK(doca_mmap_property_get((struct doca_mmap *)mmap, property, (uint8_t *)&value,
				  sizeof(value)));
	return value;
}

static uint8_t get_u8(enum doca_mmap_property property)
{
	uint8_t value = 2;

	OK(doca_mmap_property_get(mmap_, property, &value, sizeof(value)));
	return value;
}

START_TEST(test_order)
{
	uint8_t *desc;
	size_t len;

	/* Before start, only properties can be set. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap_, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap_, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export(mmap_, dev, &desc, &len));
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_start(mmap_));
	/* Device and memory can be added in any order. */
	OK(doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_export(mmap_, dev, &desc, &len));
	OK(doca_mmap_dev_add(mmap_, dev));
	EXPECT(DOCA_ERROR_IN_USE, doca_mmap_dev_add(mmap_, dev));
	OK(doca_mmap_dev_rm(mmap_, dev));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_rm(mmap_, dev));
	OK(doca_mmap_dev_add(mmap_, dev));
	OK(doca_mmap_stop(mmap_));
	OK(doca_mmap_stop(mmap_));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap_, dev));
}
END_TEST

START_TEST(test_arguments)
{
	struct doca_mmap *none = NULL;
	uint8_t *desc, value = 0;
	size_t len;

	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_create("x", NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(none));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_stop(none));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_destroy(none));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_add(none, dev));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_rm(none, dev));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_populate(none, memory, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_export(none, dev, &desc, &len));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_set(none, DOCA_MMAP_ACCESS, &value, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_get(none, DOCA_MMAP_ACCESS, &value, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_set(mmap_, DOCA_MMAP_ACCESS, NULL, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_get(mmap_, DOCA_MMAP_ACCESS, NULL, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_create_from_export("x", NULL, 80, dev, &none));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_create_from_export("x", (uint8_t *)memory, 80, NULL, &none));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_create_from_export("x", (uint8_t *)memory, 80, dev, &none));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_create_from_export("x", (uint8_t *)memory, 80, dev, NULL));
	strcpy(memory, "{\"addr\": 1, \"len\": 2}");
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_create_from_export("x", (uint8_t *)memory, 80, dev, &none));
	OK(doca_mmap_start(mmap_));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_add(mmap_, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_rm(mmap_, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_export(mmap_, dev, NULL, &len));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_export(mmap_, NULL, &desc, &len));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_populate(mmap_, NULL, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_populate(mmap_, memory, 0, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_populate(mmap_, memory, SIZE_MAX, PAGE, NULL, NULL));
	/* Invalid page sizes. */
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_populate(mmap_, memory, PAGE, 0, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_populate(mmap_, memory, PAGE, 2048, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_populate(mmap_, memory, PAGE, 5000, NULL, NULL));
	OK(doca_mmap_populate(mmap_, memory + 1, 77, 2u << 20, NULL, NULL));
}
END_TEST

START_TEST(test_properties)
{
	struct doca_dev *second = use_dev(USE_HOST_PF1);
	char name[16];
	uint32_t value = 5;
	uint8_t *out = (uint8_t *)&value;

	OK(doca_mmap_property_get(mmap_, DOCA_MMAP_NAME, (uint8_t *)name, sizeof(name)));
	ck_assert_str_eq(name, "samples");
	OK(doca_mmap_property_get(mmap_, DOCA_MMAP_NAME, (uint8_t *)name, sizeof("samples")));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_property_get(mmap_, DOCA_MMAP_NAME, (uint8_t *)name, 7));
	/* Default values. */
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_MAX_NUM_CHUNKS), 1);
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_MAX_NUM_DEVICES), 1);
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_NUM_BUFS), 0);
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_ACCESS), DOCA_MMAP_ACCESS_LOCAL_WRITE |
								    DOCA_MMAP_ACCESS_REMOTE_WRITE |
								    DOCA_MMAP_ACCESS_REMOTE_READ);
	ck_assert_uint_eq(get_u8(DOCA_MMAP_EXPORTED), 0);
	ck_assert_uint_eq(get_u8(DOCA_MMAP_FROM_EXPORT), 0);
	/* Wrong sizes and unknown properties. */
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_get(mmap_, DOCA_MMAP_ACCESS, out, 8));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_get(mmap_, DOCA_MMAP_EXPORTED, out, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_set(mmap_, DOCA_MMAP_ACCESS, out, 1));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_property_get(mmap_, (enum doca_mmap_property)77, out, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_property_set(mmap_, (enum doca_mmap_property)77, out, 4));
	/* Read-only properties. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_property_set(mmap_, DOCA_MMAP_NAME, out, 4));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_property_set(mmap_, DOCA_MMAP_NUM_BUFS, out, 4));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_property_set(mmap_, DOCA_MMAP_EXPORTED, out, 1));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_property_set(mmap_, DOCA_MMAP_FROM_EXPORT, out, 1));
	/* Invalid values. */
	value = 0;
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_property_set(mmap_, DOCA_MMAP_MAX_NUM_CHUNKS, out, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_property_set(mmap_, DOCA_MMAP_MAX_NUM_DEVICES, out, 4));
	value = 32;
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_property_set(mmap_, DOCA_MMAP_ACCESS, out, 4));
	set_u32(DOCA_MMAP_MAX_NUM_CHUNKS, 3);
	set_u32(DOCA_MMAP_MAX_NUM_DEVICES, 2);
	set_u32(DOCA_MMAP_ACCESS, DOCA_MMAP_ACCESS_REMOTE_READ);
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, dev));
	OK(doca_mmap_dev_add(mmap_, second));
	OK(doca_mmap_stop(mmap_));
	/* The first start fixes them, even if the map is stopped later. */
	value = 4;
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_property_set(mmap_, DOCA_MMAP_MAX_NUM_CHUNKS, out, 4));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_property_set(mmap_, DOCA_MMAP_MAX_NUM_DEVICES, out, 4));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_property_set(mmap_, DOCA_MMAP_ACCESS, out, 4));
	OK(doca_mmap_start(mmap_));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_property_set(mmap_, DOCA_MMAP_ACCESS, out, 4));
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_MAX_NUM_CHUNKS), 3);
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_MAX_NUM_DEVICES), 2);
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_ACCESS), DOCA_MMAP_ACCESS_REMOTE_READ);
	OK(doca_mmap_dev_rm(mmap_, second));
	OK(doca_dev_close(second));
}
END_TEST

static struct doca_buf_inventory *inventory_new(uint32_t n)
{
	struct doca_buf_inventory *inventory;

	OK(doca_buf_inventory_create("buffers", n, DOCA_BUF_EXTENSION_NONE, &inventory));
	OK(doca_buf_inventory_start(inventory));
	return inventory;
}

START_TEST(test_limits)
{
	struct doca_dev *second = use_dev(USE_HOST_PF1);

	set_u32(DOCA_MMAP_MAX_NUM_CHUNKS, 4);
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, dev));
	EXPECT(DOCA_ERROR_NO_MEMORY, doca_mmap_dev_add(mmap_, second));
	/* Chunks that overlap by one byte at either end, inside, around, and exactly. */
	OK(doca_mmap_populate(mmap_, memory + 2 * PAGE, 2 * PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory, 2 * PAGE + 1, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory + 4 * PAGE - 1, 10, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory + 3 * PAGE, 10, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory, sizeof(memory), PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory + 2 * PAGE, 2 * PAGE, PAGE, NULL, NULL));
	/* Chunks that are adjacent on both sides. */
	OK(doca_mmap_populate(mmap_, memory + PAGE, PAGE, PAGE, NULL, NULL));
	OK(doca_mmap_populate(mmap_, memory + 4 * PAGE, PAGE, PAGE, NULL, NULL));
	OK(doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NO_MEMORY,
	       doca_mmap_populate(mmap_, memory + 5 * PAGE, PAGE, PAGE, NULL, NULL));
	OK(doca_dev_close(second));
}
END_TEST

START_TEST(test_buffers)
{
	struct doca_buf_inventory *inventory = inventory_new(3);
	struct doca_buf *buf, *copy, *third;
	uint8_t *head;
	size_t len;
	uint16_t refs;

	set_u32(DOCA_MMAP_MAX_NUM_CHUNKS, 2);
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 1, &buf));
	OK(doca_mmap_start(mmap_));
	/* The map has no chunk yet. */
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 1, &buf));
	OK(doca_mmap_populate(mmap_, memory + PAGE, PAGE, PAGE, NULL, NULL));
	OK(doca_mmap_populate(mmap_, memory + 3 * PAGE, PAGE, PAGE, NULL, NULL));
	OK(doca_mmap_dev_add(mmap_, dev));
	/* Regions before, between, after and across the chunks. */
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + 2 * PAGE, 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + 4 * PAGE, 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, PAGE + 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(inventory, NULL, memory, 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(NULL, mmap_, memory + PAGE, 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, 1, NULL));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + 3 * PAGE + 5, 100, &buf));
	OK(doca_buf_head_get(buf, &head));
	ck_assert_ptr_eq(head, memory + 3 * PAGE + 5);
	OK(doca_buf_len_get(buf, &len));
	ck_assert_uint_eq(len, 100);
	OK(doca_buf_refcount_get(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	OK(doca_buf_inventory_buf_dup(inventory, buf, &copy));
	OK(doca_buf_head_get(copy, &head));
	ck_assert_ptr_eq(head, memory + 3 * PAGE + 5);
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, PAGE, &third));
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_NUM_BUFS), 3);
	EXPECT(DOCA_ERROR_NO_MEMORY,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, 1, &buf));
	/* The buffers keep the map, its devices and the inventory in use. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap_));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap_));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap_, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_destroy(inventory));
	OK(doca_buf_refcount_rm(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	OK(doca_buf_refcount_rm(copy, NULL));
	OK(doca_buf_refcount_rm(third, NULL));
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_NUM_BUFS), 0);
	/* No buffers while the map is stopped; afterwards as before. */
	OK(doca_mmap_stop(mmap_));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, 1, &buf));
	OK(doca_mmap_start(mmap_));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, 1, &buf));
	OK(doca_buf_refcount_rm(buf, NULL));
	OK(doca_buf_inventory_stop(inventory));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, 1, &buf));
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

static unsigned freed[N_CHUNKS];
static char *area;

static void on_free(void *addr, size_t len, void *cookie)
{
	unsigned *of = cookie;

	ck_assert_uint_eq(len, PAGE);
	ck_assert_ptr_eq(addr, area + (size_t)(of - freed) * 2 * PAGE);
	(*of)++;
}

START_TEST(test_many_chunks)
{
	struct doca_buf_inventory *inventory = inventory_new(N_CHUNKS);
	struct doca_buf *bufs[N_CHUNKS];
	uint64_t n_allocations;
	uint8_t *head;

	area = mmap(NULL, 2 * N_CHUNKS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	ck_assert_ptr_ne(area, MAP_FAILED);
	set_u32(DOCA_MMAP_MAX_NUM_CHUNKS, N_CHUNKS);
	OK(doca_mmap_start(mmap_));
	/* 7 is coprime to the number of chunks: visits each once, out of order. */
	for (unsigned i = 0; i < N_CHUNKS; i++) {
		unsigned k = i * 7 % N_CHUNKS;

		OK(doca_mmap_populate(mmap_, area + 2 * k * PAGE, PAGE, PAGE, on_free, &freed[k]));
		if (i == N_CHUNKS / 2)
			OK(doca_mmap_dev_add(mmap_, dev));
	}
	EXPECT(DOCA_ERROR_NO_MEMORY,
	       doca_mmap_populate(mmap_, area + PAGE, PAGE, PAGE, NULL, NULL));
	/* Getting a buffer allocates no memory. */
	n_allocations = allocount_n();
	for (unsigned i = 0; i < N_CHUNKS; i++)
		OK(doca_buf_inventory_buf_by_addr(inventory, mmap_, area + 2 * i * PAGE, PAGE,
						  &bufs[i]));
	ck_assert_uint_eq(allocount_n(), n_allocations);
	for (unsigned i = 0; i < N_CHUNKS; i++) {
		OK(doca_buf_head_get(bufs[i], &head));
		ck_assert_ptr_eq(head, area + 2 * i * PAGE);
	}
	ck_assert_uint_eq(get_u32(mmap_, DOCA_MMAP_NUM_BUFS), N_CHUNKS);
	for (unsigned i = 0; i < N_CHUNKS; i++) {
		OK(doca_buf_refcount_rm(bufs[i], NULL));
		EXPECT(DOCA_ERROR_INVALID_VALUE,
		       doca_buf_inventory_buf_by_addr(inventory, mmap_, area + (2 * i + 1) * PAGE,
						      1, &bufs[i]));
	}
	OK(doca_buf_inventory_destroy(inventory));
	for (unsigned i = 0; i < N_CHUNKS; i++)
		ck_assert_uint_eq(freed[i], 0);
	OK(doca_mmap_destroy(mmap_));
	for (unsigned i = 0; i < N_CHUNKS; i++)
		ck_assert_uint_eq(freed[i], 1);
	OK(doca_mmap_create(NULL, &mmap_));
	ck_assert_int_eq(munmap(area, 2 * N_CHUNKS * PAGE), 0);
}
END_TEST

START_TEST(test_export)
{
	struct doca_dev *second = use_dev(USE_HOST_PF1);
	uint8_t *desc = NULL, *again;
	char place[64];
	size_t len = 0;

	set_u32(DOCA_MMAP_MAX_NUM_CHUNKS, 2);
	set_u32(DOCA_MMAP_MAX_NUM_DEVICES, 2);
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export(mmap_, dev, &desc, &len));
	OK(doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_export(mmap_, second, &desc, &len));
	ck_assert_uint_eq(get_u8(DOCA_MMAP_EXPORTED), 0);
	OK(doca_mmap_export(mmap_, dev, &desc, &len));
	/* A text that contains the memory's address. */
	ck_assert_uint_le(len, 320);
	ck_assert_uint_eq(len, strlen((char *)desc) + 1);
	snprintf(place, sizeof(place), "{\"addr\": %llu, \"len\": %u,",
		 (unsigned long long)(uintptr_t)memory, PAGE);
	ck_assert_mem_eq(desc, place, strlen(place));
	ck_assert_uint_eq(get_u8(DOCA_MMAP_EXPORTED), 1);
	/* Every call returns a new descriptor, which the caller owns. */
	OK(doca_mmap_export(mmap_, dev, &again, &len));
	ck_assert_ptr_ne(again, desc);
	ck_assert_mem_eq(again, desc, len);
	free(again);
	/* An exported map cannot be changed. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap_, second));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap_, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory + PAGE, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap_));
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, 2000);
	/* The export ends with stop; the caller still owns the descriptor. */
	OK(doca_mmap_stop(mmap_));
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 2000);
	ck_assert_uint_eq(get_u8(DOCA_MMAP_EXPORTED), 0);
	free(desc);
	/* After a restart the map can be changed again; with two chunks it cannot be exported. */
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, second));
	OK(doca_mmap_populate(mmap_, memory + PAGE, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export(mmap_, dev, &desc, &len));
	/* The map releases its devices. */
	OK(doca_mmap_destroy(mmap_));
	OK(doca_dev_close(second));
	OK(doca_mmap_create("next", &mmap_));
}
END_TEST

START_TEST(test_access)
{
	uint8_t *desc;
	size_t len;

	/* Without a permission for the other side there is no export. */
	set_u32(DOCA_MMAP_ACCESS, DOCA_MMAP_ACCESS_LOCAL_WRITE);
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, dev));
	OK(doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export(mmap_, dev, &desc, &len));
	OK(doca_mmap_destroy(mmap_));
	OK(doca_mmap_create(NULL, &mmap_));
	set_u32(DOCA_MMAP_ACCESS, DOCA_MMAP_ACCESS_REMOTE_READ);
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, dev));
	OK(doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	OK(doca_mmap_export(mmap_, dev, &desc, &len));
	free(desc);
}
END_TEST

START_TEST(test_inventory)
{
	struct doca_buf_inventory *inventory;
	uint32_t value = 0;
	uint8_t *out = (uint8_t *)&value;
	char name[8];

	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create("x", 1, 0, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create("x", 0, 0, &inventory));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create("x", 1, 2, &inventory));
	OK(doca_buf_inventory_create("x", 12, DOCA_BUF_EXTENSION_LINKED_LIST, &inventory));
	OK(doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_NAME, (uint8_t *)name,
					   sizeof(name)));
	ck_assert_str_eq(name, "x");
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_NAME, out, 1));
	OK(doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_NUM_ELEMENTS, out, 4));
	ck_assert_uint_eq(value, 12);
	OK(doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_NUM_FREE_ELEMENTS, out,
					   4));
	ck_assert_uint_eq(value, 12);
	OK(doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_EXTENSIONS, out, 4));
	ck_assert_uint_eq(value, DOCA_BUF_EXTENSION_LINKED_LIST);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_EXTENSIONS, out, 2));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_property_get(inventory, (enum doca_buf_inventory_property)9, out,
					       4));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_property_get(NULL, DOCA_BUF_INVENTORY_EXTENSIONS, out, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_EXTENSIONS, NULL, 4));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_buf_inventory_property_set(inventory, DOCA_BUF_INVENTORY_NUM_ELEMENTS, out, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_property_set(inventory, (enum doca_buf_inventory_property)9, out,
					       4));
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(test_no_memory)
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *none;
	uint8_t *desc;
	size_t len;
	doca_error_t result;

	if (!allocount_works)
		return;
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, dev));
	/* Whichever allocation fails, nothing leaks, and the export succeeds afterwards. */
	for (unsigned i = 0; i < 6; i++) {
		allocount_fail_after(i);
		result = doca_mmap_create("name", &none);
		allocount_fail_never();
		if (result == DOCA_SUCCESS)
			OK(doca_mmap_destroy(none));
		else
			ck_assert_int_eq(result, DOCA_ERROR_NO_MEMORY);
		allocount_fail_after(i);
		result = doca_buf_inventory_create("name", 4, 0, &inventory);
		allocount_fail_never();
		if (result == DOCA_SUCCESS)
			OK(doca_buf_inventory_destroy(inventory));
		else
			ck_assert_int_eq(result, DOCA_ERROR_NO_MEMORY);
	}
	for (unsigned i = 0; i < 2; i++) {
		allocount_fail_after(i);
		result = doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL);
		allocount_fail_never();
		ck_assert_int_eq(result, DOCA_ERROR_NO_MEMORY);
	}
	OK(doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	allocount_fail_after(0);
	result = doca_mmap_export(mmap_, dev, &desc, &len);
	allocount_fail_never();
	ck_assert_int_eq(result, DOCA_ERROR_NO_MEMORY);
	OK(doca_mmap_export(mmap_, dev, &desc, &len));
	free(desc);
}
END_TEST

START_TEST(test_other_generations)
{
	struct doca_mmap *newer = other_mmap(dev, memory, PAGE, true);
	struct doca_buf_inventory *own = inventory_new(2), *inventory = other_inventory();
	struct doca_buf *buf;
	uint8_t *desc;
	size_t len;
	uint32_t value = 1;
	uint8_t *out = (uint8_t *)&value;

	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_start(newer));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_dev_add(newer, dev));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_dev_rm(newer, dev));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_populate(newer, memory, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_export(newer, dev, &desc, &len));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_property_set(newer, DOCA_MMAP_ACCESS, out, 4));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_property_get(newer, DOCA_MMAP_ACCESS, out, 4));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_by_addr(own, newer, memory, 1, &buf));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_property_get(inventory, DOCA_BUF_INVENTORY_EXTENSIONS, out, 4));
	/* The reverse direction. */
	other_refuses_mmap(mmap_, dev, "1.3", true);
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	other_refuses_buf(inventory, mmap_, memory, "1.3");
	other_refuses_buf(own, newer, memory, "1.3");
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 1, &buf));
	other_refuses_pieces(mmap_, "1.3");
	other_refuses_inventory(own, "1.3");
	other_mmap_end(newer);
	OK(doca_buf_inventory_destroy(own));
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("memory");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_order);
	tcase_add_test(cases, test_arguments);
	tcase_add_test(cases, test_properties);
	tcase_add_test(cases, test_limits);
	tcase_add_test(cases, test_buffers);
	tcase_add_test(cases, test_many_chunks);
	tcase_add_test(cases, test_export);
	tcase_add_test(cases, test_access);
	tcase_add_test(cases, test_inventory);
	tcase_add_test(cases, test_no_memory);
	tcase_add_test(cases, test_other_generations);
}

int main(void)
{
	lab_require();
	return runner_main("memory of 1.3", add_cases, NULL);
}
