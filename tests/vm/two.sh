#!/usr/bin/env bash
# The tests between two connected guests, a and b. Each has a lab of its own.
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
top_builddir=${top_builddir:?}

own=1 peer=2 side=host
[[ $VM_ROLE == a ]] || own=2 peer=1 side=dpu

set_up() {
	ip link set lo up || return
	ip link set "$nic" mtu 4200
	ip link set "$nic" up &&
		ip addr add "10.99.0.$own/24" dev "$nic" &&
		ip -6 addr add "fd99::$own/64" dev "$nic" nodad &&
		rxe mlx5_0 "$nic" &&
		meet network 120
}

pingpong() {
	if [[ $VM_ROLE == a ]]; then
		ibv_rc_pingpong -d mlx5_0 -g 1 -n 100
	else
		until_true 30 ibv_rc_pingpong -d mlx5_0 -g 1 -n 100 "10.99.0.$peer"
	fi
}

# end CASE: runs the end of this machine in a case of verbs_test; in "killed", the server is killed.
end() {
	local program=$top_builddir/tests/vm/verbs_test status=0

	if [[ $VM_ROLE == a ]]; then
		"$program" server "$1" || status=$?
		[[ $1 != killed || $status -ne 137 ]] || status=0
	else
		"$program" client "$1" "10.99.0.$peer" || status=$?
	fi
	return "$status"
}

# api CASE: runs the end of this machine with the RDMA library; the daemons of the machines are not
# linked.
api() {
	local program=$top_builddir/tests/vm/rdma_test status=0

	if [[ $VM_ROLE == a ]]; then
		on host "$program" server "$1" || status=$?
		[[ $1 != killed || $status -ne 137 ]] || status=0
		return "$status"
	else
		on host "$program" client "$1" "10.99.0.$peer"
	fi
}

# lose_device FILE COMMAND...: removes the device of b once the command has printed ready, and
# restores it after the command has ended.
lose_device() {
	local log=$1 status=0 program removal
	shift

	"$@" >"$log" 2>&1 &
	program=$!
	until_true 60 grep -q ready "$log" || status=1
	timeout 60 rdma link delete mlx5_0 &
	removal=$!
	wait "$program" || status=$?
	wait "$removal" && rxe mlx5_0 "$nic" || status=1
	cat "$log"
	return "$status"
}

# gone FUNCTION [PROGRAM]: runs the case "gone" of one of the functions above or below.
gone() {
	if [[ $VM_ROLE == a ]]; then
		"$@" gone
	else
		lose_device /run/tmp/gone "$@" gone
	fi
}

# sides_swapped COMMAND...: additionally with the sides exchanged: a is the DPU, and b the host.
sides_swapped() {
	local other=host
	[[ $side != host ]] || other=dpu

	side=$other link=/run/tmp/swapped link_port=18516 "$@"
}

# link_timeout MS: from now on, the peer counts as lost after this time without packets.
link_timeout() {
	sed -i "s/^timeout_ms = .*/timeout_ms = $1/" "$link.conf" &&
		kill -HUP "$(cat "$link.pid")" &&
		until_true 20 grep -q "configuration loaded again" "$link.log"
}

# objects PROGRAM CASE: Core objects of the host's machine, used from the DPU's.
objects() {
	local program=$top_builddir/tests/vm/$1 log=/run/tmp/$1-$2 server status=0

	if [[ $VM_ROLE == b ]]; then
		linked "$program" client "$2" "10.99.0.$peer"
		return
	fi
	export MEET_MARK=$log-notified
	linked "$program" server "$2" >"$log" 2>&1 &
	server=$!
	if [[ $2 == revoked* ]]; then
		until_true 60 grep -q "revoke it" "$log" && linked revoke_all --dir /run/tmp/linked &&
			: >"$MEET_MARK"
	fi
	wait "$server" || status=$?
	cat "$log"
	[[ $2 != killed || $status -ne 137 ]] || status=0
	return "$status"
}

# ends_start CASE [~]PROGRAM[=CASE]...: starts the ends of this machine in a case of each program,
# in parallel; with ~, b is the server and the host.
ends_start() {
	local of=$top_builddir/tests/vm n=0 name=$1 program
	shift

	ends=() logs=()
	for program in "$@"; do
		local case=$name log=/run/tmp/$name-${program/=/-} server=a with=(linked) args
		[[ $program != *=* ]] || case=${program#*=}
		[[ $program != "~"* ]] || server=b with=(sides_swapped linked)
		program=${program#"~"}
		args=(client "$case" "10.99.0.$peer")
		[[ $VM_ROLE != "$server" ]] || args=(server "$case")
		n=$((n + 1))
		MEET_PORT=$((18600 + n)) MEET_MARK=$log-notified VERBS_TEST_BULK=0 \
			"${with[@]}" "$of/${program%%=*}" "${args[@]}" >"$log" 2>&1 &
		ends+=("$!") logs+=("$log")
	done
}

# ends_notify: signals all of them that this script has done its part.
ends_notify() {
	local log

	for log in "${logs[@]}"; do
		: >"$log-notified"
	done
}

# ends_await: waits for all of them, which must succeed.
ends_await() {
	local end status=0

	for end in "${ends[@]}"; do
		wait "$end" || status=$?
	done
	return "$status"
}

# ends_await_text WORD: waits until each has printed the word.
ends_await_text() {
	local log

	for log in "${logs[@]}"; do
		until_true 60 grep -q "$1" "$log" || return
	done
}

packets() {
	cat /sys/class/infiniband/mlx5_0/ports/1/hw_counters/rcvd_pkts
}

# The daemon of the importers is killed and restarted while they work.
restarted() {
	local status=0

	ends_start restarted core_test sync_test
	if [[ $VM_ROLE == b ]]; then
		ends_await_text ready && linked_down KILL && ends_notify || status=1
		ends_await_text "goes on" && linked_start && ends_notify || status=1
	fi
	ends_await || status=1
	cat "${logs[@]}"
	return "$status"
}

n_returns() {
	grep -c "device .* is back" "$link.log" || true
}

# device_removed a|b: removes the device of that machine from programs that use it in every way. The kernel
# notifies none of them, and each has the device open. Then the device returns.
device_removed() {
	local status=0 removal before

	before=$(n_returns)
	ends_start "removed_$1" core_test sync_test sync_test=tasks_removed fast_test call_test rdma_test
	if [[ $VM_ROLE == "$1" ]]; then
		ends_await_text ready || status=1
		timeout 60 rdma link delete mlx5_0 &
		removal=$!
	fi
	ends_await || status=1
	cat "${logs[@]}"
	[[ $VM_ROLE == "$1" ]] || return "$status"
	wait "$removal" && rxe mlx5_0 "$nic" || status=1
	until_true 60 bash -c "[[ \$(n_returns) -gt $before ]]" || status=1
	return "$status"
}

# Stops all packets from this machine for one second; prints how many packets that were. Uses a
# single process and opens its files before: starting a process would be part of the time, and on a
# busy machine that takes longer than requests are retried.
cut_once() {
	local orders

	[[ -p /run/tmp/orders ]] || mkfifo /run/tmp/orders /run/tmp/never
	{
		echo "qdisc add dev $nic root netem loss 100%"
		read -rt 1 <>/run/tmp/never
		echo "qdisc show dev $nic"
		echo "qdisc del dev $nic root"
	} >/run/tmp/orders &
	orders=$!
	tc -s -batch /run/tmp/orders | sed -n 's/.*(dropped \([0-9]*\).*/\1/p'
	wait "$orders"
}

# The network is interrupted for a short time during transfers, which continue normally.
cut() {
	local status=0 before

	ends_start cut verbs_test=bulk core_test
	if [[ $VM_ROLE == b ]]; then
		ends_await_text ready || status=1
		for _ in 1 2 3; do
			until_true 60 bash -c "[[ \$(cut_once) -gt 0 ]]" || status=1
			before=$(packets)
			until_true 60 bash -c "[[ \$(packets) -gt $((before + 50)) ]]" || status=1
		done
		ends_notify
	fi
	ends_await || status=1
	cat "${logs[@]}"
	return "$status"
}

# The network is cut for longer than requests are retried: they fail and do not hang. After its
# return, new connections work.
lost() {
	local status=0

	ends_start lost verbs_test core_test sync_test sync_test=tasks_lost fast_test rdma_test
	if [[ $VM_ROLE == b ]]; then
		ends_await_text ready && tc qdisc add dev "$nic" root netem loss 100% || status=1
		ends_await_text ^lost || status=1
		tc qdisc del dev "$nic" root || status=1
		# The kernel increases the time before it retransmits the longer nothing was
		# acknowledged: it becomes longer than a daemon waits for an answer. Without tcp_diag
		# in this kernel, ss does not show the backoff, only unacknowledged retransmissions.
		until_true 60 bash -c "! ss -tin sport = :18515 | grep -q 'retrans:[1-9]'" || status=1
		ends_notify
	fi
	ends_await || status=1
	cat "${logs[@]}"
	return "$status"
}

# The other machine is switched off during transfers, which has the same effects as a cut network; b
# checks them in every role. Connections that use only the link end after its configured timeout.
off() {
	local status=0

	export LINK_TIMEOUT_MS=8000 DOCOCORED_MIRROR=0
	if [[ $VM_ROLE == b ]]; then
		link_timeout "$LINK_TIMEOUT_MS" && sides_swapped link_timeout "$LINK_TIMEOUT_MS" || status=1
	fi
	ends_start off core_test sync_test fast_test call_test=off_host rdma_test=off_client \
		"~call_test=off_dpu" "~rdma_test=off_server"
	if [[ $VM_ROLE == a ]]; then
		until_true 100 test -e "$VM_OUT/.off"
		return
	fi
	ends_await_text ready && : >"$VM_OUT/.off" && ends_await_text ^lost || status=1
	ends_await || status=1
	cat "${logs[@]}"
	return "$status"
}

nic=$(basename /sys/class/net/e*)
link=/run/tmp/linked link_port=18515
export own peer side nic link link_port
export VERBS_TEST_IPV4=10.99.0.1 VERBS_TEST_IPV6=fd99::1 VERBS_TEST_BULK=${VM_BULK:-$((64 << 20))}
declare -fx set_up rxe until_true meet pingpong end lab_up lab_down on api cut cut_once lost off packets
declare -fx tls_files linked_up linked_start linked_down linked objects restarted ends_notify gone lose_device revoke_all
declare -fx ends_start ends_await ends_await_text device_removed n_returns sides_swapped link_timeout
run "two-$VM_ROLE/set-up" 180 bash -c set_up
run "two-$VM_ROLE/pingpong" 60 bash -c pingpong
if [[ -x $top_builddir/tests/vm/verbs_test ]]; then
	run "two-$VM_ROLE/verbs" 200 bash -c "end send,write,read,pieces,atomic,order,address"
	run "two-$VM_ROLE/verbs-refused" 200 bash -c \
		"end wrong_key,past_end,read_only,stopped,no_receive,too_long"
	run "two-$VM_ROLE/verbs-killed" 120 bash -c "end killed"
	run "two-$VM_ROLE/verbs-bulk" "${VM_BULK_LIMIT:-200}" bash -c "end bulk"
	run "two-$VM_ROLE/lab-up" 120 bash -c lab_up
	for case in tasks stopped revoked address leaves rnr killed; do
		run "two-$VM_ROLE/rdma-$case" 120 bash -c "api $case"
	done
	run "two-$VM_ROLE/rdma-gone" 120 bash -c "gone api"
	run "two-$VM_ROLE/lab-down" 120 bash -c lab_down
	run "two-$VM_ROLE/linked-up" 120 bash -c linked_up
	for case in pci rdma asleep leaves read_only shared revoked revoked_under_way stopped_under_way killed \
		importer_killed; do
		run "two-$VM_ROLE/core-$case" 120 bash -c "objects core_test $case"
	done
	# Relay, although there are devices.
	run "two-$VM_ROLE/core-relay" 120 env DOCOCORED_TRANSPORT=relay bash -c "objects core_test relay"
	for case in calls tasks asleep net stopped revoked killed; do
		run "two-$VM_ROLE/sync-$case" 120 bash -c "objects sync_test $case"
	done
	for case in messages asleep stopped killed; do
		run "two-$VM_ROLE/fast-$case" 120 bash -c "objects fast_test $case"
	done
	for case in talk asleep full leaves frozen revoked killed; do
		run "two-$VM_ROLE/call-$case" 120 bash -c "objects call_test $case"
	done
	run "two-$VM_ROLE/call-relay" 120 env DOCOCORED_MIRROR=0 bash -c "objects call_test relay"
	run "two-$VM_ROLE/comch-gone" 120 bash -c "gone objects fast_test"
	run "two-$VM_ROLE/removed-b" 150 bash -c "device_removed b"
	run "two-$VM_ROLE/removed-a" 150 bash -c "device_removed a"
	run "two-$VM_ROLE/restarted" 120 bash -c restarted
	run "two-$VM_ROLE/cut" 120 bash -c cut
	run "two-$VM_ROLE/lost" 120 bash -c lost
	run "two-$VM_ROLE/swapped-up" 120 bash -c "sides_swapped linked_up"
	if [[ $VM_ROLE == a ]]; then
		run two-a/off 120 bash -c off
		: >"$VM_OUT/two-a/done"
		sync
		# Like pulling the plug: nothing is closed or sent.
		echo b >/proc/sysrq-trigger
	fi
	run two-b/off 120 bash -c off
	run two-b/linked-down 120 bash -c "linked_down && sides_swapped linked_down"
fi
: >"$VM_OUT/two-$VM_ROLE/done"
[[ -x $top_builddir/tests/vm/verbs_test ]] || meet end 300
