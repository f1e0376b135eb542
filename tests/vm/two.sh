#!/usr/bin/env bash
# What is tested between two guests, a and b, that a wire joins. Each has a lab of its own.
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

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
		rxe rxe0 "$wire" &&
		meet network 120
}

pingpong() {
	if [[ $VM_ROLE == a ]]; then
		ibv_rc_pingpong -d rxe0 -g 1 -n 100
	else
		until_true 30 ibv_rc_pingpong -d rxe0 -g 1 -n 100 "10.99.0.$peer"
	fi
}

export own peer
declare -fx set_up rxe until_true meet pingpong
run "two-$VM_ROLE/set-up" 180 bash -c set_up
run "two-$VM_ROLE/pingpong" 60 bash -c pingpong
: >"$VM_OUT/two-$VM_ROLE/done"
meet end 300
