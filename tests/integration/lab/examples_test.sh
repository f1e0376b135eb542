#!/bin/sh
# Runs every example program in a lab according to its README, and checks its output. Runs in the
# build directory. Exit status 77: skipped. Every command has a time limit.
set -u

admin=${DOCA_ADMIN:-$PWD/doca-admin}
DOCOCORED=${DOCOCORED:-$PWD/dococored}
export DOCOCORED
for program in "$admin" "$DOCOCORED" examples/dma_local examples/pe_event examples/graph \
	examples/dma_host \
	examples/old_maps examples/old_random examples/old_region \
	examples/dma_dpu examples/comch_echo_server examples/comch_echo_client \
	examples/stream_host examples/stream_dpu examples/seal examples/sha examples/ec \
	examples/sync_host examples/sync_dpu; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET

work=$(mktemp -d /tmp/doco-examples-XXXXXX) || exit 99
lab=$work/lab
# Seconds per command; many times the duration on a busy machine with a sanitizer.
patience=90
bounded() {
	timeout -k 5 $patience "$@"
}
cleanup() {
	bounded "$admin" lab down --dir "$lab" >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# on SIDE PROGRAM ARGS...
on() {
	side=$1
	shift
	bounded "$admin" lab exec --dir "$lab" --side "$side" -- "$@"
}

# expect TEXT FILE
expect() {
	grep -q "$1" "$2" || { fail "'$1' is not in:"; sed 's/^/    /' "$2"; }
}

bounded "$admin" lab up --dir "$lab" >"$work/up" 2>&1 || { fail "lab up:"; cat "$work/up"; exit 1; }

for side in host dpu; do
	on "$side" examples/dma_local --size 100000 >"$work/out" 2>&1 || fail "dma_local on $side: $?"
	expect OK "$work/out"
	on "$side" examples/pe_event --tasks 64 --size 4096 >"$work/out" 2>&1 ||
		fail "pe_event on $side: $?"
	expect OK "$work/out"
	on "$side" examples/graph --runs 500 --size 3000 >"$work/out" 2>&1 || fail "graph on $side: $?"
	expect "OK 500 runs" "$work/out"
	for old in "region:64 pieces" "random:128 places" "maps:32 rounds"; do
		on "$side" examples/old_${old%%:*} >"$work/out" 2>&1 || fail "old_${old%%:*} on $side: $?"
		expect "OK ${old#*:}" "$work/out"
	done
done

head -c 3000001 /dev/urandom >"$work/file"
sum=$(sha256sum "$work/file" | cut -d' ' -f1)
for memory in malloc shm map; do
	mkdir "$work/$memory"
	on host examples/dma_host --dir "$work/$memory" --file "$work/file" --memory $memory \
		>"$work/host" 2>&1 &
	on dpu examples/dma_dpu --dir "$work/$memory" --chunk 65536 >"$work/dpu" 2>&1 ||
		fail "dma_dpu with $memory: $?"
	wait $! || fail "dma_host with $memory: $?"
	expect "OK sha256 $sum" "$work/host"
	expect "OK sha256 $sum" "$work/dpu"
done

# The digests must be those of the system's own programs, also for an empty file and for one that
# ends at a segment boundary.
head -c 65536 "$work/file" >"$work/even"
: >"$work/empty"
for file in file even empty; do
	for bits in 1 256 512; do
		"sha${bits}sum" "$work/$file" >"$work/expected"
		for segment in 64 4096 1048576; do
			[ "$file" = file ] && [ $segment = 64 ] && continue
			on host examples/sha --file "$work/$file" --algorithm $bits --segment $segment \
				>"$work/out" 2>&1 || fail "sha $bits of $file: $?"
			cmp -s "$work/expected" "$work/out" || {
				fail "sha $bits of $file in segments of $segment:"
				cat "$work/expected" "$work/out"
			}
		done
	done
done
# gzip must read the output of the tasks, also that for an empty file and for several pieces. In a
# build without compression, no device supports it.
if grep -q '^#define HAVE_COMPRESS 1' config.h; then
	for file in file even empty; do
		for piece in 1000 65536 16777216; do
			[ "$file" = file ] && [ $piece = 1000 ] && continue
			on host examples/compress --file "$work/$file" --output "$work/out.gz" --piece $piece \
				>"$work/out" 2>&1 || fail "compress $file in pieces of $piece: $?"
			gzip -dc "$work/out.gz" | cmp -s - "$work/$file" ||
				fail "gzip reads other data from $file in pieces of $piece"
		done
	done
	# If data cannot be compressed, its stream is longer than the data.
	head -c 4194304 /dev/urandom >"$work/noise"
	on host examples/compress --file "$work/noise" --output "$work/out.gz" --piece 4194304 \
		>"$work/out" 2>&1 || fail "compress noise: $?"
	gzip -dc "$work/out.gz" | cmp -s - "$work/noise" || fail "gzip reads other data from noise"
	rm "$work/noise" "$work/out.gz"
fi
on dpu examples/sha --file "$work/file" >"$work/out" 2>&1 || fail "sha on dpu: $?"
expect "^$sum  " "$work/out"

# A sealed file is opened on the other side. A changed file and another key are refused. The longest
# file that can be sealed can be opened, too; the device accepts 2 MiB.
echo 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f >"$work/key"
echo 100102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f >"$work/other_key"
echo 0001 >"$work/short_key"
head -c 2097124 /dev/urandom >"$work/longest"
head -c 2097125 /dev/urandom >"$work/too_long"
for file in even empty longest; do
	on host examples/seal --file "$work/$file" --output "$work/sealed" --key-file "$work/key" \
		>"$work/out" 2>&1 || fail "seal of $file: $?"
	[ "$(wc -c <"$work/sealed")" -eq $(($(wc -c <"$work/$file") + 28)) ] ||
		fail "seal of $file: the length is wrong"
	on dpu examples/seal --decrypt --file "$work/sealed" --output "$work/opened" \
		--key-file "$work/key" >"$work/out" 2>&1 || fail "seal --decrypt of $file: $?"
	cmp "$work/$file" "$work/opened" || fail "seal: $file has changed"
	rm "$work/opened"
	on dpu examples/seal --decrypt --file "$work/sealed" --output "$work/opened" \
		--key-file "$work/other_key" >"$work/out" 2>&1 && fail "seal: another key was accepted"
	expect "the file or the key may be wrong" "$work/out"
	[ "$file" = longest ] || printf x >>"$work/sealed"
	[ "$file" != longest ] || printf x | dd of="$work/sealed" bs=1 seek=99 conv=notrunc 2>"$work/dd"
	on dpu examples/seal --decrypt --file "$work/sealed" --output "$work/opened" \
		--key-file "$work/key" >"$work/out" 2>&1 && fail "seal: a changed file was accepted"
	expect "the file or the key may be wrong" "$work/out"
	[ -e "$work/opened" ] && fail "seal: a refused file was written"
done
on host examples/seal --file "$work/too_long" --output "$work/sealed" --key-file "$work/key" \
	>"$work/out" 2>&1 && fail "seal: a file was sealed that cannot be opened"
expect "read the file" "$work/out"
on host examples/seal --file "$work/even" --output "$work/sealed" --key-file "$work/short_key" \
	>"$work/out" 2>&1 && fail "seal: a short key was accepted"
expect "a key has 64 hexadecimal digits" "$work/out"

# The recovered file must be the original one. A library without ISA-L has no erasure coding.
if grep -q '^#define HAVE_ISAL 1' config.h; then
	for file in file even empty; do
		on host examples/ec --file "$work/$file" --output "$work/recovered" >"$work/out" 2>&1 ||
			fail "ec of $file: $?"
		expect 'OK recovered 4 of 16 blocks' "$work/out"
		cmp -s "$work/$file" "$work/recovered" || fail "ec of $file: the recovered file differs"
	done
	on dpu examples/ec --file "$work/file" --output "$work/recovered" --data 3 --redundancy 2 \
		--lose 4,1 >"$work/out" 2>&1 || fail "ec on dpu: $?"
	cmp -s "$work/file" "$work/recovered" || fail "ec on dpu: the recovered file differs"
	on host examples/ec --file "$work/even" --output "$work/recovered" --data 3 --redundancy 2 \
		--lose 0,1,2 >"$work/out" 2>&1 && fail "ec: more blocks than there is redundancy were recovered"
	expect "3 blocks are missing; with 2 redundancy blocks" "$work/out"
	# A pipe has no length.
	head -c 100000 /dev/zero | on host examples/ec --file /dev/stdin --output "$work/recovered" \
		>"$work/out" 2>&1 && fail "ec: a pipe was read as a file"
	expect "/dev/stdin has no length" "$work/out"
fi

mkdir "$work/sync"
on host examples/sync_host --dir "$work/sync" --rounds 500 >"$work/host" 2>&1 &
on dpu examples/sync_dpu --dir "$work/sync" --rounds 500 >"$work/dpu" 2>&1 || fail "sync_dpu: $?"
wait $! || fail "sync_host: $?"
expect 'OK 500 rounds' "$work/host"
expect 'OK 500 rounds' "$work/dpu"

for size in 1 64 4080; do
	on dpu examples/comch_echo_server --name "echo$size" --clients 2 >"$work/server" 2>&1 &
	server=$!
	end=$(($(date +%s) + patience))
	until bounded "$admin" services --dir "$lab" --side dpu 2>/dev/null | grep -q "echo$size"; do
		[ "$(date +%s)" -lt $end ] || { fail "echo$size is not offered"; break; }
		sleep 0.05
	done
	for client in 1 2; do
		on host examples/comch_echo_client --name "echo$size" --messages 2000 --size $size \
			>"$work/client" 2>&1 || fail "comch_echo_client $client with $size bytes: $?"
		expect OK "$work/client"
	done
	wait $server || fail "comch_echo_server with $size bytes: $?"
	expect OK "$work/server"
done

for kind in "64 20000 malloc" "64 20000 shm" "100000 300 malloc" "100000 300 shm"; do
	# shellcheck disable=SC2086
	set -- $kind
	on dpu examples/stream_dpu --name "stream$1$3" --size "$1" --messages "$2" --memory "$3" \
		>"$work/dpu" 2>&1 &
	server=$!
	end=$(($(date +%s) + patience))
	until bounded "$admin" services --dir "$lab" --side dpu 2>/dev/null | grep -q "stream$1$3"; do
		[ "$(date +%s)" -lt $end ] || { fail "stream$1$3 is not offered"; break; }
		sleep 0.05
	done
	on host examples/stream_host --name "stream$1$3" --size "$1" --messages "$2" >"$work/host" 2>&1 ||
		fail "stream_host, $kind: $?"
	wait $server || fail "stream_dpu, $kind: $?"
	expect "OK $2 messages" "$work/host"
	expect "OK $2 messages" "$work/dpu"
done

[ $failures -eq 0 ]
