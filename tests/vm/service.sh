#!/usr/bin/env bash
# The tests in one guest with systemd as its first process: the service with limits that a container
# does not have, with the system call filter of its own kernel and its own controllers.
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

lib=/usr/local/lib/doco-test

property() {
	systemctl show --value -p "$2" "$1"
}

is_property_like() {
	[[ $(property "$1" "$2") == *$3* ]]
}

# expect WHAT PATTERN TEXT
expect() {
	grep -Eq -- "$2" <<<"$3" || { echo "$1: no '$2' in: $3"; return 1; }
}

as_alice() {
	setpriv --reuid alice --regid alice --init-groups env LD_LIBRARY_PATH=/usr/local/lib "$@"
}

# Checks that the process has what the unit requests, even hard limits above those of a build
# machine.
started() {
	local pid limits

	# Only these files: processing the whole configuration would take long, because it covers
	# all files of this machine.
	systemd-sysusers dococored.conf doco-test.conf && systemd-tmpfiles --create dococored.conf &&
		 systemctl start dococored && until_true 60 is_property_like dococored StatusText 'side host: 0 clients' || return
	pid=$(property dococored MainPID)
	limits=$(cat "/proc/$pid/limits") && echo "$limits"
	expect LimitNOFILE 'Max open files +262144 +262144 ' "$limits" &&
		expect LimitMEMLOCK "Max locked memory +$((64 << 20)) +$((64 << 20)) " "$limits" &&
		expect "the operator's view" 'host' "$(doca-admin status 2>&1)"
}

# Runs inside of the sandbox: each of these must fail, for the expected reason.
# shellcheck disable=SC2016
sandboxed() {
	local said

	mkdir -p /run/systemd/system/dococored.service.d
	cat >/run/systemd/system/dococored.service.d/probe.conf <<-'EOT'
		[Service]
		ExecStartPre=/bin/bash -c 'exec 2>&1; ulimit -l; ulimit -n; touch /usr/probe; touch /etc/probe; \
			ls /home/; ls /dev/vport0p1 /dev/ttyS0; mount -t tmpfs x /tmp; unshare -U true; \
			ulimit -n 300000; ls -d /proc/1; echo x >/proc/sys/kernel/hostname; chroot / true; dmesg; true'
	EOT
	systemctl daemon-reload
	systemctl restart dococored || return
	said=$(journalctl -q -o cat -u dococored)
	rm -r /run/systemd/system/dococored.service.d
	systemctl daemon-reload
	echo "$said"
	expect "files of the system" "/usr/probe.*Read-only file system" "$said" &&
		expect "its configuration" "/etc/probe.*Read-only file system" "$said" &&
		expect "home directories" "/home/.*Permission denied" "$said" &&
		expect "devices" "/dev/ttyS0.*No such file" "$said" &&
		expect "mounts" "mount: .*(Operation not permitted|must be superuser|permission denied)" "$said" &&
		expect "name spaces" "unshare: .*Operation not permitted" "$said" &&
		expect "limits" "ulimit: open files.*Operation not permitted" "$said" &&
		expect "other processes" "/proc/1.*No such file" "$said" &&
		expect "the kernel's settings" "hostname.*(Read-only|Permission denied|No such file)" "$said" &&
		expect "another root" "chroot: .*Operation not permitted" "$said" &&
		expect "the kernel's log" "dmesg: .*Operation not permitted" "$said"
}

has_restarted() {
	[[ $(property "$1" NRestarts) -gt 0 ]]
}

# The kernel kills the daemon because of its memory use, the manager restarts it, and nothing is
# lost. Then it is killed, and the copy between the two sides is still correct.
bounded() {
	local host said

	systemctl stop dococored dococored.socket
	systemctl start dococored@host dococored@dpu || return
	until_true 60 is_property_like dococored@host StatusText '1 linked peer' || return
	install -d -o alice /run/doco-test
	as_alice env DOCOCORED_SOCKET=/run/dococored/host.sock DOCA_SIDE=host "$lib/dma_host" \
		--file /usr/bin/env --dir /run/doco-test --memory shm --timeout 60 >/run/tmp/host.log 2>&1 &
	host=$!
	until_true 60 is_property_like dococored@host StatusText '2 exports' || return
	systemctl set-property --runtime dococored@host.service MemoryMax=400K
	until_true 60 has_restarted dococored@host || return
	systemctl set-property --runtime dococored@host.service MemoryMax=infinity
	until_true 60 is_property_like dococored@host StatusText '2 exports' || return
	said=$(journalctl -q -o cat -u dococored@host)
	echo "$said"
	expect "the limit" "killed by the OOM killer|oom-kill" "$said" &&
		expect "what it had" 'resumed 1 client, 2 exports' "$said" || return
	systemctl kill -s KILL dococored@dpu
	until_true 60 is_property_like dococored@host StatusText '1 linked peer' || return
	said=$(as_alice env DOCOCORED_SOCKET=/run/dococored/dpu.sock DOCA_SIDE=dpu "$lib/dma_dpu" \
		--dir /run/doco-test --timeout 60 2>&1)
	wait "$host" || { cat /run/tmp/host.log; return 1; }
	expect "the copy" "OK sha256" "$said"
}

declare -fx property is_property_like expect as_alice has_restarted until_true started sandboxed bounded
export lib
run service/started 120 bash -c started
run service/sandboxed 120 bash -c sandboxed
run service/bounded 200 bash -c bounded
: >"$VM_OUT/service/done"
