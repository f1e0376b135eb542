#!/bin/sh
# Checks that the installed units keep the promises of the library: a daemon that hangs or crashes
# is restarted before a call times out, and the service manager never gives up. Runs in the build
# directory.
set -u

top_srcdir=$(cd "${top_srcdir:-.}" && pwd) || exit 99
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# Prints the value of a key, or "" if there is none.
value() {
	sed -n "s/^$2=//p" "systemd/$1"
}

# to_ms TIME: converts values such as "3s" or "50ms".
to_ms() {
	case $1 in
	*ms) echo "${1%ms}" ;;
	*s) echo $((${1%s} * 1000)) ;;
	*) echo "not a time: '$1'" >&2; exit 99 ;;
	esac
}

# The time that a call of a program waits for the daemon.
limit_s=$(sed -n 's/^#define RPC_TIMEOUT_S *\([0-9]*\)$/\1/p' "$top_srcdir/client/control/rpc.h")
[ "${limit_s:-0}" -gt 0 ] || fail "RPC_TIMEOUT_S is not found"
limit_ms=$((${limit_s:-0} * 1000))

for unit in dococored.service dococored@.service; do
	delay=$(value $unit RestartMaxDelaySec)
	delay_ms=$(to_ms "${delay:-$(value $unit RestartSec)}") || exit 99
	watchdog_ms=$(to_ms "$(value $unit WatchdogSec)") || exit 99
	abort_ms=$(to_ms "$(value $unit TimeoutAbortSec)") || exit 99
	[ $((watchdog_ms + abort_ms + delay_ms)) -lt $limit_ms ] ||
		fail "$unit: $watchdog_ms + $abort_ms + $delay_ms ms, a call waits $limit_ms ms"
	[ "$(value $unit StartLimitIntervalSec)" = 0 ] || fail "$unit: the service manager gives up"
	value $unit ExecReload | grep -q -e ' --reload$' || fail "$unit: ExecReload does not wait for the result"
	grep -q '@' "systemd/$unit" && [ "$(grep -c '@[a-z_]*@' "systemd/$unit")" -ne 0 ] &&
		fail "$unit: a placeholder was not replaced"
done
if command -v systemd-analyze >/dev/null; then
	systemd-analyze verify --man=no ./systemd/dococored.service 2>&1 |
		grep -i "unknown key\|invalid\|failed to parse" && fail "systemd-analyze"
fi
[ $failures -eq 0 ] || exit 1
