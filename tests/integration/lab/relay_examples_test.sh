#!/bin/sh
# Runs the example programs that use message channels, the one that copies memory of the host by
# DMA, and those of the fast path, between two daemons that are linked over TLS like those of two
# machines. Also checks the output of doca-admin about them. Exit status 77: skipped. Every command
# has a time limit.
set -u

admin=${DOCA_ADMIN:-$PWD/doca-admin}
daemon=${DOCOCORED:-$PWD/dococored}
for program in "$admin" "$daemon" examples/comch_echo_server examples/comch_echo_client \
	examples/stream_host examples/stream_dpu examples/dma_host examples/dma_dpu; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
command -v openssl >/dev/null || { echo "skipped: no openssl command"; exit 77; }
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET

work=$(mktemp -d /tmp/doco-relay-XXXXXX) || exit 99
# An address that only this test uses.
address=127.$((128 + $$ / 65536 % 100)).$(($$ / 256 % 256)).$(($$ % 256))
patience=90
failures=0
host_pid='' dpu_pid=''

bounded() {
	timeout -k 5 $patience "$@"
}
cleanup() {
	for pid in $host_pid $dpu_pid; do
		kill "$pid" 2>/dev/null && wait "$pid"
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# expect TEXT FILE
expect() {
	grep -q -e "$1" "$2" || { fail "'$1' is not in:"; sed 's/^/    /' "$2"; }
}

# on SIDE PROGRAM ARGS...
on() {
	side=$1
	shift
	DOCOCORED_SOCKET=$work/$side/$side.sock bounded "$@"
}

# show SIDE NOUN
show() {
	bounded "$admin" "$2" --dir "$work/$1" --side "$1" 2>/dev/null
}

# wait_for TEXT SIDE NOUN
wait_for() {
	end=$(($(date +%s) + patience))
	until show "$2" "$3" | grep -q -e "$1"; do
		[ "$(date +%s)" -lt $end ] || {
			fail "'$1' is not among the $3 of $2"
			show "$2" "$3"
			sed "s/^/    /" "$work"/*.log
			exit 1
		}
		sleep 0.05
	done
}

certificates() (
	cd "$work" || exit 1
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
		-keyout ca.key -out ca.pem -subj "/CN=CA" \
		-addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign"
	for name in host dpu; do
		openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
			-keyout $name.key -out $name.csr -subj "/CN=$name"
		openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 \
			-out $name.pem
		chmod 0600 $name.key
	done
)

# start SIDE
start() {
	{
		printf '[tls]\ncertificate = %s\nkey = %s\nca = %s\n' "$work/$1.pem" "$work/$1.key" \
			"$work/ca.pem"
		cat "$work/$1.keys"
	} >"$work/$1.conf"
	"$daemon" --side "$1" --runtime-dir "$work/$1" --foreground --config "$work/$1.conf" \
		>"$work/$1.log" 2>&1 &
}

certificates >"$work/openssl" 2>&1 || { cat "$work/openssl"; fail "certificates"; exit 1; }
printf 'listen = %s:18515\n[peer host]\nsubject = host\n[daemon]\npeer_listen = none\n' "$address" \
	>"$work/dpu.keys"
printf '[peer dpu]\naddress = tls:%s:18515\nsubject = dpu\n' "$address" >"$work/host.keys"
start dpu
dpu_pid=$!
start host
host_pid=$!
wait_for linked host peers
wait_for linked dpu peers

for size in 1 64 4080 65536; do
	on dpu examples/comch_echo_server --name "echo$size" --clients 2 >"$work/server" 2>&1 &
	server=$!
	wait_for "echo$size" dpu services
	for client in 1 2; do
		on host examples/comch_echo_client --name "echo$size" --messages 300 --size $size \
			>"$work/client" 2>&1 || fail "comch_echo_client $client with $size bytes: $?"
		expect OK "$work/client"
	done
	wait $server || fail "comch_echo_server with $size bytes: $?"
	expect OK "$work/server"
done

# While a client is connected, both operators see how its messages are transported.
on dpu examples/comch_echo_server --name shown --clients 1 >"$work/server" 2>&1 &
server=$!
wait_for shown dpu services
# No shell runs in between, so that the program itself receives the signal.
DOCOCORED_SOCKET=$work/host/host.sock timeout -k 5 $patience examples/comch_echo_client \
	--name shown --messages 100000000 --size 64 >"$work/client" 2>&1 &
client=$!
wait_for 'shown .*established.* relay ' host channels
wait_for 'shown .*established.* relay ' dpu channels
kill $client
wait $client
wait $server || fail "a server whose client was killed: $?"

# Memory of any kind, copied through both daemons: there is no RDMA device.
head -c 3000001 /dev/urandom >"$work/file"
sum=$(sha256sum "$work/file" | cut -d' ' -f1)
for memory in malloc shm map; do
	mkdir "$work/$memory"
	on host examples/dma_host --dir "$work/$memory" --file "$work/file" --memory $memory \
		>"$work/host.out" 2>&1 &
	exporter=$!
	on dpu examples/dma_dpu --dir "$work/$memory" --chunk 65536 >"$work/dpu.out" 2>&1 ||
		fail "dma_dpu with $memory: $?"
	wait $exporter || fail "dma_host with $memory: $?"
	expect "OK sha256 $sum" "$work/host.out"
	expect "OK sha256 $sum" "$work/dpu.out"
	expect relay "$work/dpu.out"
done

# Producers and consumers.
on dpu examples/stream_dpu --name stream >"$work/dpu.out" 2>&1 &
server=$!
wait_for stream dpu services
on host examples/stream_host --name stream >"$work/host.out" 2>&1 || fail "stream_host: $?"
wait $server || fail "stream_dpu: $?"
expect 'OK 10000 messages of 64 bytes received' "$work/dpu.out"

for pid in $host_pid $dpu_pid; do
	kill "$pid"
	wait "$pid" || fail "a daemon ended with $?"
done
host_pid='' dpu_pid=''
[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
