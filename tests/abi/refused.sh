#!/bin/sh
# Checks that mistakes with versions do not compile, and that the message says what to do. The same
# text compiles for the version for which it was written, which shows that the version is the
# reason. Exit status 77 if gcc is missing.
set -u

src=${top_srcdir:?run by make check}/include
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_refused=0

if ! command -v gcc >/dev/null; then
	echo "skipped: gcc is not installed"
	exit 77
fi

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# compiles COMPILER VERSION
compiles()
{
	"$1" -x c -std=c11 -Wall -Werror -O1 -c -o "$work/out.o" ${2:+-DDOCA_USE_VERSION="$2"} \
		-DDOCA_ALLOW_EXPERIMENTAL_API "-I$src" "$work/text" >"$work/errors" 2>&1
}

# refuse RIGHT-VERSION WRONG-VERSION HINT: reads the text from stdin. Must not be in a pipe, because
# it counts failures.
refuse()
{
	cat >"$work/text"
	for compiler in $compilers; do
		if [ -n "$1" ]; then
			compiles "$compiler" "$1" || {
				cat "$work/errors"
				fail "$compiler refuses a text that is correct for $1"
			}
		fi
		if compiles "$compiler" "$2"; then
			fail "$compiler accepts for $2: $(cat "$work/text")"
		elif ! grep -q "$3" "$work/errors"; then
			cat "$work/errors"
			fail "the message of $compiler for $2 lacks '$3'"
		fi
		n_refused=$((n_refused + 1))
	done
}

compilers=gcc
if command -v clang >/dev/null; then
	compilers="gcc clang"
else
	echo "note: clang is not installed, gcc only"
fi

for wrong in 35 22 304 299 102 220 221; do
	refuse 303 $wrong 'DOCA_MAKE_VERSION' <<'EOF'
#include <doca_types.h>
EOF
done
refuse 303 203 'no such release' <<'EOF'
#include <doca_types.h>
EOF
refuse 202 300 'DOCA_USE_VERSION' <<'EOF'
#include <doca_ctx.h>
doca_error_t f(struct doca_workq **workq);
doca_error_t f(struct doca_workq **workq) { return doca_workq_create(32, workq); }
EOF
refuse 103 202 'doca_mmap_set_memrange' <<'EOF'
#include <doca_mmap.h>
doca_error_t f(struct doca_mmap *mmap, char *at);
doca_error_t f(struct doca_mmap *mmap, char *at) { return doca_mmap_populate(mmap, at, 1, 4096, 0, 0); }
EOF
refuse 303 202 'DOCA_USE_VERSION' <<'EOF'
#include <doca_pe.h>
doca_error_t f(struct doca_task *task);
doca_error_t f(struct doca_task *task) { return doca_task_submit(task); }
EOF
refuse 303 206 'DOCA_USE_VERSION' <<'EOF'
#include <doca_comch.h>
EOF
refuse 206 207 'DOCA_USE_VERSION' <<'EOF'
#include <doca_cc.h>
EOF
refuse 208 209 'DOCA_USE_VERSION' <<'EOF'
#include <doca_comm_channel.h>
EOF
refuse 208 209 'too few arguments' <<'EOF'
#include <doca_rdma.h>
doca_error_t f(struct doca_rdma *rdma, const void **at, size_t *len);
doca_error_t f(struct doca_rdma *rdma, const void **at, size_t *len) { return doca_rdma_export(rdma, at, len); }
EOF
refuse 209 208 'too many arguments' <<'EOF'
#include <doca_rdma.h>
doca_error_t f(struct doca_rdma_connection *conn);
doca_error_t f(struct doca_rdma_connection *conn) { return doca_rdma_connection_accept(conn, NULL, 0); }
EOF
refuse 202 303 'DOCA_USE_VERSION' <<'EOF'
#include <doca_bufpool.h>
EOF
# Another form of the same name: the compiler detects this by itself.
refuse 105 103 'pointer' <<'EOF'
#include <doca_mmap.h>
doca_error_t f(const union doca_data *data, struct doca_mmap **mmap);
doca_error_t f(const union doca_data *data, struct doca_mmap **mmap) { return doca_mmap_create(data, mmap); }
EOF
refuse 303 202 'too many arguments' <<'EOF'
#include <doca_dma.h>
doca_error_t f(struct doca_dev *dev, struct doca_dma **dma);
doca_error_t f(struct doca_dev *dev, struct doca_dma **dma) { return doca_dma_create(dev, dma); }
EOF

# elsewhere VERSION HEADER HINT [NAME]: the name, or without one the header, belongs to another version; the message says what
# to do.
elsewhere()
{
	refuse "" "$1" "$3" <<EOF
#include <$2.h>
void f(void);
void f(void) { (void)${4:-f}(); }
EOF
}

while read -r version header name hint; do
	elsewhere "$version" "$header" "$hint" "$name"
done <<'EOF'
300 doca_dev doca_devinfo_list_create doca_devinfo_create_list
202 doca_dev doca_devinfo_create_list doca_devinfo_list_create
202 doca_dev doca_devinfo_property_get doca_devinfo_get_
303 doca_dev doca_devinfo_property_get doca_devinfo_get_
105 doca_dev doca_devinfo_remote_list_create doca_devinfo_rep_list_create
303 doca_error doca_get_error_string doca_error_get_descr
202 doca_error doca_error_get_descr doca_get_error_string
205 doca_log doca_log_create_standard_backend doca_log_backend_create_standard
103 doca_log doca_log_backend_create_standard doca_log_create_standard_backend
303 doca_mmap doca_mmap_populate call doca_mmap_set_memrange
303 doca_mmap doca_mmap_dev_add call doca_mmap_add_dev
303 doca_mmap doca_mmap_export_dpu call doca_mmap_export_pci
303 doca_mmap doca_mmap_property_set call doca_mmap_set_
202 doca_mmap doca_mmap_add_dev call doca_mmap_dev_add
202 doca_mmap doca_mmap_export_pci doca_mmap_export_dpu
205 doca_buf doca_buf_refcount_rm call doca_buf_dec_refcount
205 doca_buf doca_buf_list_chain call doca_buf_chain_list
103 doca_buf doca_buf_dec_refcount call doca_buf_refcount_rm
103 doca_buf doca_buf_set_data since 1.5
205 doca_buf_inventory doca_buf_inventory_buf_by_addr doca_buf_inventory_buf_get_by_addr
105 doca_buf_inventory doca_buf_inventory_buf_get_by_addr doca_buf_inventory_buf_by_addr
303 doca_compress doca_compress_job_get_supported doca_compress_cap_task_compress_deflate_is_supported
202 doca_compress doca_compress_task_compress_deflate_set_conf doca_compress_deflate_job
303 doca_sha doca_sha_job_get_supported doca_sha_cap_task_hash_get_supported
202 doca_sha doca_sha_task_hash_set_conf doca_sha_job
303 doca_erasure_coding doca_ec_job_get_supported doca_ec_cap_task_create_is_supported
202 doca_erasure_coding doca_ec_task_create_set_conf doca_ec_job_create
205 doca_sync_event doca_sync_event_publisher_add_location_cpu doca_sync_event_add_publisher
202 doca_sync_event doca_sync_event_add_publisher_location_cpu doca_sync_event_publisher_add
303 doca_sync_event doca_sync_event_export_to_dpu doca_sync_event_export_to_remote_pci
202 doca_sync_event doca_sync_event_export_to_remote_pci doca_sync_event_export_to_dpu
303 doca_sync_event doca_sync_event_task_wait_gt_set_conf wait_eq
303 doca_graph doca_workq_graph_submit doca_graph_instance_submit
202 doca_graph doca_graph_instance_submit doca_workq_graph_submit
EOF
while read -r version header hint; do
	elsewhere "$version" "$header" "$hint"
done <<'EOF'
206 doca_mmap_advise from 2.7 on
202 doca_mmap_advise from 2.7 on
303 doca_bufpool include doca_buf_pool.h
105 doca_bufpool DOCA_USE_VERSION
202 doca_buf_pool doca_bufpool.h
105 doca_buf_array DOCA_USE_VERSION
105 doca_compress from 2.2 on
105 doca_sha from 2.0 on
200 doca_erasure_coding from 2.2 on
103 doca_graph from 2.0 on
103 doca_sync_event from 2.0 on
EOF

echo "$n_refused texts refused, $n_failed failures"
[ $n_failed -eq 0 ]
