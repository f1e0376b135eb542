#!/bin/sh
# Memory maps and buffers: what a program of each version declares has the types of that version and is bound to the
# symbols of it; names of another version are refused with a hint. Exit status 77 when nm is missing.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
status=0
n_bound=0

if ! command -v nm >/dev/null; then
	echo "skipped: nm is not installed"
	exit 77
fi

# Of each name, the versions that introduced a form of it and the first one without.
cat >"$work/forms" <<END
doca_mmap_create 103 105 200 205 999
doca_mmap_create_from_export 103 105 200 999
doca_mmap_start 103 200 999
doca_mmap_dev_add 103 200 205
doca_mmap_dev_rm 103 200 205
doca_mmap_set_dmabuf_memrange 200 205 999
doca_buf_set_data 105 200 999
doca_buf_inventory_create 103 105 200 205 999
doca_buf_arr_create 200 207 999
doca_buf_arr_set_params 200 207 999
doca_buf_arr_get_dpa_handle 205 207 999
END

for version in $(sed -n 's/^versions = //p' "$src/include/Makefile.include"); do
	if ! ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -c -I"$src/include" -DDOCA_USE_VERSION="$version" \
		-o "$work/forms.o" "$src/tests/abi/memory_forms.c"; then
		echo "FAIL: version $version does not compile"
		status=1
		continue
	fi
	nm -u "$work/forms.o" | awk '{ print $2 }' | LC_ALL=C sort >"$work/got"
	awk -v version="$version" '
		{
			form = 0
			for (i = 2; i < NF; i++)
				if (version >= $i && version < $NF)
					form = $i
			if (form)
				printf "%s__v%d_%d\n", $1, int(form / 100), form % 100
		}' "$work/forms" | LC_ALL=C sort >"$work/expected"
	if ! diff "$work/expected" "$work/got"; then
		echo "FAIL: symbols of version $version"
		status=1
	fi
	n_bound=$((n_bound + $(wc -l <"$work/got")))
done

# refuse VERSION HEADER NAME HINT: calling the name does not compile, and the message has the hint.
refuse()
{
	printf '#include <%s.h>\nvoid f(void);\nvoid f(void) { (void)%s(0, 0, 0, 0); }\n' "$2" "$3" >"$work/refuse.c"
	if ${CC:-cc} -std=gnu11 -O1 -c -I"$src/include" -DDOCA_USE_VERSION="$1" -o "$work/refuse.o" "$work/refuse.c" \
		2>"$work/err"; then
		echo "FAIL: $3 compiles for $1"
		status=1
	elif ! grep -q "$4" "$work/err"; then
		cat "$work/err"
		echo "FAIL: $3 for $1 is refused without saying $4"
		status=1
	fi
}

refuse 303 doca_mmap doca_mmap_populate 'call doca_mmap_set_memrange'
refuse 303 doca_mmap doca_mmap_dev_add 'call doca_mmap_add_dev'
refuse 303 doca_mmap doca_mmap_export_dpu 'call doca_mmap_export_pci'
refuse 303 doca_mmap doca_mmap_property_set 'call doca_mmap_set_'
refuse 205 doca_buf doca_buf_refcount_rm 'call doca_buf_dec_refcount'
refuse 205 doca_buf doca_buf_list_chain 'call doca_buf_chain_list'
refuse 205 doca_buf_inventory doca_buf_inventory_buf_by_addr 'doca_buf_inventory_buf_get_by_addr'
refuse 202 doca_mmap doca_mmap_add_dev 'call doca_mmap_dev_add'
refuse 202 doca_mmap doca_mmap_export_pci 'doca_mmap_export_dpu'
refuse 103 doca_buf doca_buf_dec_refcount 'call doca_buf_refcount_rm'
refuse 105 doca_buf_inventory doca_buf_inventory_buf_get_by_addr 'doca_buf_inventory_buf_by_addr'
refuse 303 doca_bufpool doca_bufpool_create 'include doca_buf_pool.h'
refuse 105 doca_bufpool doca_bufpool_create 'DOCA_USE_VERSION'
refuse 202 doca_buf_pool doca_buf_pool_create 'doca_bufpool.h'
refuse 105 doca_buf_array doca_buf_arr_create 'DOCA_USE_VERSION'

echo "$n_bound names bound"
exit $status
