#!/bin/sh
# The examples in the headers work: a program that consists of some of them opens a device, maps
# memory, copies it, waits for the copy, and uses a pool and a sync event, on both sides of a lab.
# Runs in the build directory. Exit status 77: skipped.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
headers=$src/include
admin=$PWD/doca-admin
DOCOCORED=$PWD/dococored
export DOCOCORED
for program in "$admin" "$DOCOCORED"; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
command -v gcc >/dev/null || { echo "skipped: gcc is not installed"; exit 77; }
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET
. "$src/tests/abi/example_of.sh"

work=$(mktemp -d /tmp/doco-header-examples-XXXXXX) || exit 99
lab=$work/lab
cleanup()
{
	timeout -k 5 90 "$admin" lab down --dir "$lab" >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

for header in doca_argp.h doca_buf.h doca_buf_inventory.h doca_buf_pool.h doca_ctx.h doca_dev.h doca_dma.h \
	doca_error.h doca_log.h doca_mmap.h doca_pe.h doca_sync_event.h doca_types.h doca_version.h; do
	example_of $header >>"$work/program.c" || { echo "FAIL: $header has no example"; exit 1; }
done
cat >>"$work/program.c" <<'EOF'
#include <stdlib.h>
#include <string.h>

static void check(const char *what, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		return;
	report(what, result);
	exit(1);
}

static void copied(struct doca_dma_task_memcpy *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)ctx_user_data;
	*(doca_error_t *)user_data.ptr = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void copy(struct doca_pe *pe, struct doca_dma *dma, struct doca_mmap *map, char *memory, size_t len)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *src, *dst;
	doca_error_t status = DOCA_ERROR_IN_PROGRESS;

	check("source", first_buffer(map, memory, len, &inventory, &src));
	check("destination", doca_buf_inventory_buf_get_by_addr(inventory, map, memory + len, len, &dst));
	check("copy", submit_copy(dma, src, dst, to_user_data(&status)));
	check("wait", wait_for_tasks(pe));
	check("status of the copy", status);
	check("release", doca_buf_dec_refcount(src, NULL));
	print_and_release(dst);
	check("end of the inventory", doca_buf_inventory_destroy(inventory));
}

static void use_event(struct doca_dev *dev)
{
	struct doca_sync_event *event;
	uint64_t before;

	check("event", start_event(dev, &event));
	check("addition", doca_sync_event_update_add(event, 1, &before));
	check("wait for the event", doca_sync_event_wait_gt_yield(event, 0, UINT64_MAX));
	check("stop of the event", doca_sync_event_stop(event));
	check("end of the event", doca_sync_event_destroy(event));
}

static void use_pool(const struct doca_mmap *map)
{
	struct doca_buf_pool *pool;
	struct doca_buf *buf;

	check("pool", start_pool(map, &pool, &buf));
	check("release of the pool's buffer", doca_buf_dec_refcount(buf, NULL));
	check("end of the pool", doca_buf_pool_destroy(pool));
}

int main(int argc, char **argv)
{
	static char memory[65 * 4096] = "copied text\n";
	struct doca_dev *dev = open_dma_device();
	struct doca_mmap *map;
	struct doca_dma *dma;
	struct doca_pe *pe;
	int size;

	start_log();
	print_versions();
	check("arguments", parse(argc, argv, &size));
	check("device", dev ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND);
	check("map", map_memory(dev, memory, sizeof(memory), &map));
	check("engine", doca_pe_create(&pe));
	check("DMA", doca_dma_create(dev, &dma));
	check("start of DMA", start_dma(dma, pe, copied));
	copy(pe, dma, map, memory, (size_t)size);
	use_event(dev);
	use_pool(map);
	check("stop", stop_and_wait(pe, doca_dma_as_ctx(dma)));
	check("end of DMA", doca_dma_destroy(dma));
	check("end of the engine", doca_pe_destroy(pe));
	check("end of the map", doca_mmap_destroy(map));
	check("end of the device", doca_dev_close(dev));
	return 0;
}
EOF
# shellcheck disable=SC2086
gcc -std=gnu11 -Wall -Wextra -Werror ${SANITIZE_FLAGS:-} "-I$headers" "$work/program.c" -o "$work/program" \
	-Lclient/.libs -ldococlient || { echo "FAIL: the examples do not compile to a program"; exit 1; }
LD_LIBRARY_PATH=$PWD/client/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

timeout -k 5 90 "$admin" lab up --dir "$lab" >"$work/up" 2>&1 || { echo "FAIL: lab up:"; cat "$work/up"; exit 1; }
for side in host dpu; do
	timeout -k 5 90 "$admin" lab exec --dir "$lab" --side $side -- "$work/program" --size 12 \
		>"$work/out" 2>"$work/err" && grep -q '^built for .*, runs with ' "$work/out" &&
		grep -qx 'copied text' "$work/out" || {
		echo "FAIL: the program of the headers' examples on side $side: $?"
		cat "$work/out" "$work/err"
		exit 1
	}
done
echo "the examples of the headers work on both sides"
