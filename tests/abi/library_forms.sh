#!/bin/sh
# SHA, sync events and graphs: what the headers of each version declare, and which form of a name it is bound to; names
# of other versions are refused with a hint. Exit status 77 when nm is missing.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n=0
status=0

if ! command -v nm >/dev/null; then
	echo "skipped: nm is not installed"
	exit 77
fi

names="doca_graph_create \
	doca_graph_destroy \
	doca_graph_instance_create \
	doca_graph_instance_destroy \
	doca_graph_instance_set_ctx_node_data \
	doca_graph_instance_set_sub_graph_node_data \
	doca_graph_instance_set_user_node_data \
	doca_graph_start \
	doca_graph_stop \
	doca_sha_create \
	doca_sync_event_create \
	doca_sync_event_create_from_export"

for version in $(sed -n 's/^versions = //p' "$src/include/Makefile.include"); do
	[ "$version" -ge 200 ] || continue
	if [ "$version" -lt 205 ]; then form=2_0; else form=2_5; fi
	n=$((n + 1))
	for name in $names; do
		echo "${name}__v$form"
	done >"$work/wanted"
	if ! ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$src/include" -DDOCA_USE_VERSION="$version" \
		-c -o "$work/one.o" "$src/tests/abi/library_forms.c"; then
		echo "FAIL: version $version"
		status=1
		continue
	fi
	nm -u "$work/one.o" | awk '{ print $2 }' | LC_ALL=C sort >"$work/got"
	if ! diff "$work/wanted" "$work/got"; then
		echo "FAIL: version $version is bound to other forms"
		status=1
	fi
done
[ $n -ge 4 ] || { echo "FAIL: $n versions"; status=1; }

# elsewhere VERSION HEADER CALL HINT: the name is of another version; the message says what to do.
elsewhere()
{
	printf '#include <%s>\nvoid f(void);\nvoid f(void) { %s; }\n' "$2" "$3" >"$work/refuse.c"
	if ${CC:-cc} -O1 -c -o "$work/refuse.o" -I"$src/include" -DDOCA_USE_VERSION="$1" "$work/refuse.c" \
		2>"$work/err"; then
		echo "FAIL: $3 compiles in $1"
		status=1
	elif ! grep -q "$4" "$work/err"; then
		cat "$work/err"
		echo "FAIL: the message for $3 in $1 lacks '$4'"
		status=1
	fi
}
elsewhere 303 doca_sha.h 'doca_sha_job_get_supported()' 'doca_sha_cap_task_hash_get_supported'
elsewhere 202 doca_sha.h 'doca_sha_task_hash_set_conf()' 'doca_sha_job'
elsewhere 205 doca_sync_event.h 'doca_sync_event_publisher_add_location_cpu()' 'doca_sync_event_add_publisher'
elsewhere 202 doca_sync_event.h 'doca_sync_event_add_publisher_location_cpu()' 'doca_sync_event_publisher_add'
elsewhere 303 doca_sync_event.h 'doca_sync_event_export_to_dpu()' 'doca_sync_event_export_to_remote_pci'
elsewhere 202 doca_sync_event.h 'doca_sync_event_export_to_remote_pci()' 'doca_sync_event_export_to_dpu'
elsewhere 303 doca_sync_event.h 'doca_sync_event_task_wait_gt_set_conf()' 'wait_eq'
elsewhere 303 doca_graph.h 'doca_workq_graph_submit()' 'doca_graph_instance_submit'
elsewhere 202 doca_graph.h 'doca_graph_instance_submit()' 'doca_workq_graph_submit'
elsewhere 105 doca_sha.h 'f()' 'from 2.0 on'
elsewhere 103 doca_graph.h 'f()' 'from 2.0 on'
elsewhere 103 doca_sync_event.h 'f()' 'from 2.0 on'

echo "$n versions"
exit $status
