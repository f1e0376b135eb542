#!/bin/sh
# Compares every output of doca-admin, as table and as JSON, with the files of
# tests/integration/admin/expected, while programs wait; tests its exit statuses and what it
# changes. Ids, pids, times and addresses are replaced by names, so that two runs print the same.
# UPDATE_GOLDEN=1 writes the files. Runs in the build directory. Exit status 77: skipped. Every
# command has a deadline.
# shellcheck disable=SC2015,SC2016,SC2086
set -u

top_srcdir=$(cd "${top_srcdir:-.}" && pwd) || exit 99
admin=${DOCA_ADMIN:-$PWD/doca-admin}
DOCOCORED=${DOCOCORED:-$PWD/dococored}
export DOCOCORED
for program in "$admin" "$DOCOCORED" "$PWD/examples/dma_host" "$PWD/examples/sync_host" \
	"$PWD/examples/comch_echo_server" "$PWD/examples/comch_echo_client"; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET NO_COLOR COLUMNS
LC_ALL=C.UTF-8 TZ=UTC
export LC_ALL TZ

golden=$top_srcdir/tests/integration/admin/expected
work=$(mktemp -d /tmp/doco-admin-test-XXXXXX) || exit 99
XDG_RUNTIME_DIR=$work/run
export XDG_RUNTIME_DIR
mkdir -m 0700 "$XDG_RUNTIME_DIR"
failures=0
patience=90
pids=

cleanup() {
	for pid in $pids; do
		kill -9 "$pid" 2>/dev/null
	done
	timeout -k 5 $patience "$admin" lab down --all >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

bounded() {
	timeout -k 5 $patience "$@"
}

wait_until() {
	what=$1
	shift
	end=$(($(date +%s) + patience))
	until "$@"; do
		[ "$(date +%s)" -lt $end ] || { fail "$what: not within $patience seconds"; exit 1; }
		sleep 0.05
	done
}

# on SIDE ARGUMENT...: runs doca-admin with the daemon of that side.
on() {
	on_side=$1
	shift
	bounded "$admin" "$@" --dir "$lab" --side "$on_side"
}

expect_status() {
	want=$1
	shift
	case $1 in
		on) "$@" >"$work/out" 2>"$work/err" ;;
		*) bounded "$@" >"$work/out" 2>"$work/err" ;;
	esac
	got=$?
	[ $got -eq "$want" ] && return
	fail "exit status $got instead of $want: $*"
	sed 's/^/    /' "$work/out" "$work/err"
}

# Expects one sentence that says what to do, and no usage text.
expect_sentence() {
	[ "$(wc -l <"$work/err")" -eq 1 ] && grep -q -e "$1" "$work/err" && return
	fail "standard error is not one sentence with '$1'"
	sed 's/^/    /' "$work/err"
}

# Replaces values that differ between runs. Tables keep their columns, but not their widths.
normalise() {
	sed -e "s,$lab,LAB,g" -e "s/\b$dma_pid\b/PID_DMA/g" -e "s/\b$sync_pid\b/PID_SYNC/g" \
		-e "s/\b$client_pid\b/PID_CLIENT/g" -e "s/\b$server_pid\b/PID_SERVER/g" \
		-e "s/\b$host_pid\b/PID_HOST/g" -e "s/\b$dpu_pid\b/PID_DPU/g" \
		-e 's/0x[0-9a-f]*/ADDRESS/g' -e 's/\("addr": \)[0-9]*/\1ADDRESS/' \
		-e 's/\([a-z]*_ns": \)[0-9]*/\1TIME/' -e 's/\("n_requests": \)[0-9]*/\1N/' \
		-e 's/\("requests_per_s": \)[0-9]*/\1N/' -e 's/\("value": \)[0-9]*/\1N/' \
		-e 's/[0-9]\{4\}-[0-9-]* [0-9:]* +0000/TIME/' -e 's/[0-9a-f]\{32\}/HEX/g' -e 's/\("\{0,1\}fds"\{0,1\}:\{0,1\} *\)[0-9]*/\1N/g' \
		-e "s/\b$(cat VERSION.test)\b/VERSION/g" $as_root \
		-e 's/\([a-z]*_at_ns":\)[0-9][0-9]*/\1ID/g' -e 's/\b[0-9]\{16\}\b/ID/g' \
		-e 's/\(rtt_ns  *\)[0-9]*/\1N/' \
		-e 's/\("\(n_[a-z]*ed\|n_sent\|n_errors\|n_waits\|n_busy\|n_empty\|n_sleeps\|n_wakes\|depth\|max_depth\|moved_bytes\|received_bytes\|sent_bytes\|latency_p[59][09]_ns\)": *\)[0-9][0-9]*/\1N/g' \
		-e 's/"latency":\[[^]]*\]/"latency":[]/g' -e '/"latency": \[/,/\]/d' \
		-e 's/^\(n_[a-z]*ed\|n_sent\|n_errors\|n_waits\|n_busy\|n_empty\|n_sleeps\|n_wakes\|depth\|max_depth\|moved_bytes\|received_bytes\)  *[0-9].*/\1 N/' \
		-e 's/"id": *[0-9]\{4,13\}\b/"id": COUNTERS/g' -e 's/"pe": *[0-9]\{4,13\}\b/"pe": COUNTERS/g' \
		-e 's/^[0-9]* functions are/N functions are/' \
		-e '/"caps": {/,/^ *}/d' -e '/^caps$/,$d' \
		-e 's/   */  /g' -e 's/^ *\(ID  \)/\1/' -e 's/ *$//'
}

# compare NAME COMMAND...: compares the output with the file of that name.
compare() {
	name=$1
	shift
	expect_status 0 "$@"
	normalise <"$work/out" >"$work/norm"
	# Rows about the activity of running programs differ between runs. The JSON covers the rest.
	case $name in
		top | clients-* | channels-* | counters-*)
			sed -i '/^[^"]* PID_\(CLIENT\|SERVER\|SYNC\) [^"]*$/s/ [0-9][0-9.]*\( [KMG]iB\)\{0,1\}\b/ N/g' "$work/norm"
			;;
	esac
	if [ -n "${UPDATE_GOLDEN:-}" ]; then
		cp "$work/norm" "$golden/$name.txt"
	elif ! diff -u "$golden/$name.txt" "$work/norm" >"$work/diff"; then
		fail "$name: $*"
		sed 's/^/    /' "$work/diff"
	fi
}

counts() {
	on "$1" status 2>/dev/null | grep -q "^status  *running: $2"
}

# first_id SIDE NOUN [FILTER...]
first_id() {
	first_side=$1
	shift
	on "$first_side" "$@" --json | sed -n 's/^ *"id": \([0-9]*\),/\1/p' | head -1
}

# Starts a program of a side and sets $last to its pid.
start() {
	start_side=$1
	shift
	"$admin" lab exec --dir "$lab" --side "$start_side" -- "$@" >>"$work/programs" 2>&1 &
	last=$!
	pids="$pids $last"
}

lab_pid() {
	tr -d ' \n' <"$lab/lab.json" | sed "s/.*\"$1\":{\"pid\":\([0-9]*\).*/\1/"
}

established() {
	on host channels 2>/dev/null | grep -q established && on dpu channels | grep -q established
}

test_unknown_command() {
	expect_status 2 "$admin" export
	grep -qx "doca-admin: there is no command 'export'; is it 'exports'? 'doca-admin --help' lists them" \
		"$work/err" || fail "the error does not name exports"
	expect_status 2 "$admin" nonsense
	grep -qx "doca-admin: there is no command 'nonsense'; 'doca-admin --help' lists them" "$work/err" ||
		fail "the error does not name nonsense"
}

test_nothing_there() {
	lab=$work/none
	expect_status 3 "$admin" status
	grep -q "no daemon answers" "$work/err" || fail "the error does not say that no daemon answers"
	expect_status 3 "$admin" exports revoke 1 --socket "$work/no.bus"
	expect_status 3 "$admin" monitor --socket "$work/no.bus"
	expect_status 3 "$admin" top --socket "$work/no.bus"
	expect_status 3 "$admin" topology --socket "$work/no.bus"
	expect_status 1 "$admin" decode /dev/null --socket "$work/no.bus"
	for command in status topology caps reload log-level decode explain monitor top lab env which-api devices \
		representors clients exports imports services channels counters events peers; do
		expect_status 0 "$admin" $command --help
		grep -q "^Usage: doca-admin $command" "$work/out" || fail "$command --help"
		[ ! -s "$work/err" ] || fail "$command --help writes to standard error"
	done
	for command in "caps" "log-level" "decode" "explain" "which-api" "status x" "exports revoke" "exports show" \
		"devices revoke 1" "clients --pid" "clients --pid x" "clients show 1 --pid 2" "top x" \
		"top --interval 0" "monitor --ascii" "exports --bogus" "topology 1"; do
		expect_status 2 "$admin" $command --socket "$work/no.bus"
		expect_sentence .
	done
	for command in "top --count 0" "monitor x" "decode a b" "--json devices" "env x" "env --bogus" "lab" "lab x" \
		"lab exec" "lab exec --side host" "lab status x" "lab down --bogus" "help nonsense"; do
		expect_status 2 "$admin" $command
		expect_sentence .
	done
	expect_status 0 "$admin" help decode
	grep -q "^Usage: doca-admin decode" "$work/out" || fail "help decode"
}

# Simulates a daemon that hangs: the kernel accepts connections, but no process answers. doca-admin
# waits for some seconds; its result is checked at the end.
start_hung() {
	mkdir "$work/hung"
	"$DOCOCORED" --side host --runtime-dir "$work/hung" >>"$work/programs" 2>&1 &
	hung=$!
	pids="$pids $hung"
	wait_until "a daemon to hang" test -S "$work/hung/host.bus"
	kill -STOP $hung
	bounded "$admin" status --dir "$work/hung" >"$work/hung.out" 2>"$work/hung.err" &
	asking=$!
}

test_hung() {
	wait $asking
	got=$?
	[ $got -eq 3 ] || fail "status of a daemon that hangs ends with $got"
	mv "$work/hung.err" "$work/err"
	expect_sentence "does not answer within"
}

set_up() {
	bounded "$admin" lab up --quiet >"$work/lab" || { fail "lab up"; exit 1; }
	lab=$(cat "$work/lab")
	"$admin" --version | sed 's/.* //; s/\./\\./g' >"$work/VERSION.test"
	cd "$work" || exit 99
	host_pid=$(lab_pid host) dpu_pid=$(lab_pid dpu)
	mkdir dma sync
	truncate -s 3M big
	start host "$build/examples/dma_host" --file big --dir dma --timeout 300
	dma_pid=$last
	wait_until "two exports" counts host "1 client, 2 exports"
	start host "$build/examples/sync_host" --dir sync --timeout 300
	sync_pid=$last
	wait_until "a sync event" test -n "$(wait_for_event)"
	start dpu "$build/examples/comch_echo_server" --name echo --timeout 300
	server_pid=$last
	wait_until "a server" counts dpu "1 client, 0 exports, 0 imports, 1 service"
	start host "$build/examples/comch_echo_client" --name echo --messages 1000000000 --timeout 300
	client_pid=$last
	wait_until "a channel" established
	kill -STOP $dma_pid $sync_pid $server_pid $client_pid
}

wait_for_event() {
	while ! on host events 2>/dev/null | grep -q sync-; do
		sleep 0.05
	done
	echo yes
}

test_goldens() {
	for side in host dpu; do
		for noun in status topology devices representors clients exports imports services channels \
			counters events peers; do
			compare "$noun-$side" on $side $noun
		done
	done
	for noun in status clients exports channels counters events peers topology; do
		compare "$noun-host-json" on host $noun --json
	done
	for noun in representors services; do
		compare "$noun-dpu-json" on dpu $noun --json
	done
	compare devices-json on host devices --json --name pf0
	compare topology-ascii on dpu topology --ascii
	compare device-show on host devices show pf0
	compare client-show on host clients show 1
	compare channel-show-json on host channels show "$(first_id host channels)" --json
	compare top on host top
	compare top-json on host top --json
	compare decode on host decode dma/data.desc
	compare decode-both "$admin" decode dma/data.desc --dir "$lab"
	compare decode-json "$admin" decode dma/answer.desc --dir "$lab" --json
	compare decode-text "$admin" decode text.desc --dir "$lab"
	compare explain-code "$admin" explain 18
	compare explain-name "$admin" explain again
	compare explain-function "$admin" explain doca_dma_create
	compare explain-one "$admin" explain DOCA_ERROR_NO_MEMORY doca_dma_create
	compare explain-json "$admin" explain no_memory doca_dma_create --json
	compare explain-text "$admin" explain "device 'pf7' (id 3) is not in the topology of side host"
	# A sentence from a table of possible errors.
	bounded "$admin" explain "the data does not fit behind" >out 2>&1
	grep -q "^DOCA_ERROR_INVALID_VALUE" out || fail "explain of a sentence from a table"
	test_explained
	compare help "$admin" --help
}

# explained CODE TEXT...: checks that the explanation of the text is that of this code.
explained() {
	code=$1
	shift
	bounded "$admin" explain "$@" >out 2>&1
	grep -q "^$code (" out || fail "explain $*: not $code, but $(cat out)"
}

# The code is the one that the program received, in every version of the interface.
test_explained() {
	# A code in the line selects one of several.
	sentence="dma memcpy: the data does not fit behind the destination's data; doca_buf_reset_data_len makes room in a used buffer"
	explained DOCA_ERROR_IO_FAILED "$sentence (10 bytes, room for 5)"
	explained DOCA_ERROR_INVALID_VALUE "$sentence (10 bytes, room for 5)"
	explained DOCA_ERROR_IO_FAILED "12:13:14.15 [DOCOCORE] $sentence (10 bytes, room for 5) (DOCA_ERROR_IO_FAILED)"
	! grep -q DOCA_ERROR_INVALID_VALUE out || fail "explain of a line with its code: $(cat out)"
	# Sentences in the wording of 2.2, 1.3 and 2.5.
	explained DOCA_ERROR_IO_FAILED "more bytes than the device copies in a job; see doca_dma_get_max_buf_size"
	explained DOCA_ERROR_IO_FAILED "dma memcpy: more bytes than the device copies in a job"
	explained DOCA_ERROR_NOT_SUPPORTED 'comm channel support: device p0 does not support it, clients run on the host side; key comch_client of the device in the topology allows it'
	explained DOCA_ERROR_CONNECTION_RESET 'cc client "x": the connection to the server broke (connection reset by peer); the client stops'
	# One of two codes, depending on the version of the object.
	sentence="buf inventory destroy: 2 of 3 buffers are still in use; release them with doca_buf_dec_refcount"
	explained DOCA_ERROR_IN_USE "$sentence"
	explained DOCA_ERROR_NOT_PERMITTED "$sentence"
	# If the source does not state the code, the one in the line is used.
	explained DOCA_ERROR_NO_MEMORY "pe create: no eventfd (error 24); raise RLIMIT_NOFILE (DOCA_ERROR_NO_MEMORY)"
	bounded "$admin" explain "pe create: no eventfd (error 24); raise RLIMIT_NOFILE" >out 2>&1
	grep -q "depends on the reason" out || fail "explain of a code that the source does not state: $(cat out)"

	# The example of the manual page: the meaning for this function, and nothing about others.
	bounded "$admin" explain 18 doca_mmap_start >out 2>&1
	grep -q "created by doca_mmap_create() of 1.3 or 1.5" out && grep -q "since 2.0" out &&
		! grep -q "stopping twice" out || fail "explain 18 doca_mmap_start: $(cat out)"

	# A failing program, as its user sees it.
	DOCOCORED_SOCKET=$work/none DOCOCORED_LOG=error bounded "$build/examples/dma_local" >/dev/null 2>failed
	line=$(grep '(DOCA_ERROR_[A-Z_]*)$' failed | head -n 1)
	code=$(echo "$line" | sed 's/.*(\(DOCA_ERROR_[A-Z_]*\))$/\1/')
	[ -n "$code" ] || fail "a program without a daemon: $(cat failed)"
	explained "$code" "$line"
}

test_filters() {
	for filter in "--pid $sync_pid" "--uid $(id -u) --name sync_*" "--name sync_host"; do
		on host clients $filter --json >out
		[ "$(grep -c '"pid"' out)" -eq 1 ] && grep -q "\"pid\": $sync_pid" out || fail "clients $filter"
	done
	[ "$(on host exports --pid "$dma_pid" --json | grep -c '"pid"')" -eq 2 ] || fail "exports --pid"
	[ "$(on host clients --device pf0 --json | grep -c '"library"')" -eq 3 ] || fail "clients --device pf0"
	[ "$(on host clients --device pf1)" = "no clients are connected (that the filter lets through)" ] ||
		fail "clients --device pf1"
}

# Tests --sort, --limit and --count of a list, as text and as JSON.
test_lists() {
	[ "$(on host exports --count)" = 3 ] || fail "exports --count"
	[ "$(on host exports --count --pid "$dma_pid")" = 2 ] || fail "exports --count --pid"
	[ "$(on host exports --count --pid 1)" = 0 ] || fail "exports --count of none"
	[ "$(on host exports --sort len | awk 'NR > 1 { print $5 }' | tr '\n' ' ')" = "sync-pci pci pci " ] ||
		fail "exports --sort len"
	# A field may be spelled like the D-Bus property or like the record; in both cases its
	# column has values.
	[ "$(on host exports --sort Len)" = "$(on host exports --sort len)" ] || fail "exports --sort Len"
	[ "$(on host exports --sort -Len --json)" = "$(on host exports --sort -len --json)" ] ||
		fail "exports --sort -Len --json"
	[ "$(on host exports --sort -len --json | sed -n 's/^ *"len": \([0-9]*\),/\1/p' | tr '\n' ' ')" = "3145728 328 8 " ] ||
		fail "exports --sort -len --json"
	[ "$(on host exports --sort created_at_ns --limit 2 | wc -l)" -eq 3 ] || fail "exports --limit"
	[ "$(on host exports --limit 1 --json | grep -c '"id"')" -eq 1 ] || fail "exports --limit --json"
	[ "$(on host exports --sort -created_at_ns --limit 1 --json | grep -c '"sync-pci"')" -eq 1 ] ||
		fail "exports --sort -created_at_ns"
	[ "$(on host exports --pid 1 --json | tr -d ' \n')" = "[]" ] || fail "exports of none --json"
	expect_status 1 on host exports --sort permissions
	expect_sentence "no field 'permissions' by which"
	expect_status 2 on host exports --limit 0
	expect_status 2 on host exports show 1 --sort len
	expect_status 2 on host top --sort len
}

test_unknown() {
	for what in "exports revoke 12" "exports show 12" "channels disconnect 999" "clients drop 999" \
		"clients show nobody" "caps pf9" "devices show 0" "events revoke 3"; do
		expect_status 5 on host $what
		expect_sentence "there is no"
	done
	expect_status 2 on host exports revoke x
	expect_sentence "no id"
}

test_decode() {
	expect_status 1 on host decode "$work/VERSION.test"
	expect_sentence "is no descriptor"
	expect_status 1 on host decode "$work/none"
	expect_sentence "No such file"
	cp dma/data.desc damaged
	# Some of the bytes are random: the replacement must differ from the old value.
	byte=$(od -An -tu1 -j20 -N1 damaged)
	printf "\\$(printf %03o $((byte ^ 255)))" | dd of=damaged bs=1 seek=20 conv=notrunc 2>/dev/null
	expect_status 1 on host decode damaged
	expect_sentence "checksum"
	on host decode - <dma/data.desc >out || fail "decode -"
	grep -q "^alive  *yes" out || fail "decode - does not say that it is alive"
	# The secret is 16 bytes at offset 56.
	secret=$(od -An -tx1 -j56 -N16 dma/data.desc | tr -d ' \n')
	"$admin" decode dma/data.desc --dir "$lab" --json | grep -q "$secret" && fail "decode shows the secret"
	# Any damage is refused or reported, and nothing else is printed.
	i=0
	while [ $i -lt 40 ]; do
		head -c $((i * 3)) /dev/urandom >noise
		[ $((i % 2)) -eq 0 ] || { head -c $((i * 2)) dma/data.desc; cat noise; } >noise2
		[ $((i % 4)) -ne 3 ] || { printf '{"dococ": "'; od -An -tx1 noise | tr -d ' \n'; printf '"}'; } >noise2
		[ -f noise2 ] || cp noise noise2
		bounded "$admin" decode noise2 --dir "$lab" --side host >out 2>&1
		got=$?
		[ $got -eq 1 ] || [ $got -eq 0 ] || fail "decode of random bytes ends with $got"
		rm -f noise2
		i=$((i + 1))
	done
	expect_status 0 on host status
}

# Without a daemon, the contents of a descriptor are decoded in the same way as by a daemon.
test_decode_offline() {
	on host decode dma/data.desc --json | sed -n '/"valid"/,/\]/p' >online
	[ "$(wc -l <online)" -gt 8 ] || fail "the daemon reports too little about a descriptor"
	expect_status 3 "$admin" decode dma/data.desc --json --socket "$work/no.bus"
	grep -q "no daemon answers" "$work/err" || fail "decode does not say that no daemon answers"
	grep -q '"alive": "unknown"' "$work/out" || fail "decode without a daemon does not report alive as unknown"
	sed -n '/"valid"/,/\]/p' "$work/out" | diff online - || fail "decode without a daemon prints other contents"
	secret=$(od -An -tx1 -j56 -N16 dma/data.desc | tr -d ' \n')
	grep -q "$secret" "$work/out" && fail "decode shows the secret"
	expect_status 1 "$admin" decode damaged --socket "$work/no.bus"
	expect_sentence "checksum"
	# Connection details from doca_rdma_export on a real device.
	for byte in $(echo 444f4352010120007665726273000000000000000000000056510103000001020003040500001010fe80000000000000000000fffe00000197f87827 | sed 's/../& /g'); do
		printf "\\$(printf %03o "0x$byte")"
	done >qp.desc
	for where in "--dir $lab" "--socket $work/no.bus"; do
		"$admin" decode qp.desc $where 2>/dev/null | tr -s ' ' >out
		for line in "type rdma-connection" "provider verbs" "qp_number 258" "gid fe80::ff:fe00:1" \
			"path_mtu 1024" "alive unknown"; do
			grep -qx "$line" out || fail "decode of connection details $where: no '$line'"
		done
	done
}

is_gone() {
	! on "$1" "$2" show "$3" >/dev/null 2>&1
}

test_changes() {
	: >watching
	bounded "$admin" monitor --dir "$lab" --side host --json >events 2>watching &
	monitor=$!
	wait_until "monitor watches" grep -q watching watching
	id=$(first_id host exports --pid "$dma_pid")
	expect_status 0 on host exports revoke "$id"
	grep -q "^$id revoked$" "$work/out" || fail "revoke does not confirm the revocation"
	expect_status 5 on host exports revoke "$id"
	grep -q . dma/data.desc && "$admin" decode dma/data.desc --dir "$lab" | grep -q "^alive  *no" ||
		fail "a revoked export is still alive"
	channel=$(first_id host channels)
	other=$(first_id dpu channels)
	expect_status 0 on host channels disconnect "$channel"
	wait_until "the other end goes" is_gone dpu channels "$other"
	expect_status 0 on host clients drop 1
	wait_until "the client goes" is_gone host clients 1
	event=$(first_id host events)
	expect_status 0 on host events revoke "$event"
	for line in "\"removed\",\"kind\":\"export\",\"id\":$id" "\"removed\",\"kind\":\"channel\",\"id\":$channel," \
		'"removed","kind":"client","id":1,' "\"removed\",\"kind\":\"event\",\"id\":$event"; do
		wait_until "the event $line" grep -q "$line" events
	done
	kill $monitor
	wait $monitor 2>/dev/null
	expect_status 0 on host log-level debug
	on host status | grep -q "^log_level  *debug" || fail "log-level"
	expect_status 2 on host log-level
	expect_status 1 on host log-level loud
	expect_sentence "no log level"
	expect_status 0 on host reload
}

# Tests who may inspect and who may change; with numeric ids, so that no group is needed.
test_rights() {
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null ||
		{ echo "not root: other users were not tested"; return; }
	cp "$admin" "$work/admin"
	chmod 0755 "$work" "$XDG_RUNTIME_DIR" "$lab"
	as="setpriv --reuid=65534 --regid=65534 --clear-groups $work/admin"
	expect_status 4 $as status --socket "$lab/host.bus"
	expect_sentence "may not look"
	expect_status 4 $as exports revoke 1 --socket "$lab/host.bus"
	expect_sentence "may not"
	expect_status 4 $as top --socket "$lab/host.bus"
	expect_status 4 $as topology --socket "$lab/host.bus"
	expect_status 4 $as monitor --socket "$lab/host.bus"
	expect_status 4 $as decode "$work/dma/data.desc" --socket "$lab/host.bus"
	expect_status 0 $as explain 5
}

test_daemon_ends() {
	: >watching
	bounded "$admin" monitor --dir "$lab" --side host >events 2>watching &
	monitor=$!
	wait_until "monitor watches" grep -q watching watching
	kill -9 "$host_pid"
	wait $monitor
	got=$?
	[ $got -eq 3 ] || fail "monitor ends with $got when the daemon does"
	grep -q "the daemon ended" watching || fail "monitor does not say that the daemon ended"
	expect_status 3 on host status
}

build=$PWD
# The files belong to root.
as_root=
[ "$(id -u)" -eq 0 ] || as_root="-e s/\\b$(id -u)\\b/0/g -e s/\\b$(id -g)\\b/0/g"
start_hung
test_unknown_command
test_nothing_there
set_up
hex=$(od -An -v -tx1 dma/data.desc | tr -d ' \n')
printf '{"addr": 1, "len": 2, "dococ": "%s"}\000' "$hex" >text.desc
test_goldens
test_filters
test_lists
test_unknown
test_decode
test_decode_offline
test_rights
test_changes
test_daemon_ends
test_hung
if [ $failures -eq 0 ]; then
	echo "doca-admin: passed"
else
	echo "$failures failures"
	cat "$work/programs"
fi
[ $failures -eq 0 ]
