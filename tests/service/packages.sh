#!/usr/bin/env bash
# The Debian packages in a fresh system of a Debian release: builds them in one root, installs them in
# another that has nothing else, boots it, and runs debian/tests there. Run by hand, as root:
#
#   tests/service/packages.sh ARCHIVE.orig.tar.xz RELEASE [DIR]
#
# ARCHIVE comes from './bootstrap.sh package'. RELEASE is bookworm or trixie, for example. The packages
# are left in DIR; if it has packages already, those are taken and none are built. Needs debootstrap and
# access to a mirror of Debian.
set -u

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/service/container.sh
. "$source_dir/tests/service/container.sh"
time_limit=120
container_size=4g

[[ $# -ge 2 ]] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
archive=$(readlink -f "$1") release=$2 out=${3:-}
[[ -s $archive ]] || { echo "error: there is no archive $1"; exit 2; }
container_require
command -v debootstrap >/dev/null || container_skip "debootstrap is not installed"

work=$(mktemp -d /tmp/doco-packages-test-XXXXXX) || exit 99
failures=0

finish() {
	local status=$?

	container_end
	umount "$work/build/root" "$work/build/layer" 2>/dev/null
	rm -rf "$work"
	exit "$status"
}
trap finish EXIT
trap 'exit 99' INT TERM HUP

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# quietly COMMAND...: prints the end of the output if the command fails.
quietly() {
	"$@" >"$work/log" 2>&1 </dev/null || { tail -n 40 "$work/log"; return 1; }
}

in_root() {
	local root=$1
	shift
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@"
}

apt_get() {
	local root=$1
	shift
	in_root "$root" apt-get -y -qq --no-install-recommends "$@"
}

# Builds in a root of its own, so that what the build needs cannot hide a missing dependency.
build() {
	local root=$work/build/root

	mkdir -p "$work/build/layer" "$root"
	mount -t tmpfs -o size=6g tmpfs "$work/build/layer" &&
		mkdir "$work/build/layer/upper" "$work/build/layer/work" &&
		mount -t overlay overlay \
			-o "lowerdir=$work/base,upperdir=$work/build/layer/upper,workdir=$work/build/layer/work" \
			"$root" || return 1
	mkdir "$root/src" && tar -C "$root/src" -xf "$archive" && cp "$archive" "$root/src/" || return 1
	apt_get "$root" install build-essential || return 1
	in_root "$root" sh -c 'cd /src/dococore-* && apt-get -y -qq --no-install-recommends build-dep ./ &&
		dpkg-buildpackage --no-sign --build=binary' || return 1
	mkdir "$work/debs" && cp "$root"/src/*.deb "$work/debs/" || return 1
	umount "$root" "$work/build/layer"
}

install() {
	cp -r "$work/debs" "$container_root/debs"
	tar -C "$container_root" --strip-components=1 --wildcards -xf "$archive" '*/debian/tests'
	# dpkg leaves out documentation where its configuration says so, as in containers.
	apt_get "$container_root" install gcc libc6-dev pkg-config procps dbus || return 1
	in_root "$container_root" sh -c 'apt-get -y -qq --no-install-recommends install /debs/*.deb'
}

is_new_pid() {
	local pid

	pid=$(inside systemctl show --value -p MainPID "$1")
	[[ $pid -gt 0 && $pid != "$2" && $(inside systemctl is-active "$1") == active ]]
}

# A program of each side that exchanges messages all the time, while the packages are installed again.
upgrade_under_load() {
	local examples=/usr/share/doc/dococore-doc/examples load pid
	local build="gcc -std=gnu11 -O2 -DDOCA_ALLOW_EXPERIMENTAL_API -I$examples"

	inside systemctl -q disable --now dococored.service dococored.socket
	inside systemctl start dococored@host dococored@dpu || { fail "dococored@host, @dpu: start"; return; }
	for name in server client; do
		inside sh -c "cd /tmp && $build $examples/comch_echo_$name.c $examples/common.c -o echo_$name \
			\$(pkg-config --cflags --libs doca-common doca-comch doca-dma doca-argp)" ||
			{ fail "comch_echo_$name is not built"; return; }
	done
	pid=$(inside systemctl show --value -p MainPID dococored@host)
	inside env DOCA_SIDE=dpu /tmp/echo_server --timeout 100 >"$work/server" 2>&1 &
	load=$!
	until grep -q serving "$work/server"; do
		kill -0 $load 2>/dev/null || { fail "the server does not start"; return; }
		sleep 0.1
	done
	inside env DOCA_SIDE=host /tmp/echo_client --timeout 90 --messages 5000000 >"$work/client" 2>&1 &
	load="$load $!"
	sleep 2
	inside sh -c 'dpkg --install /debs/*.deb' >"$work/log" 2>&1 || { fail "dpkg --install"; tail "$work/log"; }
	is_new_pid dococored@host "$pid" || fail "dococored@host was not restarted by the upgrade"
	# shellcheck disable=SC2086
	wait $load || fail "a program ended with an error during the upgrade"
	tail -n 2 "$work/client" "$work/server"
	inside journalctl --no-pager -q -u 'dococored@*' | tail -n 30
}

quietly debootstrap --variant=minbase --include=systemd-sysv,dbus "$release" "$work/base" ||
	{ echo "error: no root of $release"; exit 99; }
if [[ -n $out && -n $(find "$out" -name '*.deb' -print -quit 2>/dev/null) ]]; then
	cp -r "$out" "$work/debs"
else
	echo "--- build"
	quietly build || { echo "FAIL: the packages are not built"; exit 1; }
	[[ -z $out ]] || { mkdir -p "$out" && cp "$work"/debs/*.deb "$out/"; }
fi
(cd "$work/debs" && ls -- *.deb)
echo "--- install"
mkdir "$work/system"
container_prepare "$work/system" "$work/base"
quietly install || { echo "FAIL: apt-get install"; exit 1; }
container_boot
echo "--- start"
inside systemctl start dococored || fail "systemctl start dococored"
inside doca-admin status | head -n 12 || fail "doca-admin status"
echo "--- metrics"
inside systemctl start dococored-metrics.socket || fail "systemctl start dococored-metrics.socket"
# shellcheck disable=SC2016
inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/9469; printf "GET /metrics HTTP/1.0\r\n\r\n" >&3; cat <&3' \
	>"$work/metrics"
grep '^dococore_daemon_info{side="host"' "$work/metrics" || { fail "no metrics"; head "$work/metrics"; }
for test in first-program old-program; do
	echo "--- $test"
	inside sh "/debian/tests/$test" || fail "$test"
done
echo "--- upgrade under load"
upgrade_under_load
echo "--- remove"
inside sh -c 'apt-get -y -qq purge dococored doca-admin libdococlient0' >"$work/log" 2>&1 ||
	{ fail "purge"; tail "$work/log"; }
[[ -z $(inside sh -c 'systemctl list-units --plain --no-legend "dococored*"') ]] ||
	fail "units are left after the purge"
echo "$release: $failures failed"
[[ $failures -eq 0 ]]
