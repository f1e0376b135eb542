#!/usr/bin/env bash
# Not a test: measures the speed of RDMA in one guest with soft-RoCE, for this library and for the
# programs of perftest, alternating in the same run: `check.sh BUILD-DIR bench` prints the output,
# for VM_BENCH_ROUNDS rounds (default 7). Under emulation, only the ratios are meaningful.
#
# In all programs, a latency is the median of single operations, each from the processor counter at
# its start to that at the start of the next one: t_typical of perftest. Interruptions by a clock
# tick or by another program of the host therefore do not count. A bandwidth is a mean.
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
top_builddir=${top_builddir:?}
rounds=${rounds:?}
out=/run/tmp/figures

set_up() {
	ip link set lo up &&
		ip link add d0 mtu 4200 type dummy &&
		ip addr add 10.99.0.1/24 dev d0 &&
		ip link set d0 up &&
		rxe mlx5_0 d0 &&
		ibv_devinfo -d mlx5_0 | head -n 30
}

# perftest_once NAME PROGRAM COLUMN OPTION...: appends "NAME perftest FIGURE". Returns 1 if there was
# no figure: perftest measures the frequency of the clock, which sometimes fails under emulation.
perftest_once() {
	local name=$1 program=$2 column=$3 server
	shift 3

	taskset -c 1 "$program" -d mlx5_0 -x 1 -F "$@" >/run/tmp/perf-server 2>&1 &
	server=$!
	until_true 20 sh -c 'ss -ltn | grep -q :18515' || return
	taskset -c 0 "$program" -d mlx5_0 -x 1 -F "$@" 10.99.0.1 >/run/tmp/perf-client 2>&1 || {
		cat /run/tmp/perf-client
		return 1
	}
	wait "$server"
	awk -v name="$name" -v column="$column" '
	$1 ~ /^[0-9]+$/ { figure = $column }
	END {
		if (figure !~ /^[0-9.]+$/ || figure == 0) exit 1
		print name, "perftest", figure
	}' /run/tmp/perf-client >>"$out"
}

perftest() {
	perftest_once "$@" || perftest_once "$@" || perftest_once "$@"
}

# Latencies in microseconds, one way if there is an answer; bandwidths in MiB/s.
ours() {
	on host "$top_builddir/doca-bench" rdma --json --rounds 3 >/run/tmp/ours || return
	awk '
	/"variant"/ { split($0, a, "\""); variant = a[4]; in_reference = 0 }
	/"size"/ { match($0, /[0-9]+/); size = substr($0, RSTART, RLENGTH) }
	/"transport"/ { split($0, a, "\""); transport = a[4] }
	/"reference"/ { in_reference = 1 }
	/"ns_per_op"/ {
		sub(/.*: */, ""); sub(/,.*/, "")
		if (in_reference) raw = $0; else own = $0
	}
	/"ratio"/ && transport == "verbs" {
		name = variant; gsub(/[ .]+$/, "", name); gsub(/ /, "-", name)
		if (name ~ /bw/) {
			print name, "ours", size * 1e9 / own / 1048576
			print name, "raw", size * 1e9 / raw / 1048576
		} else {
			print name, "ours", own / 1000
			print name, "raw", raw / 1000
		}
	}' /run/tmp/ours >>"$out"
}

# ib_send_lat stops posting receives once the posted ones suffice for its remaining pings. With few
# of them (-r), it posts almost every time, as our programs must. A copy by a DMA task is compared
# with a read.
one_round() {
	perftest write-lat ib_write_lat 5 -s 64 -n 1000 &&
		perftest read-lat ib_read_lat 5 -s 64 -n 1000 &&
		perftest send-lat ib_send_lat 5 -s 64 -n 1000 -r 16 &&
		perftest add-lat ib_atomic_lat 5 -A FETCH_AND_ADD -n 1000 &&
		perftest dma-lat ib_read_lat 5 -s 64 -n 1000 &&
		perftest write-bw ib_write_bw 4 -s 65536 -n 500 -t 32 &&
		perftest read-bw ib_read_bw 4 -s 65536 -n 500 -t 32 &&
		ours
}

# The median of all rounds; for the ratios of each round, also the minimum and the maximum.
table() {
	printf '%-10s %9s %9s %9s   %s\n' "" ours "raw verbs" perftest "ours / perftest, limit"
	awk '
	{ n = ++count[$1, $2]; value[$1, $2, n] = $3; if (!($1 in seen)) { seen[$1]; order[++k] = $1 } }
	function sort(a, n,   i, j, t) {
		for (i = 1; i <= n; i++)
			for (j = i + 1; j <= n; j++)
				if (a[j] < a[i]) { t = a[i]; a[i] = a[j]; a[j] = t }
	}
	function of(name, who,   i, a, n) {
		n = count[name, who]
		for (i = 1; i <= n; i++) a[i] = value[name, who, i]
		sort(a, n)
		return a[int((n + 1) / 2)]
	}
	function ratio(name,   i, a, n) {
		n = count[name, "ours"]
		for (i = 1; i <= n; i++)
			a[i] = value[name, "ours", i] / value[name, "perftest", i]
		sort(a, n)
		return sprintf("%.3f (%.3f to %.3f)", a[int((n + 1) / 2)], a[1], a[n])
	}
	function limit(name) {
		return name ~ /bw/ ? ">= 0.95, MiB/s" : name ~ /dma/ ? "<= 1.2, us" : "<= 1.15, us"
	}
	END {
		for (i = 1; i <= k; i++)
			printf "%-10s %9.2f %9.2f %9.2f   %s %s\n", order[i], of(order[i], "ours"),
				of(order[i], "raw"), of(order[i], "perftest"), ratio(order[i]),
				limit(order[i])
	}' "$out"
}

measure() {
	: >"$out"
	lab_up >/dev/null || return
	for _ in $(seq "$rounds"); do
		one_round || return
	done
	table
	lab_down
}

# Two daemons of this guest that are linked as those of two machines, with one runtime directory
# each. doca-bench looks for both sockets in one.
apart_up() {
	local first

	export own=1 peer=1 link_port=18515
	tls_files || return
	side=dpu link=/run/tmp/apart-dpu linked_up &
	first=$!
	side=host link=/run/tmp/apart-host linked_up && wait "$first" &&
		ln -s /run/tmp/apart-dpu/dpu.sock /run/tmp/apart-host/
}

# Messages and the fast path between machines, by RDMA device and by relay, as in doca-bench(1). The
# last column says how many times faster the device is.
apart() {
	local status=0

	apart_up || return
	DOCA_SIDE=host DOCOCORED_SOCKET=/run/tmp/apart-host/host.sock \
		"$top_builddir/doca-bench" remote --json --rounds "$rounds" >/run/tmp/remote || status=$?
	link=/run/tmp/apart-host linked_down >/run/tmp/down-host || status=1
	link=/run/tmp/apart-dpu linked_down >/run/tmp/down-dpu || status=1
	[[ $status -eq 0 ]] || return
	printf '%-10s %6s %12s %12s   %s\n' "" bytes "verbs, us" "relay, us" "relay / verbs"
	awk '
	/"variant"/ { split($0, a, "\""); variant = a[4]; in_reference = 0 }
	/"size"/ { match($0, /[0-9]+/); size = substr($0, RSTART, RLENGTH) }
	/"transport"/ { split($0, a, "\""); transport = a[4] }
	/"reference"/ { in_reference = 1 }
	/"ns_per_op"/ && !in_reference {
		sub(/.*: */, ""); sub(/,.*/, "")
		row = sprintf("%-10s %6d", variant, size)
		if (!(row in seen)) { seen[row]; order[++n] = row }
		ns[row, transport] = $0
	}
	END {
		for (i = 1; i <= n; i++)
			printf "%s %12.2f %12.2f   %.2f\n", order[i], ns[order[i], "verbs"] / 1000,
				ns[order[i], "relay"] / 1000, ns[order[i], "relay"] / ns[order[i], "verbs"]
	}' /run/tmp/remote
}

export out rounds
declare -fx set_up rxe until_true lab_up lab_down on perftest perftest_once ours one_round table measure \
	tls_files linked_up linked_start linked_down apart_up apart
run bench/set-up 60 bash -c set_up
run bench/rdma 900 bash -c measure
run bench/remote 600 bash -c apart
: >"$VM_OUT/bench/done"
