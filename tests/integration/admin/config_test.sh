#!/bin/sh
# dococored --check-config and --reload: the exit codes and messages for scripts, packages and the
# service manager. Runs in the build directory. Exit status 77: skipped.
set -u

dococored=${DOCOCORED:-$PWD/dococored}
[ -x "$dococored" ] || { echo "skipped: $dococored was not built"; exit 77; }
unset NOTIFY_SOCKET XDG_RUNTIME_DIR JOURNAL_STREAM LISTEN_PID LISTEN_FDS
work=$(mktemp -d /tmp/doco-config-test-XXXXXX) || exit 99
pid=
failures=0
patience=60

cleanup() {
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# run CODE TEXT ARGUMENT...: runs the daemon program, which must exit with the code and print the
# text.
run() {
	code=$1 text=$2
	shift 2
	timeout -k 5 $patience "$dococored" --side host --config "$work/conf" "$@" >"$work/out" 2>&1
	got=$?
	[ $got = "$code" ] || fail "$*: exit code $got, expected $code"
	[ -z "$text" ] || grep -q -F -e "$text" "$work/out" || fail "$*: no '$text' in: $(cat "$work/out")"
}

good() {
	printf '[daemon]\nlog_level = debug\n' >"$work/conf"
}

wrong() {
	printf '[daemon]\nlog_level = debug\nnonsense = 1\n' >"$work/conf"
}

mkdir "$work/run"
good
run 0 "conf is correct" --check-config
wrong
run 1 "conf:3: key 'nonsense'" --check-config
printf '[policy]\npf9 = none\n' >"$work/conf"
run 1 "conf:2: key 'pf9'" --check-config
good
run 1 "cannot be opened" --check-config --topology "$work/none"
run 0 "conf is correct" --check-config --runtime-dir "$work/run"
[ -z "$(ls -A "$work/run")" ] || fail "--check-config left files: $(ls -A "$work/run")"
run 1 "no daemon answers at $work/run/host.bus" --reload --runtime-dir "$work/run"

"$dococored" --side host --config "$work/conf" --runtime-dir "$work/run" >"$work/log" 2>&1 &
pid=$!
end=$(($(date +%s) + patience))
until [ -S "$work/run/host.bus" ]; do
	kill -0 $pid 2>/dev/null || { cat "$work/log"; echo "FAIL: the daemon ended"; exit 1; }
	[ "$(date +%s)" -lt $end ] || { echo "FAIL: no daemon after $patience seconds"; exit 1; }
	sleep 0.05
done
for _ in 1 2; do
	run 0 "" --reload --runtime-dir "$work/run"
	wrong
	run 1 "the new configuration is refused, the old one stays" --reload --runtime-dir "$work/run"
	grep -q -F -e "conf:3: key 'nonsense'" "$work/out" || fail "no mistake is reported in: $(cat "$work/out")"
	good
done
# A machine without a card, and no file that defines a topology or a peer.
mkdir -p "$work/sys/class/infiniband" "$work/bare"
printf '[daemon]\nlog_level = info\n' >"$work/conf"
"$dococored" --side host --config "$work/conf" --runtime-dir "$work/bare" --sysfs "$work/sys" \
	--default-topology discover >"$work/bare.log" 2>&1 &
bare=$!
end=$(($(date +%s) + patience))
until grep -q -F -e "this machine has no RDMA device" "$work/bare.log" && [ -S "$work/bare/host.bus" ]; do
	[ "$(date +%s)" -lt $end ] || { fail "the log does not report the missing card"; break; }
	sleep 0.05
done
run 0 "" --reload --runtime-dir "$work/bare"
kill $bare
wait $bare || fail "the daemon without a card ended with $?"
grep -q -F -e "set 'topology = demo' in section [daemon] of $work/conf" "$work/bare.log" ||
	fail "the log does not report the demo topology: $(cat "$work/bare.log")"
grep -q -F -e ", 0 devices" "$work/bare.log" || fail "devices: $(cat "$work/bare.log")"
grep -q -F -e "peer" "$work/bare.log" && fail "the log names a peer that no file configures: $(cat "$work/bare.log")"
printf '[daemon]\ntopology = demo\n' >"$work/conf"
run 0 "conf is correct" --check-config --default-topology discover
good
# The check does not disturb a running daemon.
run 0 "conf is correct" --check-config --runtime-dir "$work/run"
run 0 "" --reload --runtime-dir "$work/run"
kill $pid
wait $pid || fail "the daemon ended with $?"
pid=
[ $failures -eq 0 ] || exit 1
