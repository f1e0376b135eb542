#!/bin/sh
# Simulates the network of two machines: two connected network namespaces, a daemon in each,
# certificates from the commands of doc/two-machines.md. The daemons are linked over IPv6 and IPv4,
# by address and by name; the connection is cut, which is detected only by a timeout, and restored.
# Exit status 77: skipped. Every wait has a time limit.
# shellcheck disable=SC2015,SC2317
set -u

admin=${DOCA_ADMIN:-$PWD/doca-admin}
daemon=${DOCOCORED:-$PWD/dococored}
page=${top_srcdir:?}/doc/two-machines.md
for program in "$admin" "$daemon"; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
command -v openssl >/dev/null || { echo "skipped: openssl is not installed"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "skipped: network namespaces need root"; exit 77; }
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET

host=doco-h-$$ dpu=doco-d-$$
ip netns add $host 2>/dev/null && ip netns add $dpu 2>/dev/null &&
	ip link add veth0 netns $host type veth peer name veth0 netns $dpu 2>/dev/null || {
	ip netns del $host 2>/dev/null
	ip netns del $dpu 2>/dev/null
	echo "skipped: network namespaces cannot be created here"
	exit 77
}
work=$(mktemp -d /tmp/doco-tls-netns-XXXXXX) || exit 99
patience=90
failures=0
host_pid='' dpu_pid=''

cleanup() {
	for pid in $host_pid $dpu_pid; do
		kill "$pid" 2>/dev/null && wait "$pid"
	done
	ip netns del $host
	ip netns del $dpu
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# wait_until WHAT COMMAND...: polls until the time limit.
wait_until() {
	what=$1
	shift
	end=$(($(date +%s) + patience))
	until "$@"; do
		[ "$(date +%s)" -lt $end ] || {
			fail "$what: not within $patience seconds"
			sed 's/^/    host: /' "$work/host.log"
			sed 's/^/    dpu: /' "$work/dpu.log"
			exit 1
		}
		sleep 0.05
	done
}

peers() {
	timeout -k 5 $patience "$admin" peers --dir "$work/$1" --side "$1" --json 2>/dev/null
}

is_linked() {
	peers "$1" | grep -q '"state": "linked"'
}

is_lost() {
	! is_linked "$1"
}

log_has() {
	grep -q -e "$2" "$work/$1.log"
}

# start SIDE NAMESPACE: starts the daemon with the hosts file of this test.
start() {
	cp "$work/hosts" "$work/hosts.$1"
	ip netns exec "$2" sh -c 'mount --bind "$1" /etc/hosts && shift && exec "$@"' sh \
		"$work/hosts.$1" "$daemon" --side "$1" --runtime-dir "$work/$1" --foreground \
		--config "$work/$1.conf" >>"$work/$1.log" 2>&1 &
}

# stop PID
stop() {
	kill "$1"
	wait "$1" || fail "a daemon ended with $?"
}

network() {
	for i in 1 2; do
		[ $i = 1 ] && ns=$host || ns=$dpu
		ip -n $ns link set lo up
		ip -n $ns addr add 10.77.0.$i/24 dev veth0
		ip -n $ns addr add fd77::$i/64 dev veth0 nodad
		ip -n $ns link set veth0 up
	done
	printf '127.0.0.1 localhost\n10.77.0.2 dpu.example\n' >"$work/hosts"
}

# Runs the first commands of the page, up to the installation of the files.
certificates() (
	cd "$work" || exit 1
	awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside && /^install/ { exit } inside' \
		"$page" >certificates.sh
	grep -c '^ *openssl' certificates.sh | grep -qx 3 || exit 1
	sh -e certificates.sh && chmod 0600 ./*.key
)

# configure_host ADDRESS
configure_host() {
	cat >"$work/host.conf" <<-EOT
	[tls]
	certificate = $work/host.example.pem
	key = $work/host.example.key
	ca = $work/ca.pem
	timeout_ms = 2000
	[peer dpu]
	address = tls:$1
	subject = dpu.example
	fingerprint = $(openssl x509 -in "$work/dpu.example.pem" -noout -fingerprint -sha256 | sed 's/.*=/sha256:/')
	EOT
}

configure_dpu() {
	cat >"$work/dpu.conf" <<-EOT
	[tls]
	listen = [::]:18515
	certificate = $work/dpu.example.pem
	key = $work/dpu.example.key
	ca = $work/ca.pem
	timeout_ms = 2000
	[peer host]
	subject = host.example
	EOT
}

network || { echo "skipped: the namespaces have no network"; exit 77; }
certificates >"$work/openssl.log" 2>&1 || { cat "$work/openssl.log"; fail "certificates"; exit 1; }
configure_dpu
: >"$work/host.log"
start dpu $dpu
dpu_pid=$!

# Links by every kind of address; the name is in the hosts file.
for address in '[fd77::2]:18515' 10.77.0.2:18515 dpu.example:18515; do
	configure_host "$address"
	start host $host
	host_pid=$!
	wait_until "linked to $address" is_linked host
	wait_until "the host at the DPU" is_linked dpu
	[ "$address" = dpu.example:18515 ] && break
	stop $host_pid
	host_pid=''
	wait_until "the host has gone" is_lost dpu
done
peers host | grep -q '"subject": "CN=dpu.example"' || fail "no subject: $(peers host)"
peers host | grep -q '"rtt_ns": [1-9]' || fail "no round trip time: $(peers host)"
peers dpu | grep -q '"address": "tls:.*10\.77\.0\.1' || fail "no address: $(peers dpu)"

# Cuts the connection: no packets are transferred, and neither end is notified.
ip -n $dpu link set veth0 down
wait_until "the host notices the silence" is_lost host
wait_until "the DPU notices the silence" is_lost dpu
log_has host 'lost the link to dpu: nothing was received from it for 2000 ms' || fail "the host does not log the reason"
log_has dpu 'lost the link to host: nothing was received from it for 2000 ms' || fail "the DPU does not log the reason"
wait_until "the host goes on trying" log_has host 'waiting for dpu'
ip -n $dpu link set veth0 up
wait_until "linked again" is_linked host
wait_until "linked again at the DPU" is_linked dpu

# Links by an unknown name, without a name server; nothing may block meanwhile.
stop $host_pid
configure_host nobody.invalid:18515
start host $host
host_pid=$!
wait_until "a name that is not found" log_has host \
	'the name of the machine is not found\|no answer about the name'
is_linked host && fail "the host is linked, although no daemon has this name"
stop $host_pid
host_pid=''
stop $dpu_pid
dpu_pid=''

[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
echo "two machines: passed"
