#!/usr/bin/env bash
# What is tested between two guests, a and b, that a wire joins. Each has a lab of its own.
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
top_builddir=${top_builddir:?}

own=1 peer=2
[[ $VM_ROLE == a ]] || own=2 peer=1

set_up() {
	local wire

	ip link set lo up || return
	wire=$(basename /sys/class/net/e*) || return
	ip link set "$wire" mtu 4200
	ip link set "$wire" up &&
		ip addr add "10.99.0.$own/24" dev "$wire" &&
		ip -6 addr add "fd99::$own/64" dev "$wire" nodad &&
		rxe mlx5_0 "$wire" &&
		meet network 120
}

pingpong() {
	if [[ $VM_ROLE == a ]]; then
		ibv_rc_pingpong -d mlx5_0 -g 1 -n 100
	else
		until_true 30 ibv_rc_pingpong -d mlx5_0 -g 1 -n 100 "10.99.0.$peer"
	fi
}

# end CASE: this machine's end of a case of verbs_test; the server's is to be killed in "killed".
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

# api CASE: this machine's end of the RDMA library; the daemons of the machines are not linked.
api() {
	local program=$top_builddir/tests/vm/rdma_test status=0

	lab_up >/dev/null || return
	if [[ $VM_ROLE == a ]]; then
		on host "$program" server "$1" || status=$?
	else
		on host "$program" client "$1" "10.99.0.$peer" || status=$?
	fi
	lab_down || return
	return "$status"
}

# Nothing passes for a while, in the middle of transfers: they go on as if nothing had been.
cut() {
	local program=$top_builddir/tests/vm/verbs_test client wire

	if [[ $VM_ROLE == a ]]; then
		"$program" server bulk
		return
	fi
	wire=$(basename /sys/class/net/e*)
	"$program" client bulk "10.99.0.$peer" >/run/tmp/cut 2>&1 &
	client=$!
	for _ in 1 2 3; do
		sleep 1
		tc qdisc add dev "$wire" root netem loss 100% || return
		sleep 1
		tc qdisc del dev "$wire" root || return
	done
	wait "$client" || return
	cat /run/tmp/cut
}

# The link is cut for good: requests end in an error, not in a hang.
lost() {
	local program=$top_builddir/tests/vm/verbs_test client wire status=0

	if [[ $VM_ROLE == a ]]; then
		"$program" server lost
		return
	fi
	wire=$(basename /sys/class/net/e*)
	"$program" client lost "10.99.0.$peer" >/run/tmp/lost 2>&1 &
	client=$!
	until_true 60 grep -q ready /run/tmp/lost || return
	tc qdisc add dev "$wire" root netem loss 100% || return
	until_true 60 grep -q reset /run/tmp/lost || status=1
	tc qdisc del dev "$wire" root || return
	wait "$client" || return
	cat /run/tmp/lost
	return "$status"
}

export own peer VERBS_TEST_IPV4=10.99.0.1 VERBS_TEST_IPV6=fd99::1 VERBS_TEST_BULK=$((64 << 20))
declare -fx set_up rxe until_true meet pingpong end lab_up lab_down on api cut lost
run "two-$VM_ROLE/set-up" 180 bash -c set_up
run "two-$VM_ROLE/pingpong" 60 bash -c pingpong
if [[ -x $top_builddir/tests/vm/verbs_test ]]; then
	for case in send write read pieces atomic order wrong_key past_end read_only stopped \
		no_receive too_long killed bulk address; do
		run "two-$VM_ROLE/verbs-$case" 120 bash -c "end $case"
	done
	for case in tasks stopped revoked address; do
		run "two-$VM_ROLE/rdma-$case" 120 bash -c "api $case"
	done
	run "two-$VM_ROLE/verbs-cut" 120 bash -c cut
	run "two-$VM_ROLE/verbs-lost" 120 bash -c lost
fi
: >"$VM_OUT/two-$VM_ROLE/done"
meet end 300
