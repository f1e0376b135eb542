#!/bin/sh
# Tests the installed tree as the operator of a machine finds it; run by 'make installcheck'. All
# files that a service needs must exist and refer to existing files, and the installed daemon and
# doca-admin must work together with the installed configuration.
set -u

src=$(cd "${top_srcdir:?run by make installcheck}" && pwd)
: "${version:?}" "${bindir:?}" "${sbindir:?}" "${libdir:?}" "${includedir:?}" "${mandir:?}" "${sysconfdir:?}" "${pkgdatadir:?}"
: "${unitdir:?}" "${sysusersdir:?}" "${tmpfilesdir:?}" "${policydir:?}" "${completiondir:?}"
work=$(mktemp -d /tmp/doco-installed-XXXXXX) || exit 99
daemon=
trap '[ -z "$daemon" ] || kill -9 $daemon 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_files=0

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# there FILE...: checks that each is a nonempty file, or a link to one.
there()
{
	for file in "$@"; do
		[ -s "$file" ] && [ ! -d "$file" ] || fail "$file is missing or empty"
		n_files=$((n_files + 1))
	done
}

there "$bindir/doca-admin" "$bindir/doca-bench" "$sbindir/dococored"
for program in "$bindir/doca-admin" "$sbindir/dococored"; do
	said=$("$program" --version) || fail "$program --version: $?"
	[ "$said" = "${program##*/} $version" ] || fail "$program prints '$said', not version $version"
done
"$bindir/doca-bench" --help >"$work/said" 2>&1 || fail "doca-bench --help: $(cat "$work/said")"
there "$mandir/man1/doca-admin.1" "$mandir/man1/doca-bench.1" "$mandir/man5/dococored.conf.5" \
	"$mandir/man5/dococored.topology.5" \
	"$mandir/man7/dococlient.7" "$mandir/man8/dococored.8"
for header in "$src"/include/*.h; do
	[ -z "${DOXYGEN:-}" ] || there "$mandir/man3/${header##*/}.3"
done
there "$sysusersdir/dococored.conf" "$tmpfilesdir/dococored.conf" "$policydir/org.dococore.conf"
there "$sysconfdir/dococored/dococored.conf" "$sysconfdir/dococored/host.conf" "$sysconfdir/dococored/dpu.conf"
for name in default-host default-dpu discover; do
	there "$pkgdatadir/topology/$name.topology"
done
for name in doca-admin doca-bench dococored; do
	there "$completiondir/$name"
	bash -n "$completiondir/$name" || fail "$completiondir/$name is not a correct shell script"
done
for header in "$src"/include/*.h "$src"/include/dococ/*.h; do
	there "$includedir/${header#"$src"/include/}"
done
there "$libdir/libdococlient.so" "$libdir/libdococlient.so.0"
for name in common dma sha aes_gcm argp comch comm_channel rdma; do
	there "$libdir/libdoca_$name.so"
done

# The program that a unit starts, and its configuration.
for unit in dococored.service dococored@.service dococored.socket dococored@.socket; do
	there "$unitdir/$unit"
	if grep '@[a-z_]*@' "$unitdir/$unit"; then
		fail "$unitdir/$unit has a placeholder"
	fi
done
for unit in dococored dococored@; do
	start=$(sed -n 's/^ExecStart=//p' "$unitdir/$unit.service")
	case $start in
	"$sbindir/dococored "*) ;;
	*) fail "$unit.service starts '$start'" ;;
	esac
	config=$(echo "$start" | sed -n 's/.*--config \([^ ]*\).*/\1/p')
	for side in host dpu; do
		there "$(echo "$config" | sed "s/%i/$side/")"
	done
done

# Runs both without anything from the build: they must find all files where they were installed.
unset LD_LIBRARY_PATH NOTIFY_SOCKET LISTEN_FDS LISTEN_PID WATCHDOG_USEC DOCOCORED DOCOCORED_SOCKET DOCOCORED_BUS DOCA_SIDE
mkfifo "$work/log"
"$sbindir/dococored" --side host --config "$sysconfdir/dococored/host.conf" --runtime-dir "$work" >"$work/log" 2>&1 &
daemon=$!
exec 3<"$work/log"
# Waits until the daemon reports that it is ready, or ends.
log=
while read -r line <&3; do
	log="$log $line;"
	case $line in
	*' serves side host on '*) break ;;
	esac
done
"$bindir/doca-admin" status --dir "$work" --side host --json >"$work/status" 2>"$work/said" ||
	fail "the daemon does not answer: $(cat "$work/said") $log"
for fact in '"side": "host"' "\"version\": \"$version\"" "\"pid\": $daemon," \
	"\"config_file\": \"$sysconfdir/dococored/host.conf\""; do
	grep -qF "$fact" "$work/status" || fail "status has no $fact: $(cat "$work/status")"
done
kill $daemon 2>/dev/null
wait $daemon || fail "the daemon ended with $?: $log $(cat <&3)"
daemon=
rm -f "$work/log" "$work/said" "$work/status"
[ -z "$(ls -A "$work")" ] || fail "the daemon left $(ls -A "$work")"

[ $n_failed -eq 0 ] || exit 1
echo "installed: $n_files files exist, and the daemon of version $version answers"
