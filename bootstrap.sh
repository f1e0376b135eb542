#!/usr/bin/env bash
# From a clone to a running system: installs missing packages, builds, runs the demo and the checks.
# All files it creates are in BUILD_DIR (default: build/ in this directory).
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build_dir=${BUILD_DIR:-$top/build}
[[ $build_dir == /* ]] || build_dir=$PWD/$build_dir
prefix=${PREFIX:-$build_dir/install}
jobs=${JOBS:-$(nproc)}
# Tests spend half of their time waiting for each other.
test_jobs=$((jobs + (jobs + 1) / 2))
# libtool runs a shell for each file that is compiled and linked; a smaller shell halves that time.
export CONFIG_SHELL=${CONFIG_SHELL:-/bin/sh}
in_ci=false
[[ ${CI:-} == true || ${CI:-} == 1 ]] && in_ci=true

bold='' red='' green='' plain=''
if [[ -t 1 && ${TERM:-dumb} != dumb && -z ${NO_COLOR:-} ]]; then
	bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
fi

usage() {
	cat <<-EOT
	usage: ./bootstrap.sh COMMAND

	  deps            install the packages that are missing (as root or with sudo; Debian, Ubuntu)
	  build           configure, build and install into PREFIX
	  package         build the Debian packages into BUILD_DIR/package
  demo [FILE]     start a host and a DPU side on this machine and copy FILE between them by DMA
	  check [--quick] build and run every test; --quick: without sanitizers, virtual
	                  machines and distcheck
	  help            this text

	Environment: BUILD_DIR (default ./build), PREFIX (default BUILD_DIR/install), JOBS (default:
	processors), CI=true (a skipped test counts as failed), FUZZ_SECONDS (time for each fuzz target,
	default 3).
	EOT
}

say() {
	printf '%s==> %s%s\n' "$bold" "$*" "$plain"
}

die() {
	printf '%serror:%s %s\n' "$red" "$plain" "$*" >&2
	exit 1
}

# ---- packages ------------------------------------------------------------------------------------

# Package, and how to detect it: a command, a pkg-config module and its version, or the package
# itself.
build_packages='
autoconf               cmd autoconf
automake               cmd automake
libtool                cmd libtoolize
make                   cmd make
gcc                    cmd gcc
g++                    cmd g++
pkg-config             cmd pkg-config
protobuf-c-compiler    cmd protoc-c
libevent-dev           pc  libevent_openssl 2.1
libprotobuf-c-dev      pc  libprotobuf-c 1.3
libibverbs-dev         pc  libibverbs    0
librdmacm-dev          pc  librdmacm     0
libsystemd-dev         pc  libsystemd    246
libssl-dev             pc  libssl        3.0
libjson-c-dev          pc  json-c        0.15
libinih-dev            pc  inih          0
libmnl-dev             pc  libmnl        1.0.4
zlib1g-dev             pc  zlib          1.2.11
libdeflate-dev         pc  libdeflate    1.10
liblz4-dev             pc  liblz4        1.9
libxxhash-dev          pc  libxxhash     0.8
libisal-dev            pc  libisal       2.30
check                  pc  check         0.12
'
# Packages that lint or single tests need. If one is missing, what needs it reports that and is
# skipped. The last packages are for the tests in virtual machines.
check_packages='
clang                  cmd clang++
doxygen                cmd doxygen
man-db                 cmd man
clang-format           cmd clang-format
shellcheck             cmd shellcheck
strace                 cmd strace
xz-utils               cmd xz
procps                 cmd ps
iproute2               cmd ip
openssl                cmd openssl
lz4                    cmd lz4
python3                cmd python3
python3-cffi           pkg python3-cffi
python3-cryptography-vectors pkg python3-cryptography-vectors
python3-prometheus-client pkg python3-prometheus-client
bindgen                cmd bindgen
rustc                  cmd rustc
git                    cmd git
cmake                  cmd cmake
meson                  cmd meson
ninja-build            cmd ninja
systemd                cmd busctl
qemu-system-x86        cmd qemu-system-x86_64
cpio                   cmd cpio
busybox-static         pkg busybox-static
kmod                   pkg kmod
iproute2               pkg iproute2
ibverbs-providers      pkg ibverbs-providers
ibverbs-utils          cmd ibv_rc_pingpong
rdmacm-utils           cmd rping
systemd-container      cmd systemd-nspawn
dbus                   cmd dbus-daemon
gdb                    cmd gdb
'

is_there() {
	local package=$1 kind=$2 name=$3 version=${4:-0}

	if [[ $kind == cmd ]]; then
		command -v "$name" >/dev/null
	elif [[ $kind == pc ]] && command -v pkg-config >/dev/null; then
		pkg-config --atleast-version="$version" "$name"
	else
		# One line for each architecture that the package is installed for.
		dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed
	fi
}

# Reads a table from stdin and prints the missing packages.
missing_of() {
	local package kind name version

	while read -r package kind name version; do
		[[ -n $package ]] || continue
		is_there "$package" "$kind" "$name" "$version" || echo "$package"
	done
}

# Runs a command as root, directly or with sudo. Fails if this user cannot become root.
as_root() {
	if [[ $EUID -eq 0 ]]; then
		env "$@"
	else
		sudo -n env "$@"
	fi
}

can_install() {
	command -v apt-get >/dev/null &&
		{ [[ $EUID -eq 0 ]] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }
}

apt_install() {
	local options=(-y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
	local log

	log=$(mktemp)
	# The existing package lists may be sufficient; fetch them only if they are not.
	if ! as_root DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" -qq install "$@" \
		</dev/null >"$log" 2>&1; then
		say "fetching the package lists"
		if ! as_root DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null >"$log" 2>&1 ||
			! as_root DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" -qq install "$@" \
				</dev/null >"$log" 2>&1; then
			tail -n 30 "$log" >&2
			rm -f "$log"
			die "apt-get could not install: $*"
		fi
	fi
	rm -f "$log"
}

# deps_ensure TABLE: installs the whole table, or ends the script.
deps_ensure() {
	local missing still

	mapfile -t missing < <(missing_of <<<"$1")
	[[ ${#missing[@]} -gt 0 ]] || return 0
	if ! command -v apt-get >/dev/null; then
		die "missing: ${missing[*]} (names of Debian packages). This system has no apt-get: install the same software with its own package manager, then run this again"
	fi
	if ! can_install; then
		die "missing packages: ${missing[*]}; as root run: apt-get install ${missing[*]}"
	fi
	say "installing ${missing[*]}"
	apt_install "${missing[@]}"
	mapfile -t still < <(missing_of <<<"$1")
	[[ ${#still[@]} -eq 0 ]] || die "installed but still not usable: ${still[*]}"
}

# In some distributions libFuzzer is a separate package that clang only recommends; elsewhere it is
# part of the clang package.
ensure_libfuzzer() {
	! apt-cache show libclang-rt-dev >/dev/null 2>&1 ||
		deps_ensure 'libclang-rt-dev pkg libclang-rt-dev'
}

cmd_deps() {
	deps_ensure "$build_packages$check_packages"
	ensure_libfuzzer
	echo "all packages are installed"
}

# ---- build ---------------------------------------------------------------------------------------

autoreconf_if_needed() {
	if [[ -x $top/configure && -f $top/Makefile.in ]] &&
		[[ -z $(find "$top" -path "$build_dir" -prune -o \( -name configure.ac -o \
			-name Makefile.am -o -name Makefile.include -o -name '*.m4' ! -name aclocal.m4 \) \
			-newer "$top/configure" -print -quit) ]]; then
		return 0
	fi
	(cd "$top" && autoreconf -fi)
}

# configure_in DIR ARGUMENT...: runs configure in DIR, unless it was run with the same arguments
# before.
configure_in() {
	local dir=$1
	shift
	mkdir -p "$dir"
	if [[ ! -f $dir/Makefile || ! -f $dir/.configured-with ||
		$(<"$dir/.configured-with") != "$*" ]]; then
		(cd "$dir" && exec "$top/configure" "$@")
		printf '%s\n' "$*" >"$dir/.configured-with"
	fi
}

build_all() {
	autoreconf_if_needed
	configure_in "$build_dir" "--prefix=$prefix"
	make -C "$build_dir" -j"$jobs"
	make -C "$build_dir" install
}

# quietly LOG COMMAND...: writes the output to the log, and prints its end on failure.
quietly() {
	local log=$1
	shift
	if ! "$@" >"$log" 2>&1 </dev/null; then
		tail -n 60 "$log" >&2
		return 1
	fi
}

cmd_build() {
	deps_ensure "$build_packages"
	mkdir -p "$build_dir"
	say "building in $build_dir"
	# A function that is called as a condition loses set -e, so the build is a process of its
	# own.
	quietly "$build_dir/build.log" "$BASH" "$top/bootstrap.sh" .build-steps ||
		die "the build failed; all of its output is in $build_dir/build.log"
	cat <<-EOT
	installed in $prefix
	for programs of the host side:  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	for programs of the DPU side:   export PKG_CONFIG_PATH=$prefix/lib/dococore/dpu/pkgconfig:$prefix/lib/pkgconfig
	for the shell:                  export PATH=$prefix/bin:$prefix/sbin:\$PATH
	EOT
}

# ---- packages of this system -----------------------------------------------------------------------

package_packages='
debhelper              cmd dh
dpkg-dev               cmd dpkg-buildpackage
doxygen                cmd doxygen
xz-utils               cmd xz
'

# Builds the Debian packages from the archive that a release has, in a directory of their own.
package_steps() {
	local dir=$build_dir/package name version

	autoreconf_if_needed
	configure_in "$build_dir" "--prefix=$prefix"
	rm -rf "$dir"
	mkdir -p "$dir"
	make -C "$build_dir" -j"$jobs" dist
	name=$(cd "$build_dir" && ls dococore-*.tar.xz)
	version=${name#dococore-} version=${version%.tar.xz}
	mv "$build_dir/$name" "$dir/dococore_$version.orig.tar.xz"
	tar -C "$dir" -xf "$dir/dococore_$version.orig.tar.xz"
	(cd "$dir/dococore-$version" && dpkg-buildpackage --no-sign --build=binary -j"$jobs")
}

cmd_package() {
	local dir=$build_dir/package

	command -v dpkg >/dev/null ||
		die "package builds the packages of Debian and Ubuntu, and dpkg is not here; ./bootstrap.sh build works without"
	deps_ensure "$build_packages$package_packages"
	mkdir -p "$build_dir"
	say "building packages in $dir"
	quietly "$build_dir/package.log" "$BASH" "$top/bootstrap.sh" .package-steps ||
		die "the packages were not built; all of the output is in $build_dir/package.log"
	(cd "$dir" && ls -- *.deb)
	echo "to install all of them, as root: apt install $dir/*.deb"
}

# ---- demo ----------------------------------------------------------------------------------------

demo_dir='' demo_lab='' demo_pids=()

demo_cleanup() {
	if [[ ${#demo_pids[@]} -gt 0 ]]; then
		kill "${demo_pids[@]}" 2>/dev/null || true
		wait "${demo_pids[@]}" 2>/dev/null || true
	fi
	[[ -z $demo_lab ]] || "$prefix/bin/doca-admin" lab down --dir "$demo_lab" >/dev/null 2>&1 || true
	[[ -z $demo_dir ]] || rm -rf "$demo_dir"
}

demo_failed() {
	local log

	for log in "$demo_dir"/*.log "$demo_lab"/*.log "$demo_lab"/*/*.log; do
		[[ -s $log ]] || continue
		printf -- '--- %s\n' "${log#"$demo_dir/"}" >&2
		tail -n 30 "$log" >&2
	done
	die "$1"
}

human_time() {
	awk -v us="$1" 'BEGIN { if (us < 10000) printf "%.1f us", us; else printf "%.1f ms", us / 1000 }'
}

# demo_row MEMORY FILE: runs one exchange with this kind of host memory and prints one row of the
# table.
demo_row() {
	local memory=$1 file=$2 lab=("$prefix/bin/doca-admin" lab exec --dir "$demo_lab" --side)
	local channel=$demo_dir/$memory host_log=$demo_dir/host-$memory.log dpu_log=$demo_dir/dpu-$memory.log
	local bytes transport time_us gb_per_s sum

	mkdir "$channel"
	timeout --foreground 120 "${lab[@]}" host -- "$build_dir/examples/dma_host" --file "$file" \
		--dir "$channel" --memory "$memory" --timeout 90 >"$host_log" 2>&1 </dev/null &
	demo_pids=("$!")
	timeout --foreground 120 "${lab[@]}" dpu -- "$build_dir/examples/dma_dpu" --dir "$channel" \
		--timeout 60 >"$dpu_log" 2>&1 </dev/null &
	demo_pids+=("$!")
	wait "${demo_pids[1]}" || demo_failed "the DPU program failed (memory: $memory)"
	wait "${demo_pids[0]}" || demo_failed "the host program failed (memory: $memory)"
	demo_pids=()

	read -r bytes transport time_us gb_per_s < <(awk '
		$1 == "copied" && $2 == "bytes" { print $3, $7, $9, $11 }' "$dpu_log")
	sum=$(sha256sum <"$file")
	# A third tool must compute the same result as both programs.
	grep -q "^OK sha256 ${sum%% *}\$" "$dpu_log" || demo_failed "the SHA-256 of the copy is wrong"
	grep -q "^OK sha256 ${sum%% *}\$" "$host_log" || demo_failed "the SHA-256 of the answer is wrong"
	printf '%-8s %12s  %-9s %12s  %8s  %s\n' "$memory" "$bytes" "$transport" "$(human_time "$time_us")" \
		"$gb_per_s" "host ok, dpu ok"
}

cmd_demo() {
	local file=${1:-} memory

	[[ -z $file || -r $file ]] || die "cannot read $file"
	[[ -z $file || -s $file ]] || die "$file has no bytes to copy"
	cmd_build
	if [[ -z $file ]]; then
		file=$(readlink -f "$prefix/lib/libdococlient.so")
	fi
	demo_dir=$(mktemp -d "${TMPDIR:-/tmp}/doca-demo.XXXXXX")
	trap demo_cleanup EXIT
	trap 'exit 130' INT TERM
	demo_lab=$demo_dir/lab
	say "starting a host side and a DPU side in $demo_lab"
	"$prefix/bin/doca-admin" lab up --dir "$demo_lab" >"$demo_dir/lab-up.log" 2>&1 </dev/null ||
		demo_failed "the lab did not start"
	say "the host exports $file, the DPU copies it by DMA and writes an answer into the host's memory"
	printf '%-8s %12s  %-9s %12s  %8s  %s\n' memory bytes transport time GB/s sha256
	for memory in malloc map shm; do
		demo_row "$memory" "$file"
	done
	grep -h '^answer: ' "$demo_dir/host-malloc.log"
	"$prefix/bin/doca-admin" lab down --dir "$demo_lab" >"$demo_dir/lab-down.log" 2>&1 </dev/null ||
		demo_failed "the lab did not stop"
	demo_lab=''
	echo "${green}done${plain}; try the same by hand: $prefix/bin/doca-admin lab up"
}

# ---- check ---------------------------------------------------------------------------------------

n_passed=0 n_failed=0 n_skipped=0
running='' watching='' ahead=''
beside='' beside_name='' beside_start=0
# The failures. They are repeated at the end, because earlier output may have scrolled away.
what_failed=''

# limited SECONDS COMMAND...: limits the time of the command and its children. It runs in a process
# group of its own, so interrupts must be forwarded.
limited() {
	timeout --kill-after=20 "$@" &
	running=$!
	wait "$running"
}

interrupted() {
	[[ -z $running ]] || kill "$running" 2>/dev/null || true
	[[ -z $beside ]] || kill "$beside" 2>/dev/null || true
	unwatch
	end_ahead
	exit 130
}

# start_ahead NAME...: starts to build these variants while the tests run, which use little
# processor time because they mostly wait. Its result does not matter and it may be stopped at any
# time: the stage of the variant repeats the same steps, most of which are already done by then.
start_ahead() {
	local idle=(chrt --idle 0)

	"${idle[@]}" true 2>/dev/null || idle=(nice -n 19)
	"${idle[@]}" timeout --kill-after=20 2400 "$BASH" "$top/bootstrap.sh" .variant-steps "$@" \
		>"$build_dir/check/ahead.log" 2>&1 </dev/null &
	ahead=$!
}

end_ahead() {
	[[ -n $ahead ]] || return 0
	# Ends the running commands; make removes files that are only half written.
	kill "$ahead" 2>/dev/null || true
	wait "$ahead" 2>/dev/null || true
	ahead=''
}

# watch SECONDS DIR FILE: after the time, writes the unfinished tests of DIR to FILE. This must
# happen before make is ended, because make then deletes the logs of running tests.
watch() {
	{
		sleeper=''
		trap '[[ -z $sleeper ]] || kill "$sleeper"; exit 0' TERM
		sleep "$1" &
		sleeper=$!
		wait "$sleeper"
		"$BASH" "$top/build-aux/test-count.sh" --unfinished "$2" >"$3.new" && mv "$3.new" "$3"
	} </dev/null >/dev/null 2>&1 &
	watching=$!
}

unwatch() {
	[[ -n $watching ]] || return 0
	kill "$watching" 2>/dev/null || true
	wait "$watching" 2>/dev/null || true
	watching=''
}

# note_failure NAME TEXT
note_failure() {
	what_failed+="$1: ${2:-failed}"$'\n'
}

# Prints the lines of a log that explain the failure, or else its last lines.
log_reason() {
	grep -aE 'error:|Error [0-9]|^FAIL|not ok|undefined reference|\*\*\* |: (size|layer|format|macro): |-Wclang-format' "$1" |
		head -n 6 | cut -c1-300 | grep . || tail -n 3 "$1" | cut -c1-300
}

# stage NAME SECONDS COMMAND...: runs one check, with its output in a log.
stage() {
	local name=$1 limit=$2 log=$build_dir/check/$1.log start=$SECONDS ok=true
	shift 2

	limited "$limit" "$@" >"$log" 2>&1 </dev/null || ok=false
	count_stage "$name" "$start" $ok
}

# start_beside NAME SECONDS COMMAND...: starts a stage that runs in parallel until it is awaited.
start_beside() {
	local limit=$2

	beside_name=$1 beside_start=$SECONDS
	shift 2
	timeout --kill-after=20 "$limit" "$@" >"$build_dir/check/$beside_name.log" 2>&1 </dev/null &
	beside=$!
}

await_beside() {
	local ok=true

	[[ -n $beside ]] || return 0
	wait "$beside" || ok=false
	beside=''
	count_stage "$beside_name" "$beside_start" $ok
}

# count_stage NAME START OK: counts the result; on failure prints the reason from the log.
count_stage() {
	local name=$1 start=$2 ok=$3 log=$build_dir/check/$1.log dir

	if $ok; then
		printf '%sok%s      %-16s %4d s\n' "$green" "$plain" "$name" $((SECONDS - start))
		n_passed=$((n_passed + 1))
		return 0
	fi
	printf '%sfailed%s  %-16s %4d s   %s\n' "$red" "$plain" "$name" $((SECONDS - start)) "$log"
	tail -n 60 "$log"
	n_failed=$((n_failed + 1))
	note_failure "$name" "$(log_reason "$log")"
	# If a distribution check failed, its tree has further results.
	for dir in "$build_dir"/check/*/*/_build/sub; do
		[[ -d $dir ]] || continue
		"$BASH" "$top/build-aux/test-count.sh" --tails "$dir"
		note_failure "$name" "$("$BASH" "$top/build-aux/test-count.sh" --failures "$dir")"
	done
	return 1
}

# tests NAME SECONDS DIR COMMAND...: runs make check in DIR and counts the results of the single
# tests.
tests() {
	local name=$1 limit=$2 dir=$3 log=$build_dir/check/$1.log start=$SECONDS ok=true
	local late=$build_dir/check/$1.unfinished
	shift 3

	rm -f "$late"
	watch "$limit" "$dir" "$late"
	limited "$((limit + 30))" "$@" make -C "$dir" -j"$test_jobs" check >"$log" 2>&1 </dev/null ||
		ok=false
	unwatch
	if [[ -e $late ]]; then
		echo "$name: not finished within $limit s"
		cat "$late"
		note_failure "$name" "not finished within $limit s: $(grep '^--- ' "$late")"
	fi
	count_tests "$name" "$dir" "$log" "$start" "$ok" "$([[ ! -e $late ]] || echo late)"
}

# vm_tests SECONDS DIR: runs the tests in virtual machines, with the programs of the build in DIR.
vm_tests() {
	local dir=$2/tests/vm/results log=$build_dir/check/vm-tests.log start=$SECONDS ok=true

	rm -rf "$dir"
	limited "$1" make -C "$2" -j"$jobs" check-vm >"$log" 2>&1 </dev/null || ok=false
	mkdir -p "$dir"
	count_tests vm-tests "$dir" "$log" "$start" "$ok" ''
}

# count_tests NAME DIR LOG START OK LATE: counts the results in DIR. OK: the result of make, true or
# false. LATE is not empty if the time limit was already reported.
count_tests() {
	local name=$1 dir=$2 log=$3 start=$4 ok=$5 late=$6 passed failed skipped word colour

	read -r passed failed skipped < <("$BASH" "$top/build-aux/test-count.sh" "$dir")
	if $in_ci; then
		failed=$((failed + skipped)) skipped=0
	fi
	# make may fail although no test did: a program that does not compile, or a time limit.
	if [[ -n $late ]]; then
		failed=$((failed + 1))
	elif ! $ok && [[ $failed -eq 0 ]]; then
		tail -n 60 "$log"
		note_failure "$name" "$(log_reason "$log")"
		failed=1
	fi
	if [[ $passed -eq 0 && $failed -eq 0 && $skipped -eq 0 ]]; then
		echo "no test ran"
		note_failure "$name" "no test ran"
		failed=1
	fi
	word=ok colour=$green
	[[ $failed -eq 0 ]] || word=failed colour=$red
	printf '%s%-6s%s  %-16s %4d s   %d passed, %d failed, %d skipped\n' "$colour" "$word" "$plain" \
		"$name" $((SECONDS - start)) "$passed" "$failed" "$skipped"
	"$BASH" "$top/build-aux/test-count.sh" --slowest "$dir"
	"$BASH" "$top/build-aux/test-count.sh" --tails "$dir"
	[[ $failed -eq 0 ]] ||
		note_failure "$name" "$("$BASH" "$top/build-aux/test-count.sh" --failures "$dir")"
	n_passed=$((n_passed + passed)) n_failed=$((n_failed + failed))
	n_skipped=$((n_skipped + skipped))
	[[ $failed -eq 0 ]]
}

# Removes the results of earlier runs, so that they are not counted again.
forget_results() {
	find "$1" -name '*.trs' 2>/dev/null | while IFS= read -r file; do
		rm -f "$file" "${file%.trs}.log"
	done
}

# variant NAME AHEAD BUILD-SECONDS TEST-SECONDS COMMAND...: makes a separate build and runs its
# tests with the command. AHEAD: the variants to start in the meantime, or `distcheck`: checks the
# distribution in parallel, because the tests of the last variant leave a third of the processors
# idle.
variant() {
	local name=$1 next=$2 build_limit=$3 test_limit=$4 dir=$build_dir/check/$1
	shift 4

	end_ahead
	stage "$name-build" "$build_limit" "$BASH" "$top/bootstrap.sh" .variant-steps "$name" || return 1
	# shellcheck disable=SC2086
	case $next in
	'') ;;
	distcheck) start_distcheck ;;
	*) start_ahead $next ;;
	esac
	forget_results "$dir"
	tests "$name-tests" "$test_limit" "$dir" "$@"
}

check_lint() {
	if command -v clang-format >/dev/null || $in_ci; then
		stage lint 300 sh "$top/build-aux/lint.sh" "$top"
	else
		echo "skipped lint: clang-format is not installed"
		n_skipped=$((n_skipped + 1))
	fi
}

# check_fuzz: runs each fuzz target with libFuzzer, from its stored corpus, for FUZZ_SECONDS
# (default 3).
check_fuzz() {
	local program='int LLVMFuzzerTestOneInput(const char *d, long n); int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }'

	if ! clang -fsanitize=fuzzer,address -x c - -o "$build_dir/check/fuzz-try" <<<"$program" 2>/dev/null; then
		echo "skipped fuzz: clang cannot link with libFuzzer"
		n_skipped=$((n_skipped + 1))
		! $in_ci || note_failure fuzz "clang cannot link with libFuzzer: install its runtime libraries"
		! $in_ci || n_failed=$((n_failed + 1))
		return 0
	fi
	stage fuzz 1500 make -C "$build_dir/check/plain" -j"$jobs" fuzz CC=clang \
		FUZZ_SECONDS="${FUZZ_SECONDS:-3}" FUZZ_JOBS="$jobs"
}

check_all() {
	local quick=$1 no_aslr=()

	check_lint || true
	stage autoreconf 300 "$BASH" "$top/bootstrap.sh" .autoreconf || return 0
	variant plain "$($quick || echo asan tsan)" 900 1500 env || true
	# Without a build, the remaining stages would only repeat the failure.
	[[ -f $build_dir/check/plain/client/libdococlient.la ]] || return 0
	! $quick || return 0
	vm_tests 1460 "$build_dir/check/plain" || true
	check_fuzz || true
	variant asan tsan 1200 2700 \
		env ASAN_OPTIONS="${ASAN_OPTIONS-detect_leaks=1:strict_string_checks=1}" \
		UBSAN_OPTIONS="${UBSAN_OPTIONS-print_stacktrace=1:halt_on_error=1}" || true
	# The thread sanitizer of older compilers does not work with much address randomisation.
	if setarch "$(uname -m)" -R true 2>/dev/null; then
		no_aslr=(setarch "$(uname -m)" -R)
	fi
	variant tsan distcheck 1200 2700 \
		env TSAN_OPTIONS="${TSAN_OPTIONS-halt_on_error=1:second_deadlock_stack=1}" \
		"${no_aslr[@]}" || true
	# If the tsan variant failed early, distcheck was not started beside its tests.
	[[ -n $beside ]] || start_distcheck
	await_beside || true
}

start_distcheck() {
	start_beside distcheck 2400 make -C "$build_dir/check/plain" -j"$jobs" distcheck-files
}

cmd_check() {
	local quick=false start=$SECONDS missing

	case ${1:-} in
	'') ;;
	--quick) quick=true ;;
	*) die "the only option of check is --quick, not $1" ;;
	esac
	deps_ensure "$build_packages"
	mapfile -t missing < <(missing_of <<<"$check_packages")
	if [[ ${#missing[@]} -gt 0 ]]; then
		if can_install; then
			deps_ensure "$check_packages"
		else
			echo "some tests are skipped, because these packages are not installed: ${missing[*]}"
		fi
	fi
	mkdir -p "$build_dir/check"
	trap interrupted INT TERM
	check_all "$quick"
	end_ahead
	if [[ -n $what_failed ]]; then
		echo "${red}failures:${plain}"
		printf '%s' "$what_failed"
	fi
	echo "the checks took $((SECONDS - start)) s"
	printf '%d passed, %d failed, %d skipped\n' "$n_passed" "$n_failed" "$n_skipped"
	[[ $n_failed -eq 0 ]]
}

# ---- steps that run as processes of their own, so that set -e and a time limit apply to them -----

# steps_variant NAME...: configures and builds everything that the tests need.
steps_variant() {
	local name dir words

	# On SIGTERM, exit only after make has stopped, which takes some time.
	trap 'exit 143' TERM
	for name; do
		dir=$build_dir/check/$name words=(--enable-werror)
		case $name in
		asan) words+=('--enable-sanitizers=address,undefined' CFLAGS='-O1 -g1') ;;
		tsan) words+=(--enable-sanitizers=thread CFLAGS='-O1 -g1') ;;
		esac
		# A tree that is built only once needs no dependency tracking.
		! $in_ci || words+=(--disable-dependency-tracking)
		configure_in "$dir" "${words[@]}"
		make -C "$dir" -j"$jobs" all
		make -C "$dir" -j"$jobs" check TESTS=
	done
}

command=${1:-help}
[[ $# -eq 0 ]] || shift
case $command in
deps) cmd_deps ;;
build) cmd_build ;;
package) cmd_package ;;
demo) cmd_demo "$@" ;;
check) cmd_check "$@" ;;
help | -h | --help) usage ;;
.build-steps) build_all ;;
.package-steps) package_steps ;;
.variant-steps) steps_variant "$@" ;;
.autoreconf) autoreconf_if_needed ;;
*)
	usage >&2
	die "unknown command $command"
	;;
esac
