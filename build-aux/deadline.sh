#!/usr/bin/env bash
# Runs a test in a process group of its own and with a time limit.
#
#   deadline.sh --limit SECONDS [--leave SECONDS] COMMAND [ARGUMENT...]
#
# Within the limit, the exit status is the command's. At the limit, it prints the hanging processes
# of the test (state, kernel stack and, if gdb is installed, user stacks), ends all of them, by
# SIGTERM and five seconds later by SIGKILL, and fails. TEST_DEADLINE in the environment replaces the
# limit. INT, TERM, HUP and QUIT are forwarded to the group, which has the same time to end.
#
# A process belongs to the test if it is in its group, is a descendant of such a process, or carries
# the mark that this script puts into the environment: so daemons in sessions of their own are found
# too. Processes that still exist after the test has ended get some time to end (--leave, ten
# seconds); then they are killed and the test fails.
#
# The last line of the output of a test that ended by itself is its duration.
#
# The test inherits no descriptors of make except the standard ones, so that a remaining process
# cannot keep a job token or a pipe of make.
set -u

limit=
leave_limit=10
if [[ ${1:-} == --limit && $# -gt 2 ]]; then
	limit=${TEST_DEADLINE:-$2}
	shift 2
fi
if [[ ${1:-} == --leave && $# -gt 2 ]]; then
	leave_limit=$2
	shift 2
fi
if [[ -z $limit || $# -eq 0 ]]; then
	echo "usage: deadline.sh --limit SECONDS [--leave SECONDS] COMMAND [ARGUMENT...]" >&2
	exit 99
fi

grace=5
mark=DEADLINE_MARK_$$
value=$$.$RANDOM$RANDOM
start=${EPOCHREALTIME/[.,]/} test_pid='' watch_pid='' expired=false caught='' status=1

# Prints the ids of the test processes that are alive, one per line.
members() {
	local marked

	marked=$(cd /proc && grep -lsz "^$mark=$value\$" [0-9]*/environ 2>/dev/null)
	ps -eo pid=,ppid=,pgid=,stat= | awk -v group="$test_pid" -v marked="$marked" '
	BEGIN {
		n = split(marked, paths, "\n")
		for (i = 1; i <= n; i++) {
			sub(/\/.*/, "", paths[i])
			if (paths[i] != "") is_member[paths[i]] = 1
		}
	}
	$4 !~ /^[ZX]/ { parent[$1] = $2; if ($3 == group) is_member[$1] = 1 }
	END {
		do {
			grown = 0
			for (pid in parent)
				if (!(pid in is_member) && parent[pid] in is_member) {
					is_member[pid] = 1
					grown = 1
				}
		} while (grown)
		for (pid in is_member) if (pid in parent) print pid
	}' | sort -n
}

# signal_members SIGNAL: sends the signal to all of them.
signal_members() {
	local pid

	for pid in $(members); do
		kill -s "$1" "$pid" 2>/dev/null
		# A stopped process would not receive it.
		[[ $1 == KILL ]] || kill -s CONT "$pid" 2>/dev/null
	done
}

# await_members SECONDS: returns true as soon as none exists.
await_members() {
	local end=$((SECONDS + $1))

	while [[ -n $(members) ]]; do
		[[ $SECONDS -le $end ]] || return 1
		sleep 0.05
	done
}

end_members() {
	signal_members TERM
	await_members "$grace" || signal_members KILL
	await_members "$grace" || echo "deadline: cannot be killed: $(members | tr '\n' ' ')"
}

print_members() {
	local pid task pids

	pids=$(members)
	[[ -n $pids ]] || return 0
	ps -o pid,ppid,pgid,stat,wchan:24,etimes,time,args -ww -p "${pids//$'\n'/,}" | cut -c1-300
	for pid in $pids; do
		for task in /proc/"$pid"/task/*; do
			printf -- '--- pid %s (%s) thread %s: wchan %s, system call %s\n' "$pid" \
				"$(cat "/proc/$pid/comm" 2>/dev/null)" "${task##*/}" \
				"$(cat "$task/wchan" 2>/dev/null)" "$(cat "$task/syscall" 2>/dev/null)"
			[[ ! -r $task/stack ]] || sed 's/^/    /' "$task/stack" 2>/dev/null
		done
	done
	command -v gdb >/dev/null || return 0
	for pid in $(head -n 12 <<<"$pids"); do
		printf -- '--- gdb, pid %s (%s)\n' "$pid" "$(cat "/proc/$pid/comm" 2>/dev/null)"
		DEBUGINFOD_URLS='' timeout -k 5 20 gdb -nx -batch -p "$pid" \
			-ex 'thread apply all backtrace 24' </dev/null 2>&1 |
			grep -E '^(#|Thread|ptrace|Could not)' | cut -c1-240
	done
}

on_signal() {
	caught=$1
	# The watch process must not report a time limit now.
	[[ -z $test_pid ]] || kill -s "$1" -- "-$test_pid" 2>/dev/null
}

stop_watch() {
	[[ -z $watch_pid ]] || kill -s KILL -- "-$watch_pid" 2>/dev/null
	watch_pid=''
}

# Waits for the test. Returns false if the limit or a signal came first.
await_test() {
	local again

	while true; do
		wait "$test_pid"
		status=$?
		kill -0 "$test_pid" 2>/dev/null || break
		! $expired && [[ -z $caught ]] || return 1
	done
	# The status may be that of an interrupted wait.
	if [[ $status -gt 128 ]]; then
		wait "$test_pid" 2>/dev/null
		again=$?
		[[ $again -eq 127 ]] || status=$again
	fi
	# The signal may have ended the test before this check.
	[[ -z $caught ]]
}

trap 'expired=true' USR1
for name in INT TERM HUP QUIT; do
	# shellcheck disable=SC2064
	trap "on_signal $name" "$name"
done
for fd in /proc/$$/fd/*; do
	fd=${fd##*/}
	# Bash reads this script from descriptor 255.
	[[ $fd -le 2 || $fd -eq 255 ]] || eval "exec $fd>&-" 2>/dev/null
done

# Each job gets a process group of its own, and no ignored signals.
set -m
env "$mark=$value" "$@" </dev/null &
test_pid=$!
(
	trap - USR1 INT TERM HUP QUIT
	sleep "$limit"
	kill -s USR1 $$
) </dev/null >/dev/null 2>&1 &
watch_pid=$!
# The shell must not report the end of the watch process.
disown "$watch_pid"
set +m

if await_test; then
	stop_watch
elif $expired; then
	echo "deadline: not finished after $limit s: $*"
	print_members
	end_members
	wait "$test_pid" 2>/dev/null
	echo "deadline: ended it, it fails"
	exit 1
else
	stop_watch
	await_members "$grace" || end_members
	wait "$test_pid" 2>/dev/null
	echo "deadline: interrupted by SIG$caught"
	exit $((128 + $(kill -l "$caught")))
fi
took=$((${EPOCHREALTIME/[.,]/} - start))
if ! await_members "$leave_limit"; then
	echo "deadline: the test has ended with status $status and left these processes:"
	print_members
	end_members
	[[ $status -ne 0 && $status -ne 77 ]] || status=1
fi
printf 'deadline: took %d.%d s\n' $((took / 1000000)) $((took / 100000 % 10))
exit "$status"
