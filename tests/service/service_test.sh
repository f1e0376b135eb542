#!/usr/bin/env bash
# Tests the daemon under a real systemd: it is installed by 'make install', started, reloaded,
# watched, killed, and started by a connection. Also tests its sandbox, its permissions and its log.
# Runs in the build directory, as root. Exit status 77: skipped. Everything runs in a container that
# is removed afterwards.
set -u

source_dir=${top_srcdir:-$(dirname "$0")/../..}
# shellcheck source=tests/service/container.sh
. "$source_dir/tests/service/container.sh"
# shellcheck source=tests/service/install.sh
. "$source_dir/tests/service/install.sh"

build=$PWD
[[ -x $build/dococored ]] || { echo "skipped: $build/dococored was not built"; exit 77; }
container_require

work=$(mktemp -d /tmp/doco-service-test-XXXXXX) || exit 99
failures=0
etc=/usr/local/etc/dococored

finish() {
	local status=$?

	container_end
	rm -rf "$work"
	exit "$status"
}
trap finish EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

heading() {
	echo "--- $*"
}

# equal WHAT EXPECTED GOT
equal() {
	[[ $2 == "$3" ]] || fail "$1: expected '$2', got '$3'"
}

# has WHAT PATTERN TEXT: the text matches the extended regular expression.
has() {
	grep -Eq -- "$2" <<<"$3" || fail "$1: no '$2' in: $3"
}

# wait_until WHAT COMMAND...: polls until the time limit.
wait_until() {
	local what=$1 end=$((SECONDS + time_limit))
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || { fail "$what: not within $time_limit seconds"; return 1; }
		sleep 0.1
	done
}

property() {
	inside systemctl show --value -p "$2" "$1"
}

is_property() {
	[[ $(property "$1" "$2") == "$3" ]]
}

# The daemon of the unit runs with a pid other than this one.
is_new_pid() {
	local pid

	[[ $(property "$1" ActiveState) == active ]] || return 1
	pid=$(property "$1" MainPID)
	[[ $pid -gt 0 && $pid != "$2" ]]
}

# logged UNIT FIELD...: the journal has a line of the unit with these fields.
logged() {
	local unit=$1
	shift
	[[ -n $(inside journalctl -q -o cat -n 1 -u "$unit" "$@" 2>/dev/null) ]]
}

as_user() {
	local user=$1
	shift
	inside setpriv --reuid "$user" --regid "$user" --init-groups env \
		LD_LIBRARY_PATH=/usr/local/lib "$@"
}


# ---- the tests --------------------------------------------------------------------------------------

test_installed() {
	local name report

	heading "users, groups, directory, units"
	for name in doca doca-admin dococored; do
		inside getent group "$name" >/dev/null || fail "no group $name"
	done
	inside getent passwd dococored >/dev/null || fail "no user dococored"
	equal "/run/dococored" "755 dococored dococored" "$(inside stat -c '%a %U %G' /run/dococored)"
	report=$(inside systemd-analyze verify dococored.service dococored@host.service \
		dococored.socket dococored@dpu.socket 2>&1 | grep dococored | grep -v "Command 'man")
	equal "systemd-analyze verify" "" "$report"
}

test_exposure() {
	local report unit

	heading "security exposure, at most 1.5"
	for unit in dococored.service dococored@host.service; do
		report=$(inside systemd-analyze security --no-pager --threshold=15 "$unit" 2>&1) ||
			fail "exposure of $unit is above 1.5"
		tail -n 1 <<<"$report"
	done
}

test_start() {
	local pid status said

	heading "start"
	inside systemctl start dococored || { inside journalctl -n 30 --no-pager; return 1; }
	equal "state" active "$(property dococored ActiveState)"
	wait_until "status text" is_property_like dococored StatusText 'side host: 0 clients'
	pid=$(property dococored MainPID)
	status=$(inside cat "/proc/$pid/status")
	equal "user" dococored "$(inside ps -o user= -p "$pid")"
	has "no capability, not even for later" '^CapBnd:.0+$' "$status"
	has "no capability" '^CapEff:.0+$' "$status"
	has "no new privileges" '^NoNewPrivs:.1$' "$status"
	has "system calls are filtered" '^Seccomp:.2$' "$status"
	has "a file system that is read-only" ' / / ro' "$(inside cat "/proc/$pid/mountinfo")"
	equal "the socket" "660 root doca" "$(inside stat -c '%a %U %G' /run/dococored/dococored.sock)"
	equal "its name" dococored.sock "$(inside readlink /run/dococored/host.sock)"
	# A container cannot raise limits above those of the machine, but soft and hard limit are
	# equal.
	has "limits" 'Max open files +([0-9]+) +\1 ' "$(inside cat "/proc/$pid/limits")"
	equal "LimitNOFILE" 262144 "$(property dococored LimitNOFILE)"
	equal "LimitMEMLOCK" $((64 << 20)) "$(property dococored LimitMEMLOCK)"
	wait_until "a line with its fields" logged dococored DOCOCORE_SIDE=host \
		MESSAGE_ID=6f3d2a9e4c7b4f0c9b1e5a7d80c2e411
	has "doca-admin status" 'host' "$(inside doca-admin status 2>&1)"
	said=$(inside journalctl -q --no-pager -u dococored)
	has "a machine without a card" "no RDMA device.*topology = demo" "$said"
	[[ $said != *peer* ]] || fail "the status names a peer that no file configures: $said"
	has "its status" "; no device" "$(property dococored StatusText)"
}

is_property_like() {
	[[ $(property "$1" "$2") == *$3* ]]
}

test_reload() {
	local pid said

	heading "reload"
	pid=$(property dococored MainPID)
	inside sh -c "printf '[daemon]\nlog_level = debug\n' >$etc/dococored.conf"
	inside systemctl reload dococored || fail "systemctl reload: $?"
	wait_until "loaded again" logged dococored MESSAGE_ID=c40e8f5b71d2493aa86d2f9b05e71a33
	wait_until "active after the reload" is_property dococored ActiveState active
	inside sh -c "printf '[daemon]\nlog_level = loud\n' >$etc/dococored.conf"
	said=$(inside systemctl reload dococored 2>&1) &&
		fail "systemctl reload succeeds with a wrong file: $said"
	wait_until "the status has the mistake" is_property_like dococored StatusText \
		"new configuration refused: "
	wait_until "a wrong file is refused" logged dococored \
		MESSAGE_ID=e95a1cd8036f4b7e9d40b82c6f13ea44
	wait_until "active with the old configuration" is_property dococored ActiveState active
	equal "the same process" "$pid" "$(property dococored MainPID)"
	inside sh -c "printf '[daemon]\nlog_level = debug\n' >$etc/dococored.conf"
}

test_rights() {
	local said

	heading "who may connect"
	said=$(as_user mallory env DOCA_SIDE=host /usr/local/lib/doco-test/dma_host --file /etc/passwd \
		--dir /nowhere --timeout 5 2>&1)
	has "somebody outside the group" 'Permission denied' "$said"
}

bus_call() {
	local who=$1 method=$2
	shift 2

	as_user "$who" busctl --system call org.dococore.host /org/dococore org.dococore.Manager \
		"$method" "$@" 2>&1
}

# Tests the system bus that systemd starts, also while it is temporarily absent.
test_system_bus() {
	local pid

	heading "D-Bus on the system bus"
	inside sh -c "printf '[daemon]\nlog_level = debug\ntopology = demo\n' >$etc/dococored.conf"
	inside systemctl restart dococored || fail "with the demo topology: $?"
	pid=$(property dococored MainPID)
	wait_until "its name" inside busctl --system status org.dococore.host
	has "who it is" "^PID=$pid\$" "$(inside busctl --system status org.dococore.host 2>&1)"
	has "introspection" 'ListExports +method' \
		"$(inside busctl --system introspect org.dococore.host /org/dococore 2>&1)"
	has "a member of the group reads" 'pf0' "$(bus_call alice GetDevice t 1)"
	has "somebody else does not" 'Access denied|denied|not permitted' "$(bus_call mallory GetDevice t 1)"
	has "nor does a reader change" 'Access denied|denied|not permitted' "$(bus_call alice SetLogLevel s debug)"
	inside systemctl stop dbus.socket dbus.service
	equal "it goes on without" active "$(property dococored ActiveState)"
	has "and answers" 'host' "$(inside doca-admin status 2>&1)"
	inside systemctl start dbus.socket dbus.service
	wait_until "its name again" inside busctl --system status org.dococore.host
	equal "the same process" "$pid" "$(property dococored MainPID)"
}

test_activation() {
	local pid

	heading "started by a connection"
	inside systemctl stop dococored.service 2>/dev/null
	equal "stopped" inactive "$(property dococored ActiveState)"
	equal "the socket stays" active "$(property dococored.socket ActiveState)"
	# Its later result does not matter; it must connect first.
	as_user alice env DOCA_SIDE=host /usr/local/lib/doco-test/dma_host --file /etc/passwd \
		--dir /nowhere --timeout 5 >/dev/null 2>&1
	wait_until "started" is_property dococored ActiveState active
	pid=$(property dococored MainPID)
	wait_until "its client's lines say who it is" logged dococored "_PID=$pid" \
		"DOCOCORE_CLIENT_UID=$(inside id -u alice)"
}

test_killed() {
	local pid

	heading "kill -9"
	pid=$(property dococored MainPID)
	inside kill -KILL "$pid"
	wait_until "started again" is_new_pid dococored "$pid"
}

test_watchdog() {
	local pid

	heading "watchdog"
	pid=$(property dococored MainPID)
	# A client that is idle for longer than the limit is still served.
	inside sleep 5
	equal "not killed while it works" "$pid" "$(property dococored MainPID)"
	inside kill -STOP "$pid"
	wait_until "killed and started again" is_new_pid dococored "$pid"
	has "by the watchdog" 'Watchdog timeout' "$(inside journalctl -q --no-pager -u dococored)"
}

# More crashes in a row than the service manager accepts by default.
test_crash_loop() {
	local pid i

	heading "25 crashes"
	inside mkdir -p /run/systemd/system/dococored.service.d
	inside sh -c 'printf "[Service]\nRestartSec=10ms\n" >/run/systemd/system/dococored.service.d/test.conf'
	inside systemctl daemon-reload
	for ((i = 0; i < 25; i++)); do
		pid=$(property dococored MainPID)
		inside kill -KILL "$pid"
		wait_until "started again after crash $i" is_new_pid dococored "$pid" || break
	done
	inside rm -r /run/systemd/system/dococored.service.d
	inside systemctl daemon-reload
}

test_wrong_configuration() {
	heading "a wrong configuration at start"
	inside sh -c "printf '[daemon]\nprofile = bf9\n' >$etc/dococored.conf"
	inside systemctl restart dococored 2>/dev/null && fail "the service starts with a wrong configuration"
	equal "failed, and not tried again" failed "$(property dococored ActiveState)"
	has "and why" 'dococored.conf:2: key .profile.' "$(inside journalctl -q --no-pager -u dococored)"
	inside sh -c "printf '[daemon]\nside = dpu\n' >$etc/dococored.conf"
	inside systemctl stop dococored.socket
	inside systemctl start dococored
	wait_until "the side of the configuration" is_property_like dococored StatusText 'side dpu'
	equal "and of the socket" dococored.sock "$(inside readlink /run/dococored/dpu.sock)"
	inside rm "$etc/dococored.conf"
	inside sh -c "printf '[daemon]\n' >$etc/dococored.conf"
}

# The host program only waits: its export still exists after each of these restarts.
resume_host() {
	local pid side

	heading "restart and kill -9 of both, with what a client has"
	for side in host dpu; do
		inside systemctl restart "dococored@$side" || fail "restart of $side"
		pid=$(property "dococored@$side" MainPID)
		inside kill -KILL "$pid"
		wait_until "$side is started again" is_new_pid "dococored@$side" "$pid"
	done
	wait_until "resumed, and said so" logged dococored@host MESSAGE_ID=9c5e17a4d0f84b62be317f0a86d4c299
	has "all of it" 'resumed 1 client, 2 exports' \
		"$(inside journalctl -q -o cat -n 1 -u dococored@host MESSAGE_ID=9c5e17a4d0f84b62be317f0a86d4c299)"
	wait_until "exports" is_property_like dococored@host StatusText '2 exports'
	wait_until "linked again" is_property_like dococored@host StatusText '1 linked peer'
}

test_both_sides() {
	local said end=$((SECONDS + time_limit)) host

	heading "both sides, next to each other, and a copy between them"
	inside systemctl start dococored@host dococored@dpu || return 1
	equal "the machine's own" inactive "$(property dococored ActiveState)"
	wait_until "linked" is_property_like dococored@host StatusText '1 linked peer'
	inside install -d -o alice /run/doco-test
	as_user alice env DOCOCORED_SOCKET=/run/dococored/host.sock DOCA_SIDE=host \
		/usr/local/lib/doco-test/dma_host --file /usr/bin/env --dir /run/doco-test --memory shm \
		--timeout 30 >"$work/host.log" 2>&1 &
	host=$!
	wait_until "the host has exported" is_property_like dococored@host StatusText '2 exports'
	resume_host
	said=$(as_user alice env DOCOCORED_SOCKET=/run/dococored/dpu.sock DOCA_SIDE=dpu \
		/usr/local/lib/doco-test/dma_dpu --dir /run/doco-test --timeout 30 2>&1)
	wait "$host" || fail "the host program: $(tail -n 3 "$work/host.log")"
	has "copied through shared memory" "OK sha256" "$said"
	inside systemctl stop dococored@host.service dococored@dpu.service dococored@host.socket \
		dococored@dpu.socket
	equal "no socket is left" "" "$(inside find /run/dococored -type s)"
	((SECONDS < end)) || fail "the copy took too long"
}

container_prepare "$work"
service_install "$build" "$work/stage" "$container_root" || { fail "installing"; exit 1; }
container_boot
test_installed
test_exposure
test_start && {
	test_reload
	test_rights
	test_system_bus
	test_activation
	test_killed
	test_watchdog
	test_crash_loop
	test_wrong_configuration
	test_both_sides
}
if ((failures)); then
	inside journalctl -q --no-pager -n 60 -u 'dococored*'
	echo "$failures failures"
	exit 1
fi
echo "all passed"
