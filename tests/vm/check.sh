#!/usr/bin/env bash
# make check-vm: starts virtual machines with soft-RoCE, and runs programs of this build in them. First one machine, in
# parallel one with systemd, then two connected ones. Needs neither KVM nor privileges: the processor is emulated, and the
# guests use the file system of this machine over 9p, read-only.
#
#   check.sh BUILD-DIR [one] [service] [two]      from the build directory; default: all three
#   check.sh BUILD-DIR bench            no test: measures the speed, ours and that of perftest, and between machines
#
# VM_ONLY=PATTERN: runs only tests with matching names, and the set-up; for work on one test. VM_BULK=BYTES: the amount that
# verbs-bulk transfers. Default 64 MiB, or two gigabytes with CI=true, at most 256 MiB of them within one machine.
# VM_BULK_LIMIT and VM_DEADLINE: seconds for that test, and for a machine.
#
# Leaves BUILD-DIR/tests/vm/results: logs, and results in automake's format. Exit status 77, with the reason in the last line:
# this machine lacks something; with CI=true that is a failure.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:?usage: check.sh BUILD-DIR [one] [two]}" && pwd)
shift
[[ $# -gt 0 ]] || set -- one service two
top=$(cd "$here/../.." && pwd)
results=$build/tests/vm/results
# Seconds for all tests of one machine, or of one pair; many times the duration without load.
limit=${VM_DEADLINE:-600}
work='' pids=() running=() more=''
bulk=${VM_BULK:-} bulk_limit=${VM_BULK_LIMIT:-}
if [[ -z $bulk && (${CI:-} == true || ${CI:-} == 1) ]]; then
	bulk=$((2 << 30)) bulk_limit=${bulk_limit:-400} limit=${VM_DEADLINE:-800}
fi

end_machines() {
	local pid

	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	for pid in "${pids[@]}"; do
		wait "$pid" 2>/dev/null || true
	done
	pids=()
}

cleanup() {
	end_machines
	[[ -z $work ]] || rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# record NAME RESULT TEXT: the result of the machine itself.
record() {
	mkdir -p "$(dirname "$results/$1")"
	printf '%s\n' "$3" >>"$results/$1.log"
	printf ':test-result: %s\n:global-test-result: %s\n' "$2" "$2" >"$results/$1.trs"
}

skip_without() {
	record means SKIP "$*"
	echo "skipped: $*"
	if [[ ${CI:-} == true || ${CI:-} == 1 ]]; then
		exit 1
	fi
	exit 77
}

# The commands of doc/two-machines.md. They would be much slower in a guest.
certificates() (
	mkdir -p "$results/pki" && cd "$results/pki" || return
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
		-keyout ca.key -out ca.pem -subj "/CN=dococored CA" \
		-addext "basicConstraints=critical,CA:TRUE" \
		-addext "keyUsage=critical,keyCertSign,cRLSign" || return
	for name in host.example dpu.example; do
		openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
			-keyout "$name.key" -out "$name.csr" -subj "/CN=$name" || return
		printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$name" >"$name.ext"
		openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 \
			-extfile "$name.ext" -out "$name.pem" || return
	done
)

# start NAME SCRIPT ROLE [QEMU-OPTION...]
start() {
	local name=$1 script=$2 role=$3
	shift 3

	mkdir -p "$results/$name"
	timeout --kill-after=10 "$limit" qemu-system-x86_64 -nodefaults -no-user-config -display none \
		-machine q35 -accel tcg,thread=multi -cpu max -smp 2 -m 1024 -no-reboot \
		-serial "file:$results/$name/console" -device virtio-rng-pci \
		-kernel "$build/tests/vm/image/vmlinuz" -initrd "$build/tests/vm/image/initrd" \
		-virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
		-virtfs "local,path=$results,mount_tag=out,security_model=none" \
		-append "console=ttyS0 quiet panic=-1 no_timer_check random.trust_cpu=on doco.run=$here/$script doco.role=$role $more" \
		"$@" >"$results/$name/qemu.log" 2>&1 </dev/null &
	pids+=("$!") running+=("$name")
}

# Installs the build, and the unit that runs the test script.
service_tree() {
	local units=$work/tree/etc/systemd/system unit

	# shellcheck source=tests/service/install.sh
	. "$top/tests/service/install.sh"
	service_install "$build" "$work/stage" "$work/tree" && mkdir -p "$units" || return
	cat >"$units/doco-vm.service" <<-EOT
		[Unit]
		SuccessAction=poweroff-force
		FailureAction=poweroff-force
		[Service]
		Type=oneshot
		ExecStart=/bin/mkdir -p /run/out /run/tmp
		ExecStart=/bin/mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none out /run/out
		ExecStart=/bin/bash $here/service.sh
		Environment=VM_ROLE=service VM_OUT=/run/out TMPDIR=/run/tmp HOME=/root LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin
	EOT
	# Units that read all files of this machine, or wait for missing devices.
	for unit in systemd-{tmpfiles-setup,tmpfiles-setup-dev,journal-flush,binfmt,pstore,modules-load,sysctl} \
		systemd-{udevd,udev-trigger,update-utmp,timesyncd,random-seed,remount-fs,sysusers} ldconfig; do
		ln -sf /dev/null "$units/$unit.service"
	done
	for unit in modprobe@{configfs,dm_mod,drm,efi_pstore,fuse,loop}.service dev-{hugepages,mqueue}.mount \
		sys-kernel-{config,debug,tracing}.mount sys-fs-fuse-connections.mount; do
		ln -sf /dev/null "$units/$unit"
	done
	more="systemd.unit=doco-vm.service doco.stage=$work/tree systemd.show_status=no"
}

# await: waits for the running machines in the order of their start. A machine that did not finish
# is a failure.
await() {
	local i=0 name status

	for name in "${running[@]}"; do
		status=0
		wait "${pids[i]}" || status=$?
		i=$((i + 1))
		[[ ! -e $results/$name/done ]] || continue
		record "$name/machine" FAIL "FAIL: machine $name did not come to its end, status $status
$(tail -n 20 "$results/$name/qemu.log")
$(tail -n 40 "$results/$name/console" 2>/dev/null | tr -d '\r')"
	done
	pids=() running=()
}

rm -rf "$results"
mkdir -p "$results"
for program in qemu-system-x86_64 systemctl ip rdma ibv_rc_pingpong rping; do
	PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null ||
		skip_without "$program is not there; ./bootstrap.sh deps installs what is needed"
done
status=0
why=$(PATH=$PATH:/usr/sbin:/sbin bash "$here/image.sh" "$build/tests/vm/image") || status=$?
if [[ $status -eq 77 ]]; then
	skip_without "${why#skipped: }"
elif [[ $status -ne 0 ]]; then
	record image FAIL "FAIL: the image was not made: $why"
	exit 1
fi
printf 'top_srcdir=%q\ntop_builddir=%q\nrounds=%q\nVM_ONLY=%q\nVM_BULK=%q\nVM_BULK_LIMIT=%q\n' "$top" "$build" \
	"${VM_BENCH_ROUNDS:-7}" "${VM_ONLY:-}" "$bulk" \
	"$bulk_limit" \
	>"$results/environment"
work=$(mktemp -d "${TMPDIR:-/tmp}/doco-vm.XXXXXX")

for what in "$@"; do
	case $what in
	one)
		start one one.sh one
		# It waits most of the time, so the next one runs in parallel.
		[[ " $* " == *" service "* ]] || await
		;;
	bench)
		certificates >"$results/pki.log" 2>&1 || lacking "openssl: $(tail -n 3 "$results/pki.log")"
		limit=${VM_DEADLINE:-1200}
		start bench bench.sh bench
		await
		for log in rdma remote; do
			[[ ! -e $results/bench/$log.log ]] || cat "$results/bench/$log.log"
		done
		;;
	service)
		service_tree >"$results/service.log" 2>&1 || {
			record service/install FAIL "FAIL: $(tail -n 20 "$results/service.log")"
			exit 1
		}
		start service service.sh service
		await
		more=''
		;;
	two)
		certificates >"$results/pki.log" 2>&1 || {
			record two/certificates FAIL "FAIL: openssl: $(tail -n 3 "$results/pki.log")"
			exit 1
		}
		start two-a two.sh a -device virtio-net-pci,netdev=lan,mac=52:54:00:99:00:01 \
			-netdev "stream,id=lan,server=on,addr.type=unix,addr.path=$work/lan"
		for _ in {1..200}; do
			[[ ! -S $work/lan ]] || break
			sleep 0.05
		done
		start two-b two.sh b -device virtio-net-pci,netdev=lan,mac=52:54:00:99:00:02 \
			-netdev "stream,id=lan,server=off,addr.type=unix,addr.path=$work/lan"
		await
		;;
	*)
		echo "check.sh: unknown argument $what" >&2
		exit 2
		;;
	esac
done

read -r passed failed skipped < <(bash "$top/build-aux/test-count.sh" "$results")
bash "$top/build-aux/test-count.sh" --tails "$results"
echo "vm: $passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 && $passed -gt 0 ]]
