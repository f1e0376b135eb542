#!/usr/bin/env bash
# A container with a booted systemd and a copy-on-write view of this machine's root, for tests of the
# service (sourced). Nothing on this machine is changed, and nothing is left behind: the upper layer of
# the overlay is a tmpfs, the container has its own network, and its cgroups are below one of ours.
#
#   container_require        ends with 77 and the reason if it cannot work here
#   container_boot DIR       boots; before that, install into $container_root from container_prepare
#   inside COMMAND...        runs the command in the container, for at most $time_limit seconds

container_pid='' container_leader='' container_dir='' container_root='' container_cgroups=()
time_limit=${time_limit:-60}

container_skip() {
	echo "skipped: $*"
	exit 77
}

container_require() {
	local program

	[[ $(id -u) -eq 0 ]] || container_skip "a container with systemd needs root"
	for program in systemd-nspawn systemd-analyze nsenter timeout; do
		command -v "$program" >/dev/null || container_skip "$program is not installed"
	done
	[[ -d /sys/fs/cgroup ]] || container_skip "no cgroups are mounted"
}

# Makes a group for this test in each cgroup hierarchy that systemd would use.
container_make_cgroups() {
	local mount group

	for mount in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
		[[ -e $mount/cgroup.procs ]] || continue
		group=$mount/doco-service-test-$$
		mkdir "$group" 2>/dev/null && container_cgroups+=("$group")
	done
}

# container_prepare DIR [ROOT]: $container_root shows this machine's files, or those of ROOT, and can be
# changed. $container_size limits the changes.
container_prepare() {
	container_dir=$1
	container_root=$1/root
	mkdir "$1/layer" "$container_root" || return 1
	mount -t tmpfs -o "size=${container_size:-1g}" tmpfs "$1/layer" 2>/dev/null ||
		container_skip "a tmpfs cannot be mounted on this machine"
	mkdir "$1/layer/upper" "$1/layer/work"
	mount -t overlay overlay -o "lowerdir=${2:-/},upperdir=$1/layer/upper,workdir=$1/layer/work" \
		"$container_root" 2>/dev/null ||
		container_skip "an overlay cannot be mounted on this machine"
	container_make_cgroups
}

inside() {
	timeout -k 5 "$time_limit" nsenter -t "$container_leader" -m -p -n -i -u -- \
		env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/root SYSTEMD_PAGER= \
		LC_ALL=C.UTF-8 "$@" </dev/null
}

# container_boot: starts only basic.target, independent of this machine's default. Returns after the
# boot.
container_boot() {
	local end=$((SECONDS + time_limit)) nspawn=''

	(
		local group
		for group in "${container_cgroups[@]}"; do
			echo "$BASHPID" >"$group/cgroup.procs"
		done
		# The time limit of any test, in case this script ends early.
		exec env SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout -k 10 600 systemd-nspawn -q -b \
			--register=no --keep-unit --private-network --directory="$container_root" \
			--machine="doco-service-test-$$" -- systemd.unit=basic.target \
			systemd.journald.max_level_store=debug
	) </dev/null >"$container_dir/console" 2>&1 &
	container_pid=$!
	while ((SECONDS < end)); do
		nspawn=$(ps -o pid= --ppid "$container_pid" | head -n 1)
		container_leader=$([[ -z $nspawn ]] || ps -o pid= --ppid "${nspawn// /}" | head -n 1)
		container_leader=${container_leader// /}
		[[ -n $container_leader ]] &&
			[[ $(inside systemctl is-active basic.target 2>/dev/null) == active ]] && return 0
		kill -0 "$container_pid" 2>/dev/null || break
		sleep 0.1
	done
	tail -n 20 "$container_dir/console"
	container_skip "systemd does not boot in a container on this machine"
}

container_end() {
	local group

	if [[ -n $container_pid ]]; then
		[[ -z $container_leader ]] || kill -RTMIN+4 "$container_leader" 2>/dev/null
		for _ in {1..150}; do
			kill -0 "$container_pid" 2>/dev/null || break
			sleep 0.1
		done
		kill -TERM "$container_pid" 2>/dev/null
		wait "$container_pid" 2>/dev/null
	fi
	[[ -z $container_dir ]] || umount "$container_root" "$container_dir/layer" 2>/dev/null
	for group in "${container_cgroups[@]}"; do
		find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
	done
	container_pid='' container_leader='' container_cgroups=()
}
