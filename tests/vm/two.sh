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

# As doc/two-machines.md has it: one of the two makes the certificates.
certificates() (
	cd "$VM_OUT/pki" || return
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
		-keyout ca.key -out ca.pem -subj "/CN=dococored CA" \
		-addext "basicConstraints=critical,CA:TRUE" \
		-addext "keyUsage=critical,keyCertSign,cRLSign" || return
	for name in host.example dpu.example; do
		openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
			-keyout $name.key -out $name.csr -subj "/CN=$name" || return
		printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth,clientAuth\n' $name >$name.ext
		openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 \
			-extfile $name.ext -out $name.pem || return
	done
)

# The daemon of this machine, a the host's and b the DPU's, linked over the wire.
linked_up() {
	local side=host name=host.example other=dpu.example

	[[ $VM_ROLE == a ]] || side=dpu name=dpu.example other=host.example
	mkdir -p "$VM_OUT/pki" /run/tmp/tls
	if [[ $VM_ROLE == a && ! -e $VM_OUT/pki/made ]]; then
		certificates >/dev/null 2>&1 && : >"$VM_OUT/pki/made" || return
	fi
	until_true 60 test -e "$VM_OUT/pki/made" || return
	cp "$VM_OUT"/pki/*.pem "$VM_OUT"/pki/*.key /run/tmp/tls/ && chmod 0600 /run/tmp/tls/*.key
	{
		printf '[tls]\ncertificate = /run/tmp/tls/%s.pem\nkey = /run/tmp/tls/%s.key\n' "$name" "$name"
		printf 'ca = /run/tmp/tls/ca.pem\ntimeout_ms = %s\n' "${TLS_TIMEOUT_MS:-20000}"
		[[ $VM_ROLE == a ]] || printf 'listen = 10.99.0.2:18515\n'
		printf '[peer other]\nsubject = %s\n' "$other"
		[[ $VM_ROLE != a ]] || printf 'address = tls:10.99.0.2:18515\n'
	} >/run/tmp/tls/conf
	"$top_builddir/dococored" --side "$side" --runtime-dir /run/tmp/linked --foreground \
		--config /run/tmp/tls/conf >/run/tmp/linked.log 2>&1 &
	linked=$!
	export DOCA_SIDE=$side XDG_RUNTIME_DIR=/run/tmp/linked DOCOCORED_SOCKET=/run/tmp/linked/$side.sock
	until_true 60 grep -q "linked to" /run/tmp/linked.log || { cat /run/tmp/linked.log; return 1; }
}

linked_down() {
	kill "$linked" && wait "$linked"
	cat /run/tmp/linked.log
}

# core CASE: DMA from the DPU's machine in memory of the host's.
core() {
	local program=$top_builddir/tests/vm/core_test status=0 wire

	linked_up || return
	export CORE_TEST_REVOKED=/run/tmp/revoked-$1
	wire=$(basename /sys/class/net/e*)
	if [[ $VM_ROLE == a ]]; then
		"$program" server "$1" >"/run/tmp/core-$1" 2>&1 &
		local server=$!
		if [[ $1 == revoked ]]; then
			until_true 60 grep -q "revoke it" "/run/tmp/core-$1" &&
				revoke_all --dir /run/tmp/linked && : >"$CORE_TEST_REVOKED"
		fi
		wait "$server" || status=$?
		cat "/run/tmp/core-$1"
		[[ $1 != killed || $status -ne 137 ]] || status=0
	else
		"$program" client "$1" 10.99.0.1 >"/run/tmp/core-$1" 2>&1 &
		local client=$!
		case $1 in
		cut)
			until_true 60 grep -q ready "/run/tmp/core-$1" || status=1
			for _ in 1 2 3; do
				tc qdisc add dev "$wire" root netem loss 100% || status=1
				sleep 1
				tc qdisc del dev "$wire" root || status=1
				sleep 1
			done
			;;
		lost)
			until_true 60 grep -q ready "/run/tmp/core-$1" || status=1
			tc qdisc add dev "$wire" root netem loss 100% || status=1
			until_true 60 grep -q lost: "/run/tmp/core-$1" || status=1
			tc qdisc del dev "$wire" root || status=1
			;;
		esac
		wait "$client" || status=$?
		cat "/run/tmp/core-$1"
	fi
	meet "core-$1" 100
	linked_down || return
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
declare -fx certificates linked_up linked_down core revoke_all
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
	for case in pci rdma asleep read_only revoked killed cut lost; do
		run "two-$VM_ROLE/core-$case" 120 bash -c "core $case"
	done
	run "two-$VM_ROLE/verbs-cut" 120 bash -c cut
	run "two-$VM_ROLE/verbs-lost" 120 bash -c lost
fi
: >"$VM_OUT/two-$VM_ROLE/done"
meet end 300
