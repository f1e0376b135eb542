#!/usr/bin/env bash
# Tests doca-bench: if a side lacks something that a test needs, it reports what is missing and
# where; exit statuses; a row in each form of output; the comparison of two results.
set -u
top_builddir=${top_builddir:-$PWD}
admin=$top_builddir/doca-admin
bench=$top_builddir/doca-bench
for program in "$admin" "$bench" "$top_builddir/dococored"; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-test.XXXXXX")
n_failed=0

clean_up() {
	"$admin" lab down --dir "$work/lab" >"$work/down" 2>&1
	rm -rf "$work"
}
trap clean_up EXIT

# expect STATUS TEXT DOCA-BENCH-ARGUMENT...: runs it with the daemon of the host.
expect() {
	local wanted=$1 text=$2 status=0
	shift 2

	# A program that aborts frees nothing.
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
		DOCOCORED_SOCKET=$work/lab/host.sock timeout 60 "$bench" "$@" >"$work/out" 2>&1 || status=$?
	if [ "$status" = "$wanted" ] && grep -q -- "$text" "$work/out"; then
		return
	fi
	n_failed=$((n_failed + 1))
	echo "FAILED: doca-bench $*: status $status (not $wanted), or it does not say '$text':"
	cat "$work/out"
}

printf '[topology]\nside = dpu\n[device p0]\npci = 03:00.0\n' >"$work/dpu"
DOCOCORED=$top_builddir/dococored "$admin" lab up --dir "$work/lab" --quiet \
	--topology ",$work/dpu" || exit 1
expect 1 'side dpu has none that is present' comch --rounds 1
expect 1 "the other side's process could not go on" comch --rounds 1
expect 2 'no test' nonsense
expect 2 'either --rounds or --duration' buf --rounds 2 --duration 1
expect 0 '"p50": [0-9]' sha --size 64 --depth 1 --rounds 1 --json
expect 0 '"p50": [0-9]' aes-gcm --size 64 --depth 1 --rounds 1 --json
expect 0 '"p50": null' sha --size 64 --depth 2 --rounds 1 --json
expect 0 '"limit": 0.6' buf --depth 1 --rounds 1 --json
expect 0 '"threads": 2' graph --threads 2 --rounds 1 --json

# result NAME RATIO...: a result with one row for each ratio.
result() {
	local name=$1 ratio size=0

	shift
	for ratio in "$@"; do
		size=$((size + 1))
		printf '%s{"test": "t", "variant": "v", "size": %d, "reference": {"name": "r"}, "ratio": %s,
			"ratio_low": %s, "ratio_high": %s}' "$([ $size = 1 ] && echo '[' || echo ,)" $size "$ratio" "$ratio" "$ratio"
	done >"$work/$name"
	echo ']' >>"$work/$name"
}
result before 1.0 1.0 1.0
result equal 1.0 1.0 1.0
result improved 1.0 0.5 1.0
result slower 1.0 0.5 1.5
echo '{"no": "result"}' >"$work/other"
expect 0 't v 2 (r) .* same$' --compare "$work/before" --compare "$work/equal"
expect 0 't v 2 (r) .* 1.000 *0.500  better$' --compare "$work/before" --compare "$work/improved"
expect 3 't v 3 (r) .* 1.000 *1.500  worse$' --compare "$work/before" --compare "$work/slower"
expect 3 '"verdict": "worse"' --compare "$work/before" --compare "$work/slower" --json
expect 0 't v 1 (r) .* absent$' buf --depth 1 --rounds 1 --compare "$work/before"
expect 1 'other is not a result of doca-bench --json' --compare "$work/before" --compare "$work/other"
"$admin" lab down --dir "$work/lab" || exit 1

printf '[topology]\nside = dpu\ndiscover = yes\n' >"$work/dpu"
DOCOCORED=$top_builddir/dococored "$admin" lab up --dir "$work/lab" --quiet \
	--topology ",$work/dpu" || exit 1
expect 1 'side dpu has no device for that, of 0 devices' dma --transport shm --rounds 1
expect 1 'no device of side dpu can do RDMA between processes' rdma --rounds 1

if [ "$n_failed" -gt 0 ]; then
	echo "$n_failed failures"
	exit 1
fi
echo "doca-bench: passed"
