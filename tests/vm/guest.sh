# Sourced by the scripts that run in a guest. Results go to $VM_OUT, one pair of files per test, in
# automake's format: NAME.log and NAME.trs.
# shellcheck shell=bash
# shellcheck disable=SC2034
set -u
shopt -s extglob

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_builddir=
# shellcheck source=/dev/null
. "$VM_OUT/environment"
export top_builddir
ulimit -l unlimited

# result NAME PASS|FAIL|SKIP: records the result when the log is complete, with one rename.
result() {
	printf ':test-result: %s\n:global-test-result: %s\n' "$2" "$2" >"$VM_OUT/$1.new"
	mv "$VM_OUT/$1.new" "$VM_OUT/$1.trs"
	printf 'guest: %-32s %s after %s s\n' "$1" "$2" "$SECONDS"
}

# run NAME SECONDS COMMAND...: runs one test. 0: passed; 77: skipped, with the reason in its last
# line.
run() {
	local name=$1 limit=$2 status
	shift 2

	# shellcheck disable=SC2053
	[[ -z ${VM_ONLY:-} || $name == */@(set-up|lab-up|linked-up|swapped-up) || ${name#*/} == $VM_ONLY ]] || return 0
	timeout --kill-after=5 "$limit" "$@" >"$VM_OUT/$name.log" 2>&1 </dev/null
	status=$?
	case $status in
	0) result "$name" PASS ;;
	77) result "$name" SKIP ;;
	*)
		[[ $status -ne 124 ]] || echo "$name: not finished in $limit s" >>"$VM_OUT/$name.log"
		echo "FAIL: $name ended with status $status" >>"$VM_OUT/$name.log"
		dmesg | tail -n 15 >>"$VM_OUT/$name.log"
		result "$name" FAIL
		;;
	esac
}

# until_true SECONDS COMMAND...: polls.
until_true() {
	local end=$((SECONDS + $1))
	shift

	until "$@" >/dev/null 2>&1; do
		if [[ $SECONDS -ge $end ]]; then
			echo "not true within the time limit: $*"
			return 1
		fi
		sleep 0.05
	done
}

# Waits until both guests of a pair have called it. The directory is on the host.
meet() {
	local other=a
	[[ $VM_ROLE != a ]] || other=b

	: >"$VM_OUT/.met-$1-$VM_ROLE"
	until_true "${2:-60}" test -e "$VM_OUT/.met-$1-$other"
}

# The name of the RDMA device of the first function of each side in the default topology.
export VERBS_TEST_DEVICE=mlx5_0

# rxe NAME NETDEV: adds a soft-RoCE device and waits for its GIDs.
rxe() {
	rdma link add "$1" type rxe netdev "$2" &&
		until_true 20 test -s "/sys/class/infiniband/$1/ports/1/gids/1" &&
		until_true 20 grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state"
}

# The daemons of a lab, for programs that use the library: lab_up, then on SIDE COMMAND...
lab_up() {
	DOCOCORED=$top_builddir/dococored "$top_builddir/doca-admin" lab up --dir /run/tmp/lab "$@"
}

on() {
	local side=$1
	shift

	"$top_builddir/doca-admin" lab exec --dir /run/tmp/lab --side "$side" -- "$@"
}

lab_down() {
	"$top_builddir/doca-admin" lab down --dir /run/tmp/lab
}

# Copies the certificates once. Keys must be readable by their owner only.
tls_files() {
	[[ ! -d /run/tmp/tls ]] || return 0
	mkdir -p /run/tmp/tls &&
		cp "$VM_OUT"/pki/*.pem "$VM_OUT"/pki/*.key /run/tmp/tls/ &&
		chmod 0600 /run/tmp/tls/*.key
}

# The daemon of $side, linked over tls: with that of the other side. $own and $peer: the last bytes
# of the addresses of the two machines; $link: the runtime directory; $link_port: the port.
linked_up() {
	local name=host.example other=dpu.example

	[[ $side == host ]] || name=dpu.example other=host.example
	tls_files || return
	: "${own:?}" "${peer:?}" "${side:?}" "${link:?}" "${link_port:?}"
	{
		printf '[tls]\ncertificate = /run/tmp/tls/%s.pem\nkey = /run/tmp/tls/%s.key\n' "$name" "$name"
		printf 'ca = /run/tmp/tls/ca.pem\ntimeout_ms = %s\n' "${TLS_TIMEOUT_MS:-20000}"
		[[ $side == host ]] || printf 'listen = 10.99.0.%s:%s\n' "$own" "$link_port"
		printf '[peer other]\nsubject = %s\n' "$other"
		[[ $side != host ]] || printf 'address = tls:10.99.0.%s:%s\n' "$peer" "$link_port"
	} >"$link.conf"
	linked_start
}

linked_start() {
	"$top_builddir/dococored" --side "$side" --runtime-dir "$link" --foreground \
		--config "$link.conf" >"$link.log" 2>&1 &
	echo $! >"$link.pid"
	until_true 60 grep -q "linked to" "$link.log" || { cat "$link.log"; return 1; }
}

# linked_down [SIGNAL]
linked_down() {
	local status=0

	kill "-${1:-TERM}" "$(cat "$link.pid")" || return
	until_true 60 sh -c "! kill -0 $(cat "$link.pid")" || status=1
	cat "$link.log"
	return "$status"
}

# linked COMMAND...: runs it with the daemon of this machine that is linked with the other one.
linked() {
	DOCA_SIDE=$side XDG_RUNTIME_DIR=$link DOCOCORED_SOCKET=$link/$side.sock "$@"
}

# revoke_all OPTION...: revokes every export of the daemon of the host that the options select.
revoke_all() {
	local id

	for id in $("$top_builddir/doca-admin" exports "$@" --side host --json |
		sed -n 's/^ *"id": \([0-9]*\).*/\1/p'); do
		"$top_builddir/doca-admin" exports revoke "$id" "$@" --side host || return
	done
}

# pair CASE ADDRESS: runs both ends of a case of verbs_test here. In "killed", the server is killed.
pair() {
	local program=$top_builddir/tests/vm/verbs_test server status=0 other=0

	"$program" server "$1" >"/run/tmp/server-$1" 2>&1 &
	server=$!
	"$program" client "$1" "$2" || status=$?
	wait "$server" || other=$?
	echo "output of the server, status $other:"
	cat "/run/tmp/server-$1"
	[[ $1 != killed || $other -ne 137 ]] || other=0
	[[ $status -eq 0 && $other -eq 0 ]]
}
