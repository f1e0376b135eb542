#!/usr/bin/env bash
# The tests in one guest with soft-RoCE on its own network.
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"
top_builddir=${top_builddir:?}

set_up() {
	ip link set lo up &&
		ip link add d0 mtu 4200 type dummy &&
		ip addr add 10.99.0.1/24 dev d0 &&
		ip -6 addr add fd99::1/64 dev d0 nodad &&
		ip link set d0 up &&
		rxe mlx5_0 d0 &&
		ibv_devinfo -d mlx5_0 -v | head -n 60
}

# Checks with programs that do not use this library that the kernel, its modules and rdma-core work.
pingpong() {
	local server

	ibv_rc_pingpong -d mlx5_0 -g 1 -n 100 &
	server=$!
	until_true 20 sh -c 'ss -ltn | grep -q :18515' && ibv_rc_pingpong -d mlx5_0 -g 1 -n 100 10.99.0.1 &&
		wait "$server"
}

# Programs of this build: two daemons and a copy between their sides.
lab() {
	local file=$top_builddir/tests/vm/image/initrd sum host

	mkdir /run/tmp/channel
	on host "$top_builddir/examples/dma_host" --file "$file" --dir /run/tmp/channel --timeout 60 &
	host=$!
	on dpu "$top_builddir/examples/dma_dpu" --dir /run/tmp/channel --timeout 60 \
		>/run/tmp/dpu.log || return
	wait "$host" || return
	cat /run/tmp/dpu.log
	sum=$(sha256sum <"$file")
	grep -q "^OK sha256 ${sum%% *}\$" /run/tmp/dpu.log
}

# copy_as UID-OF-EXPORTER UID-OF-IMPORTER MEMORY: a copy between two programs, without capabilities unless the UID is 0.
# $export_in, $import_in: commands that run them, such as unshare.
copy_as() {
	local dir host examples=$top_builddir/examples status=0

	dir=$(mktemp -d /run/tmp/scope.XXXXXX) && chmod 1777 "$dir" || return
	head -c 1000000 "$top_builddir/tests/vm/image/initrd" >"$dir/file" && chmod 644 "$dir/file" || return
	# shellcheck disable=SC2086
	on host ${export_in:-} setpriv --reuid="$1" --regid="$1" --clear-groups \
		"$examples/dma_host" --file "$dir/file" --dir "$dir" --memory "$3" --timeout 60 >"$dir.host" 2>&1 &
	host=$!
	# shellcheck disable=SC2086
	on dpu ${import_in:-} setpriv --reuid="$2" --regid="$2" --clear-groups \
		"$examples/dma_dpu" --dir "$dir" --timeout 60 >"$dir.dpu" 2>&1 || status=$?
	# It has ended already if it has read that the importer gave up.
	[[ $status -eq 0 ]] || kill "$host" 2>/dev/null
	wait "$host" || [[ $status -ne 0 ]] || status=1
	cat "$dir.host" "$dir.dpu"
	[[ $status -eq 0 ]] && grep -q "^OK sha256" "$dir.dpu"
}

# copies UID UID MEMORY, and refused UID UID MEMORY TEXT: the importer's error contains the text.
copies() {
	echo "--- scope $(cat /proc/sys/kernel/yama/ptrace_scope), ptracer ${DOCOCORED_PTRACER:--}: copies $*"
	copy_as "$@" || { echo "it did not"; return 1; }
}

refused() {
	echo "--- scope $(cat /proc/sys/kernel/yama/ptrace_scope), ptracer ${DOCOCORED_PTRACER:--}: refused $*"
	copy_as "$1" "$2" "$3" >/run/tmp/refused 2>&1 && { echo "it was not"; return 1; }
	cat /run/tmp/refused
	grep -q -- "$4" /run/tmp/refused
}

scope() {
	echo "$1" >/proc/sys/kernel/yama/ptrace_scope
}

# Yama's rules, by the real kernel: private and shared memory between programs of one user, of two, and of root.
ptrace_scope() {
	local a=60001 b=60002

	[[ -e /proc/sys/kernel/yama/ptrace_scope ]] || { echo "SKIP: the kernel has no Yama"; return 77; }
	chmod 711 /run/tmp/lab || return
	scope 0 && copies $a $a malloc || return
	scope 1 && copies $a $a malloc && copies $a $b shm || return
	refused $a $b malloc "of another user" || return
	DOCOCORED_PTRACER=any copies $a $a malloc || return
	DOCOCORED_PTRACER=off refused $a $a malloc "set DOCOCORED_PTRACER=importer" || return
	scope 2 && refused $a $a malloc "ptrace_scope is 2" && copies 0 0 malloc || return
	scope 1
}

# Two containers: each program is the first process of a pid namespace of its own.
containers() {
	local a=60001 alone="unshare --pid --fork --kill-child --mount-proc"

	chmod 711 /run/tmp/lab || return
	scope 0 && export_in=$alone import_in=$alone refused $a $a malloc "another container" || return
	export_in=$alone import_in=$alone copies $a $a shm || return
	# An importer outside of the exporter's container sees its pid, but has none there.
	export_in=$alone copies $a $a malloc || return
	scope 1 && export_in=$alone refused $a $a malloc "another container"
}

# No process may trace another one until the next start.
no_tracer() {
	scope 3 && refused 0 0 malloc "ptrace_scope is 3" && copies 60001 60001 shm
}

# All asynchronous I/O contexts of the system are in use, so that daemons and programs wake each other
# in another way: two daemons, and a server and a client that sleep between messages.
without_aio() {
	local dir=/run/tmp/aio echo=(--name aio --timeout 100) nr=/proc/sys/fs/aio-nr limit=/proc/sys/fs/aio-max-nr
	local examples=$top_builddir/examples admin=$top_builddir/doca-admin before server status=0 other=0

	before=$(cat "$nr") && echo "$before" >"$limit" || return
	DOCOCORED=$top_builddir/dococored "$admin" lab up --dir "$dir" --quiet || return
	"$admin" lab exec --dir "$dir" --side dpu -- "$examples/comch_echo_server" "${echo[@]}" --clients 1 \
		>/run/tmp/aio-server 2>&1 &
	server=$!
	until_true 60 sh -c "'$admin' services --dir $dir --side dpu | grep -q aio" &&
		"$admin" lab exec --dir "$dir" --side host -- "$examples/comch_echo_client" "${echo[@]}" \
		--messages 500 || status=$?
	wait "$server" || other=$?
	echo "output of the server, status $other:"
	cat /run/tmp/aio-server
	echo "contexts: $before before, $(cat "$nr") now, $(cat "$limit") allowed"
	[[ $(cat "$nr") -eq $before ]] || status=1
	"$admin" lab down --dir "$dir" || status=1
	echo 65536 >"$limit"
	[[ $status -eq 0 && $other -eq 0 ]]
}

# api CASE SIDE: the RDMA library between a process of the host's side and one of SIDE.
api() {
	local program=$top_builddir/tests/vm/rdma_test server status=0 other=0
	local packets=/sys/class/infiniband/mlx5_0/ports/1/hw_counters/sent_pkts before

	before=$(cat "$packets") || return
	on host "$program" server "$1" >/run/tmp/server-api 2>&1 &
	server=$!
	on "$2" "$program" client "$1" 127.0.0.1 || status=$?
	wait "$server" || other=$?
	echo "output of the server, status $other:"
	cat /run/tmp/server-api
	# Shows that the device transferred the data, and no other path within the machine.
	echo "the device has sent $(($(cat "$packets") - before)) packets"
	[[ $(cat "$packets") -gt $((before + 100)) || $1 == stopped || $1 == revoked ]] || return
	[[ $status -eq 0 && $other -eq 0 ]]
}

# Two programs that use rdma-core and DOCA at once: messages and memory, in both APIs.
bridge() {
	local server status=0 other=0

	on host "$top_builddir/examples/rdma_bridge_server" --size 100000 >/run/tmp/server 2>&1 &
	server=$!
	until_true 60 grep -q listening /run/tmp/server || return
	on host "$top_builddir/examples/rdma_bridge_client" --address 10.99.0.1 || status=$?
	wait "$server" || other=$?
	echo "output of the server, status $other:"
	cat /run/tmp/server
	[[ $status -eq 0 && $other -eq 0 ]]
}

# Both ends of a connection by librdmacm, through the bridge; and refused calls.
bridge_ends() {
	local program=$top_builddir/tests/vm/bridge_test server status=0 other=0

	on host "$program" server >/run/tmp/bridge-server 2>&1 &
	server=$!
	on host "$program" client 127.0.0.1 || status=$?
	wait "$server" || other=$?
	echo "output of the server, status $other:"
	cat /run/tmp/bridge-server
	[[ $status -eq 0 && $other -eq 0 ]]
}

# with_pingpong server|client: the RDMA library has this role, ibv_rc_pingpong the other.
with_pingpong() {
	local program=$top_builddir/tests/vm/interop_test n=300 first status=0 other=0
	local pingpong=(ibv_rc_pingpong -d mlx5_0 -g 1 -n "$n")

	if [[ $1 == server ]]; then
		on host "$program" pingpong-server "$n" >/run/tmp/first 2>&1 &
		first=$!
		until_true 20 sh -c 'ss -ltn | grep -q :18515' || return
		"${pingpong[@]}" 127.0.0.1 || status=$?
	else
		"${pingpong[@]}" >/run/tmp/first 2>&1 &
		first=$!
		until_true 20 sh -c 'ss -ltn | grep -q :18515' || return
		on host "$program" pingpong-client "$n" 127.0.0.1 || status=$?
	fi
	wait "$first" || other=$?
	echo "output of the first program, status $other:"
	cat /run/tmp/first
	[[ $status -eq 0 && $other -eq 0 ]]
}

# rping requests connections, reads and writes with our keys, and sees the disconnection.
with_rping_server() {
	local server status=0 other=0

	rping -s -v -a 10.99.0.1 >/run/tmp/rping 2>&1 &
	server=$!
	until_true 20 sh -c 'rdma resource show cm_id | grep -q LISTEN' || return
	on host "$top_builddir/tests/vm/interop_test" rping-client 5 10.99.0.1 || status=$?
	wait "$server" || other=$?
	echo "output of rping, status $other:"
	cat /run/tmp/rping
	[[ $status -eq 0 ]] &&
		[[ $(grep -c 'ping data: ping . of an end' /run/tmp/rping) -eq 5 ]]
}

# with_rping_client accept|reject: the request is accepted, data is transferred and the connection
# ends; or it is rejected.
with_rping_client() {
	local server status=0 other=0

	on host "$top_builddir/tests/vm/interop_test" rping-server "$1" >/run/tmp/server 2>&1 &
	server=$!
	until_true 60 grep -q listening /run/tmp/server || return
	rping -c -d -C 1 -a 10.99.0.1 >/run/tmp/rping 2>&1 || other=$?
	wait "$server" || status=$?
	echo "output of rping, status $other:"
	cat /run/tmp/rping
	echo "output of the server, status $status:"
	cat /run/tmp/server
	[[ $status -eq 0 ]] || return
	if [[ $1 == accept ]]; then
		grep -q RDMA_CM_EVENT_ESTABLISHED /run/tmp/rping &&
			grep -q RDMA_CM_EVENT_DISCONNECTED /run/tmp/rping
	else
		grep -q RDMA_CM_EVENT_REJECTED /run/tmp/rping
	fi
}

# Messages with a listening program and with a connecting one, with either kind of address.
with_rdma_server() {
	local address server status=0 other=0

	for address in 10.99.0.1 fd99::1; do
		rdma_server -s "$address" >/run/tmp/rdma_server 2>&1 &
		server=$!
		until_true 20 sh -c 'rdma resource show cm_id | grep -q LISTEN' || return
		on host "$top_builddir/tests/vm/interop_test" message-client "$address" || status=$?
		wait "$server" || other=$?
		echo "rdma_server on $address, status $other:"
		cat /run/tmp/rdma_server
		[[ $status -eq 0 && $other -eq 0 ]] || return
	done
}

with_rdma_client() {
	local address server status=0 n=0

	on host "$top_builddir/tests/vm/interop_test" message-server 2 >/run/tmp/server 2>&1 &
	server=$!
	for address in 10.99.0.1 fd99::1; do
		until_true 60 grep -q "listening for $n" /run/tmp/server && rdma_client -s "$address" ||
			status=1
		n=$((n + 1))
	done
	wait "$server" || status=$?
	cat /run/tmp/server
	return "$status"
}

# objects PROGRAM CASE: Core objects of a process of the host's side and one of the DPU's, always
# with the transport verbs.
objects() {
	local program=$top_builddir/tests/vm/$1 log=/run/tmp/$1-$2 server status=0 other=0

	export DOCOCORED_TRANSPORT=verbs MEET_MARK=$log-notified
	on host "$program" server "$2" >"$log" 2>&1 &
	server=$!
	[[ $2 != revoked ]] || revoke "$log" &
	on dpu "$program" client "$2" 127.0.0.1 || status=$?
	wait "$server" || other=$?
	echo "output of the server, status $other:"
	cat "$log"
	[[ $2 != killed || $other -ne 137 ]] || other=0
	[[ $status -eq 0 && $other -eq 0 ]]
}

# passed_on: the host's memory, imported on the DPU's side over PCI and exported there to an RDMA
# peer, a process of the host's side.
passed_on() {
	local program=$top_builddir/tests/vm/pass_on_test log=/run/tmp/pass-on status=0
	local packets=/sys/class/infiniband/mlx5_0/ports/1/hw_counters/sent_pkts before first second

	before=$(cat "$packets") || return
	on host "$program" exporter >"$log-exporter" 2>&1 &
	first=$!
	on dpu "$program" passer 127.0.0.1 >"$log-passer" 2>&1 &
	second=$!
	on host "$program" peer 127.0.0.1 || status=$?
	wait "$second" || status=$?
	wait "$first" || status=$?
	cat "$log-exporter" "$log-passer"
	# Two megabytes went through the device.
	echo "the device has sent $(($(cat "$packets") - before)) packets"
	[[ $status -eq 0 && $(cat "$packets") -gt $((before + 400)) ]]
}

# revoke LOG: revokes the only export of the host of the lab, once the server requests it.
revoke() {
	until_true 60 grep -q "revoke it" "$1" || return
	revoke_all --dir /run/tmp/lab && : >"$MEET_MARK"
}

# A daemon that discovers devices: one is present, is removed while in use, and returns.
discovered() {
	local dir=/run/tmp/discovering status=0 user other removal

	ip link add d7 mtu 4200 type dummy && ip addr add 10.97.0.1/24 dev d7 && ip link set d7 up &&
		rxe rxe7 d7 || return
	printf '[topology]\nside = host\ndiscover = yes\n' >"$dir.topology"
	DOCOCORED=$top_builddir/dococored "$top_builddir/doca-admin" lab up --dir "$dir" --quiet \
		--topology "$dir.topology", || return
	"$top_builddir/doca-admin" lab exec --dir "$dir" --side host -- \
		"$top_builddir/tests/vm/discover_test" rxe7 10.97.0.1 >"$dir.user" 2>&1 &
	user=$!
	until_true 60 grep -q ready "$dir.user" || status=1
	# The time limit for its removal starts here.
	"$top_builddir/doca-admin" lab exec --dir "$dir" --side host -- \
		"$top_builddir/tests/vm/discover_test" rxe7 >"$dir.other" 2>&1 &
	other=$!
	timeout 60 rdma link delete rxe7 &
	removal=$!
	wait "$user" || status=$?
	wait "$removal" && until_true 60 grep -q gone "$dir.other" && rxe rxe7 d7 || status=1
	wait "$other" || status=$?
	cat "$dir.user" "$dir.other"
	"$top_builddir/doca-admin" lab down --dir "$dir" || return
	rdma link delete rxe7
	return "$status"
}

# Tests limits of the system, without the capabilities that replace permissions for root.
limits() {
	local program=$top_builddir/tests/vm/limits_test status=0
	local less=-ipc_lock,-dac_override,-dac_read_search
	local mortal=(setpriv "--bounding-set=$less" "--inh-caps=$less")

	# The device is restored even after a time limit, because later tests need it.
	trap 'chmod 666 /dev/infiniband/uverbs*' EXIT
	trap 'exit 1' TERM INT HUP
	on host prlimit --memlock=65536:65536 "${mortal[@]}" "$program" memlock || status=$?
	on host "$program" gid || status=$?
	on host "$program" memory || status=$?
	chmod 000 /dev/infiniband/uverbs*
	on host "${mortal[@]}" "$program" permission || status=$?
	return "$status"
}

# The device of a pair of processes is removed.
gone() {
	local program=$top_builddir/tests/vm/verbs_test server client

	"$program" server gone >/run/tmp/gone 2>&1 &
	server=$!
	"$program" client gone 127.0.0.1 &
	client=$!
	until_true 60 grep -q ready /run/tmp/gone || return
	timeout 100 rdma link delete mlx5_0 || return
	cat /run/tmp/gone
	wait "$server" && wait "$client"
}

# A device that does not exist at the first request.
late() {
	local program=$top_builddir/tests/vm/verbs_test client

	ip link add d1 mtu 4200 type dummy && ip addr add 10.99.1.1/24 dev d1 && ip link set d1 up || return
	VERBS_TEST_DEVICE=late0 "$program" late >/run/tmp/late 2>&1 &
	client=$!
	until_true 60 grep -q absent /run/tmp/late || return
	rxe late0 d1 || return
	wait "$client" || return
	cat /run/tmp/late
	rdma link delete late0
}

export VERBS_TEST_IPV4=10.99.0.1 VERBS_TEST_IPV6=fd99::1 VERBS_TEST_BULK=${VM_BULK:-$((64 << 20))}
# Larger amounts are transferred between two machines only.
[[ $VERBS_TEST_BULK -le $((256 << 20)) ]] || VERBS_TEST_BULK=$((256 << 20))
declare -fx copy_as copies refused scope ptrace_scope containers no_tracer
declare -fx set_up rxe until_true pingpong lab_up lab_down on lab without_aio api bridge pair gone late
declare -fx bridge_ends with_pingpong with_rping_server with_rping_client
declare -fx with_rdma_server with_rdma_client
declare -fx objects passed_on revoke revoke_all discovered limits
run one/set-up 60 bash -c set_up
run one/pingpong 60 bash -c pingpong
run one/lab-up 60 bash -c lab_up
run one/lab 120 bash -c lab
run one/ptrace-scope 300 bash -c ptrace_scope
run one/containers 300 bash -c containers
run one/without-aio 150 bash -c without_aio
if [[ -x $top_builddir/tests/vm/verbs_test ]]; then
	# One process runs several cases, namely those that end by themselves.
	run one/verbs 200 bash -c "pair send,write,read,pieces,atomic,order,sleep,address 127.0.0.1"
	run one/verbs-refused 200 bash -c \
		"pair wrong_key,past_end,read_only,no_atomic,stopped,revoked,no_receive,too_long,full 127.0.0.1"
	for case in disconnect killed bulk; do
		run "one/verbs-$case" "${VM_BULK_LIMIT:-200}" bash -c "pair $case 127.0.0.1"
	done
	for case in tasks stopped revoked address; do
		run "one/rdma-$case" 120 bash -c "api $case host"
	done
	run one/bridge 120 bash -c bridge
	run one/bridge-ends 120 bash -c bridge_ends
	for role in server client; do
		run "one/pingpong-$role" 120 bash -c "with_pingpong $role"
	done
	run one/rping-server 120 bash -c with_rping_server
	for answer in accept reject; do
		run "one/rping-client-$answer" 120 bash -c "with_rping_client $answer"
	done
	run one/message-server 120 bash -c with_rdma_server
	run one/message-client 120 bash -c with_rdma_client
	run one/rdma-sides 120 bash -c "api tasks dpu"
	for case in pci rdma asleep again read_only stopped revoked killed; do
		run "one/core-$case" 120 bash -c "objects core_test $case"
	done
	for case in calls tasks asleep net stopped revoked killed; do
		run "one/sync-$case" 120 bash -c "objects sync_test $case"
	done
	run one/passed-on 120 bash -c passed_on
	run one/limits 120 bash -c limits
	run one/discovered 200 bash -c discovered
fi
# The cases after this one copy nothing through the kernel, and the last one removes the first device.
run one/no-tracer 120 bash -c no_tracer
if [[ -x $top_builddir/tests/vm/verbs_test ]]; then
	run one/verbs-late 150 bash -c late
	run one/verbs-gone 120 bash -c gone
fi
run one/lab-down 60 bash -c lab_down
: >"$VM_OUT/one/done"
