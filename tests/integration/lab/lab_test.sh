#!/bin/sh
# doca-admin lab and the views, with real daemons: several labs at once, nothing left behind after
# any kill, exit status and environment of 'lab exec', JSON, tables that fit. Runs in the build
# directory. Exit status 77: skipped. Every command has a time limit.
# shellcheck disable=SC2015,SC2016,SC2086
set -u

admin=${DOCA_ADMIN:-$PWD/doca-admin}
DOCOCORED=${DOCOCORED:-$PWD/dococored}
export DOCOCORED
for program in "$admin" "$DOCOCORED"; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET

# Only the labs of this test are in this directory.
work=$(mktemp -d /tmp/doco-lab-test-XXXXXX) || exit 99
XDG_RUNTIME_DIR=$work/run
export XDG_RUNTIME_DIR
mkdir -m 0700 "$XDG_RUNTIME_DIR"
failures=0
# Seconds per command; many times the duration on a busy machine with a sanitizer.
patience=90

cleanup() {
	bounded "$admin" lab down --all >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# bounded COMMAND...: ends the command after the time limit, with exit status 124 or 137.
bounded() {
	timeout -k 5 $patience "$@"
}

# wait_until WHAT COMMAND...: polls until the time limit.
wait_until() {
	what=$1
	shift
	end=$(($(date +%s) + patience))
	until "$@"; do
		[ "$(date +%s)" -lt $end ] || { fail "$what: not within $patience seconds"; return 1; }
		sleep 0.05
	done
}

# The main thread of a daemon may end some time before the last thread.
status_has_ended() {
	bounded "$admin" lab status >"$work/out" 2>&1 && grep -q ended "$work/out" &&
		! grep -q " up " "$work/out"
}

# lab_up_quiet: starts a lab and sets $a to its directory. Does not use command substitution, which
# waits for every process that has the other end of the pipe open: if the keeper of the lab had it,
# the test would hang.
lab_up_quiet() {
	bounded "$admin" lab up --quiet >"$work/up.out" || { fail "lab up: $?"; return 1; }
	a=$(cat "$work/up.out")
}

# await_status PID WHAT: the exit status of this child process must be 0.
await_status() {
	wait_until "$2 ends" ended "$1" || kill -9 "$1"
	wait "$1" || fail "$2 ended with $?"
}

# A process that ended but was not yet waited for does not count.
ended() {
	[ $# -gt 0 ] || { fail "no process ids were given"; return 1; }
	for pid in "$@"; do
		state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null)
		[ -z "$state" ] || [ "$state" = Z ] || [ "$state" = X ] || return 1
	done
}

absent() {
	[ ! -e "$1" ] && [ ! -L "$1" ]
}

# lab_pid DIR keeper|supervisor|host|dpu
lab_pid() {
	tr -d ' \n' <"$1/lab.json" | sed "s/.*\"$2\":{\"pid\":\([0-9]*\).*/\1/"
	echo
}

lab_pids() {
	for who in keeper supervisor host dpu; do
		lab_pid "$1" $who
	done
}

# expect_status N COMMAND...: writes the output to $work/out.
expect_status() {
	want=$1
	shift
	bounded "$@" >"$work/out" 2>&1
	got=$?
	[ $got -eq "$want" ] || {
		fail "exit status $got instead of $want: $*"
		sed 's/^/    /' "$work/out"
	}
}

expect_out() {
	grep -q -e "$1" "$work/out" || {
		fail "no '$1' in the output"
		sed 's/^/    /' "$work/out"
	}
}

expect_json() {
	if command -v python3 >/dev/null; then
		python3 -m json.tool <"$work/out" >/dev/null || fail "not JSON: $(cat "$work/out")"
	fi
}

test_usage() {
	expect_status 2 "$admin"
	expect_status 2 "$admin" nonsense
	expect_out "no command 'nonsense'"
	expect_out "doca-admin --help"
	expect_status 2 "$admin" lab nonsense
	expect_out "no command 'lab nonsense'; there are up, exec, status and down"
	expect_status 2 "$admin" devices show
	expect_out "takes one id or name, not 0"
	expect_status 2 "$admin" exports revoke
	expect_out "needs an id; 'doca-admin exports' lists them"
	expect_status 2 "$admin" exports forget 1
	expect_out "no command 'exports forget'; there are list, show and revoke"
	expect_status 2 "$admin" devices --side left
	expect_status 2 "$admin" lab exec --side host
	expect_out "needs a command to run"
	expect_status 2 "$admin" lab exec -- true
	expect_out "needs --side"
	expect_status 2 "$admin" lab up --nonsense
	expect_out "'--nonsense' is no option of 'lab up'"
	expect_status 2 "$admin" lab up extra
	expect_out "takes options only, not 'extra'"
	expect_status 2 "$admin" lab down --all --dir x
	expect_out "give one of the two"
	expect_status 0 "$admin" lab up --help
	expect_status 2 "$admin" lab up --profile 'a b'
	expect_status 2 "$admin" lab up --host 0b:00
	expect_out "'0b:00' is no PCI address"
	expect_status 2 "$admin" lab up --dpu 03:00.0,0000:03:00.0
	expect_out "0000:03:00.0 is given twice"
	expect_status 2 "$admin" lab up --ip 192.168.100
	expect_out "is no IPv4 address"
	expect_status 2 "$admin" lab up --ibdev 'mlx5 0'
	expect_out "is no name of an InfiniBand device"
	expect_status 2 "$admin" lab up --for-card cx7
	expect_out "there are bf2 and bf3"
	expect_status 2 "$admin" lab up --for-card bf2 --topology x
	expect_out "names a file that has the addresses"
	expect_status 0 "$admin" --help
	# Without a daemon, doca-admin prints every path that was tried, and what to do.
	expect_status 3 "$admin" devices --dir "$work" --side dpu
	expect_out "$work/dpu.bus: No such file"
	expect_out "doca-admin lab up"
	expect_status 1 "$admin" lab exec --side host -- true
	expect_out "no lab is up"
	expect_status 1 "$admin" lab down
	expect_out "no lab is up"
}

test_side_by_side() {
	lab_up_quiet || return
	expect_status 0 "$admin" lab up --dir "$work/b" --profile bf3
	expect_out "lab $work/b"
	expect_out "export DOCA_SIDE=dpu DOCOCORED_SOCKET=$work/b/dpu.sock"
	[ "$(stat -c %a "$a")" = 700 ] || fail "$a is open to others"
	expect_status 0 "$admin" lab status --json
	expect_json
	[ "$(grep -c '"state": "up"' "$work/out")" -eq 4 ] || fail "status does not show 4 daemons"
	expect_status 1 "$admin" lab exec --side host -- true
	expect_out "2 labs are up"
	expect_out "$work/b"
	expect_status 1 "$admin" lab up --dir "$work/b"
	expect_out "is not empty"
}

test_exec() {
	expect_status 42 "$admin" lab exec --dir "$a" --side dpu -- sh -c 'exit 42'
	expect_status 127 "$admin" lab exec --dir "$a" --side dpu -- "$work/no-such-program"
	expect_status 0 "$admin" lab exec --dir "$a" --side dpu -- env
	expect_out "^DOCA_SIDE=dpu$"
	expect_out "^DOCOCORED_SOCKET=$a/dpu.sock$"
	expect_out "^DOCOCORED_BUS=$a/dpu.bus$"
	expect_status 0 "$admin" lab exec --dir "$a" --side host -- sh -c 'test -S "$DOCOCORED_SOCKET"'
	# Options after the command belong to the command.
	expect_status 0 "$admin" lab exec --dir "$a" --side host -- sh -c 'echo "$0"' --dir
	expect_out "^--dir$"
}

test_views() {
	in_a="$admin lab exec --dir $a --side"
	for noun in status devices representors clients exports imports services channels events \
		peers; do
		expect_status 0 $in_a host -- "$admin" $noun
		expect_status 0 $in_a dpu -- "$admin" $noun --json
		expect_json
	done
	expect_status 0 $in_a host -- "$admin" devices
	expect_out " pf0 "
	expect_status 0 $in_a host -- "$admin" devices --side dpu
	expect_out " p0 "
	expect_status 0 $in_a dpu -- "$admin" representors
	expect_out " hpf0 "
	expect_status 0 "$admin" devices show pf0 --socket "$a/host.bus"
	expect_out "^pci_addr  *0000:0b:00.0"
	expect_status 0 "$admin" devices show 1 --json --dir "$a" --side host
	expect_json
	expect_status 5 "$admin" devices show 9999 --dir "$a" --side host
	expect_out "there is no device '9999'"
	expect_status 2 "$admin" devices --dir "$a"
	expect_out "more than one daemon answers"
	expect_status 0 "$admin" status --dir "$work/b" --side dpu
	expect_out "^profile  *bf3"
	expect_out "connected  *yes"
}

# function_of LAB SIDE NOUN NAME: writes the fields of one device or representor to $work/out.
function_of() {
	expect_status 0 "$admin" "$3" show "$4" --dir "$1" --side "$2"
}

# Tests addresses instead of a topology file: both sides have them, and the DPU has a representor of
# each function of the host.
test_addresses() {
	expect_status 0 "$admin" lab up --dir "$work/addresses" --host b5:00.0,b5:00.3,b5:00.1 \
		--dpu 43:00.0,43:00.1 --ibdev roce7 --ip 10.1.2.3
	function_of "$work/addresses" host devices pf0
	expect_out "^pci_addr  *0000:b5:00.0"
	expect_out "^ibdev  *roce7"
	expect_out "^ipv4  *10.1.2.3"
	function_of "$work/addresses" host devices pf0vf0
	expect_out "^pci_addr  *0000:b5:00.3"
	expect_out "^func_type  *vf"
	function_of "$work/addresses" dpu devices p0
	expect_out "^pci_addr  *0000:43:00.0"
	expect_out "^ibdev  *roce7"
	expect_out "^ipv4  *10.1.2.4"
	expect_status 0 "$admin" representors --dir "$work/addresses" --side dpu --json
	expect_json
	for address in b5:00.0 b5:00.1 b5:00.3 43:00.0 43:00.1; do
		expect_out "\"pci_addr\": \"0000:$address\""
	done
	grep -q '"present": false' "$work/out" && fail "the representor of an existing function is absent"
	expect_status 0 "$admin" lab down --dir "$work/addresses"
	absent "$work/addresses" || fail "a lab that was made from addresses leaves files"

	mkdir "$work/addresses"
	expect_status 0 "$admin" lab up --dir "$work/addresses" --for-card bf3 --dpu 13:00.0
	function_of "$work/addresses" host devices pf0
	expect_out "^pci_addr  *0000:b1:00.0"
	expect_out "^active_rate  *200000000000"
	function_of "$work/addresses" dpu representors hpf1
	expect_out "^pci_addr  *0000:b1:00.1"
	expect_out "^parent  *p0"
	expect_status 0 "$admin" lab down --dir "$work/addresses"
	[ -z "$(ls -A "$work/addresses")" ] || fail "files are left: $(ls -A "$work/addresses")"
}

# Uses a standard D-Bus client, if one is installed.
test_busctl() {
	command -v busctl >/dev/null || { echo "busctl is not installed: D-Bus was not tested with it"; return; }
	address=--address=unix:path=$a/host.bus
	expect_status 0 busctl "$address" introspect org.dococore /org/dococore
	expect_out "ListExports"
	expect_status 0 busctl "$address" get-property org.dococore /org/dococore \
		org.dococore.Manager Side
	expect_out '"host"'
	expect_status 1 busctl "$address" call org.dococore /org/dococore \
		org.dococore.Manager GetExport t 12345
	expect_out "there is no export 12345"
}

# width_of SIDE NOUN COLUMNS: no line may be wider than the terminal.
width_of() {
	bounded script -qec "stty cols $3; '$admin' $2 --dir '$a' --side $1" /dev/null \
		</dev/null >"$work/out" 2>&1
	longest=$(tr -d '\r' <"$work/out" | sed 's/\x1b\[[0-9]*m//g' | awk 'length > n { n = length } END { print n + 0 }')
	[ "$longest" -gt 0 ] && [ "$longest" -le "$3" ] || fail "$2: $longest wide on $3 columns"
}

test_width() {
	command -v script >/dev/null || { echo "script(1) is not installed: the width was not tested"; return; }
	for columns in 80 120; do
		for noun in devices representors clients exports channels; do
			width_of dpu $noun $columns
		done
	done
}

transport_is_known() {
	bounded "$admin" exports --json --dir "$a" --side host 2>/dev/null |
		grep -q '"transport": "[a-z]'
}

no_exports() {
	bounded "$admin" exports --dir "$a" --side host | grep -q "^no exports$"
}

# Two programs that copy: the views show them, and nothing of them is left after a kill.
test_programs() {
	host_program=$PWD/examples/dma_host
	dpu_program=$PWD/examples/dma_dpu
	[ -x "$host_program" ] && [ -x "$dpu_program" ] ||
		{ echo "the examples were not built: views of exports were not tested"; return; }
	mkdir "$work/channel"
	truncate -s 200M "$work/big"
	"$admin" lab exec --dir "$a" --side host -- "$host_program" --file "$work/big" \
		--dir "$work/channel" --timeout 60 >"$work/host.out" 2>&1 &
	host=$!
	# Small chunks, so that it is still copying during the check.
	"$admin" lab exec --dir "$a" --side dpu -- "$dpu_program" --dir "$work/channel" \
		--chunk 64 --timeout 60 >"$work/dpu.out" 2>&1 &
	dpu=$!
	if wait_until "the exporter's side knows the transport" transport_is_known; then
		kill -STOP $dpu
		expect_status 0 "$admin" exports --json --dir "$a" --side host
		expect_json
		expect_out "\"pid\": $host"
		expect_out "\"pid\": $dpu"
		expect_out '"len": 209715200'
		expect_out '"rejected": '
		grep -qi secret "$work/out" && fail "the view shows a secret"
		expect_status 0 "$admin" imports --dir "$a" --side dpu
		expect_out " $dpu "
		expect_status 0 "$admin" clients --dir "$a" --side host
		expect_out " $host "
		for columns in 80 120; do
			width_of host exports $columns
			width_of dpu imports $columns
			width_of host clients $columns
		done
	fi
	# In the libtool build, the program may be a shell that executes it: same pid.
	kill -9 $host $dpu
	wait $host $dpu 2>/dev/null
	wait_until "exports of a killed program go" no_exports
}

# Another user gets no access, even if the permissions of the files would allow it.
test_other_user() {
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null ||
		{ echo "not root: another user was not tested"; return; }
	mkdir -m 0755 "$work/open"
	expect_status 0 "$admin" lab up --dir "$work/open"
	chmod 0755 "$work"
	cp "$admin" "$work/doca-admin"
	expect_status 0 "$work/doca-admin" devices --socket "$work/open/host.bus"
	expect_status 4 setpriv --reuid=65534 --clear-groups "$work/doca-admin" devices \
		--socket "$work/open/host.bus"
	expect_out "uid 65534 may not look at the host daemon"
	grep -q "uid 65534 may not look" "$work/open/host.log" || fail "the daemon's log does not report the refusal"
	expect_status 0 "$admin" lab down --dir "$work/open"
}

# A user who cannot access the sockets is told who can.
test_denied() {
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || return
	chmod 0755 "$work"
	cp "$admin" "$work/doca-admin"
	mkdir "$work/closed"
	expect_status 0 "$admin" lab up --dir "$work/closed"
	chmod 0700 "$work/closed"
	expect_status 4 setpriv --reuid=65534 --clear-groups "$work/doca-admin" devices \
		--socket "$work/closed/host.bus"
	expect_out "this user may not connect to a daemon"
	expect_out "usermod -aG doca"
	expect_status 0 "$admin" lab down --dir "$work/closed"
}

# A lab in the only writable directory. A container does not see its processes, but does see its
# sockets.
test_containers() {
	[ "$(id -u)" -eq 0 ] && unshare -m -p -f --mount-proc true 2>/dev/null ||
		{ echo "no namespaces: containers were not tested"; return; }
	mkdir "$work/volume" "$work/exchange"
	cat >"$work/container" <<-'EOT'
		mount --bind "$1" /mnt && mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp || exit 99
		unset XDG_RUNTIME_DIR TMPDIR
		cd /mnt
		"$2" lab up
		"$2" lab up --dir /mnt/lab && "$2" lab down --dir /mnt/lab
	EOT
	expect_status 0 unshare -m sh "$work/container" "$work/volume" "$admin"
	expect_out "name another place for the lab with --dir"
	expect_status 0 unshare -p -f --mount-proc "$admin" lab exec --dir "$a" --side host -- true
	grep -q "has ended" "$work/out" && fail "a daemon that is not visible is shown as ended"
	[ -x "$PWD/examples/dma_host" ] || return
	unshare -p -f --kill-child --mount-proc "$admin" lab exec --dir "$a" --side host -- \
		"$PWD/examples/dma_host" --file "$admin" --dir "$work/exchange" --timeout 90 \
		>/dev/null 2>&1 &
	offering=$!
	expect_status 1 unshare -p -f --mount-proc "$admin" lab exec --dir "$a" --side dpu -- \
		"$PWD/examples/dma_dpu" --dir "$work/exchange" --timeout 90
	expect_out "is in another container (pid namespace): run both in one"
	kill $offering 2>/dev/null
	wait $offering 2>/dev/null
}

# Silent clients and clients that send garbage do no harm; too many connections are refused.
test_bus_abuse() {
	command -v python3 >/dev/null || { echo "python3 is not installed: abuse was not tested"; return; }
	expect_status 0 python3 - "$a/host.bus" <<'PY'
import socket, sys
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.settimeout(60)
    return s
s = connect()
s.sendall(b"\0NONSENSE " + b"x" * 100000 + b"\r\n")
try:
    while s.recv(4096):
        pass
except ConnectionResetError:
    pass
# Refused connections are closed at once, which is visible as end of file.
many = [connect() for i in range(64)]
closed = 0
for s in many:
    s.settimeout(0.2 if closed == 0 else 5)
    try:
        closed += s.recv(1) == b""
    except ConnectionResetError:
        closed += 1
    except TimeoutError:
        pass
assert closed >= 48, closed
PY
	wait_until "the bus answers after abuse" answers "$a" host
}

answers() {
	bounded "$admin" status --dir "$1" --side "$2" >/dev/null 2>&1
}

# kill_and_wait NAME DIR PID: all processes of the lab must end by themselves.
kill_and_wait() {
	all=$(lab_pids "$2")
	kill -9 "$3"
	wait_until "$1 killed: the directory goes" absent "$2"
	wait_until "$1 killed: the processes end" ended $all
}

test_killed() {
	kill_and_wait supervisor "$a" "$(lab_pid "$a" supervisor)"
	kill_and_wait keeper "$work/b" "$(lab_pid "$work/b" keeper)"
	expect_status 0 "$admin" lab status --json
	grep -q '"pid"' "$work/out" && fail "status still shows a lab: $(cat "$work/out")"

	# If both are killed at once, the daemons still end, and the next 'lab down' removes the
	# rest.
	lab_up_quiet || return
	all=$(lab_pids "$a")
	kill -9 "$(lab_pid "$a" keeper)" "$(lab_pid "$a" supervisor)"
	wait_until "both killed: the processes end" ended $all
	# The process that was killed last may have removed the directory or its contents: at most an
	# empty directory that no 'lab down' knows is left after two SIGKILLs.
	if [ -d "$a" ] && [ -z "$(ls -A "$a")" ]; then
		rmdir "$a"
	elif [ -e "$a" ]; then
		wait_until "both killed: 'lab status' says that the daemons ended" status_has_ended
		expect_status 0 "$admin" lab down --all
	fi
	absent "$a" || fail "$a still exists"

	: >"$work/f.out"
	# Killed while it runs the lab in the foreground.
	"$admin" lab up --foreground --dir "$work/f" >"$work/f.out" 2>&1 &
	up=$!
	wait_until "foreground lab is up" grep -q "Ctrl-C" "$work/f.out" || return
	all=$(lab_pids "$work/f")
	kill -9 $up
	wait $up 2>/dev/null
	wait_until "foreground killed: the directory goes" absent "$work/f"
	wait_until "foreground killed: the processes end" ended $all

	# The file is created here and not by the redirection below, which may happen after the
	# first check: then the process would still ignore the signal.
	: >"$work/f.out"
	"$admin" lab up --foreground --dir "$work/f" >"$work/f.out" 2>&1 &
	up=$!
	wait_until "foreground lab is up" grep -q "Ctrl-C" "$work/f.out" || return
	kill -INT $up
	await_status $up "lab up --foreground"
	absent "$work/f" || fail "$work/f still exists after Ctrl-C"
}

test_one_daemon_ends() {
	lab_up_quiet || return
	pid=$(lab_pid "$a" dpu)
	kill -9 "$pid"
	wait_until "the daemon ends" ended "$pid"
	expect_status 0 "$admin" lab status --dir "$a"
	expect_out "dpu *ended"
	expect_out "host *up"
	answers "$a" host || fail "the host side ended with the DPU side"
	expect_status 0 "$admin" lab down
}

test_down() {
	lab_up_quiet || return
	all=$(lab_pids "$a")
	expect_status 0 "$admin" lab down
	expect_out "lab $a has ended"
	absent "$a" || fail "$a still exists"
	ended $all || fail "processes are left"
	expect_status 1 "$admin" lab down --dir "$a"
	expect_out "there is no lab"

	# An existing directory stays, without the files of the lab.
	mkdir "$work/mine"
	expect_status 0 "$admin" lab up --dir "$work/mine"
	expect_status 0 "$admin" lab down --dir "$work/mine"
	[ -d "$work/mine" ] && [ -z "$(ls -A "$work/mine")" ] ||
		fail "left in the directory: $(ls -A "$work/mine" 2>&1)"
}

# If the user has no directory of their own, a new lab is in the directory for temporary files.
test_temporary() (
	unset XDG_RUNTIME_DIR
	TMPDIR=$work/temporary
	export TMPDIR
	mkdir "$TMPDIR"
	lab_up_quiet || exit 1
	case $a in
	"$TMPDIR"/?*) ;;
	*) echo "FAIL: the lab is in $a" && exit 1 ;;
	esac
	bounded "$admin" lab exec --side host -- true || exit 1
	bounded "$admin" lab down >/dev/null || exit 1
	[ -z "$(ls -A "$TMPDIR")" ]
)

# A lab that cannot start reports the reason and leaves nothing behind.
test_refused() {
	expect_status 1 "$admin" lab up --dir "$work/bad" --profile nonsense
	expect_out "nonsense"
	expect_status 1 "$admin" lab up --dir "$work/bad" --topology "$work/no-such-file"
	echo "[device" >"$work/bad.topology"
	expect_status 1 "$admin" lab up --dir "$work/bad" --topology "$work/bad.topology"
	expect_out "bad.topology"
	absent "$work/bad" || fail "$work/bad still exists"
	expect_status 1 env DOCOCORED="$work/no-daemon" "$admin" lab up
	expect_out "no-daemon"
	[ -z "$(ls -A "$XDG_RUNTIME_DIR")" ] || fail "left behind: $(ls -A "$XDG_RUNTIME_DIR")"
}

test_usage
test_side_by_side
test_exec
test_views
test_addresses
test_busctl
test_width
test_programs
test_other_user
test_denied
test_containers
test_bus_abuse
test_killed
test_one_daemon_ends
test_down
test_refused
test_temporary || fail "the test of a lab in TMPDIR"
if [ $failures -gt 0 ]; then
	echo "$failures failures"
	exit 1
fi
echo "lab: passed"
