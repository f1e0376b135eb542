#!/bin/sh
# Work queues and jobs up to 2.2: what the headers of each version declare, and which form of a name it is bound to.
# Exit status 77 when nm is missing.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n=0
status=0

if ! command -v nm >/dev/null; then
	echo "skipped: nm is not installed"
	exit 77
fi

for version in $(sed -n 's/^versions = //p' "$src/include/Makefile.include"); do
	if [ "$version" -lt 105 ]; then
		queue=1_3
	elif [ "$version" -lt 202 ]; then
		queue=1_5
	elif [ "$version" -lt 205 ]; then
		queue=2_2
	else
		continue
	fi
	n=$((n + 1))
	printf '%s\n' doca_ctx_start__v1_3 doca_ctx_stop__v1_3 doca_dma_create__v1_3 \
		"doca_workq_create__v$queue" >"$work/wanted"
	if ! ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$src/include" -DDOCA_USE_VERSION="$version" \
		-c -o "$work/one.o" "$src/tests/abi/prototypes_workq.c"; then
		echo "FAIL: version $version"
		status=1
		continue
	fi
	nm -u "$work/one.o" | awk '{ print $2 }' | LC_ALL=C sort >"$work/got"
	if ! diff "$work/wanted" "$work/got"; then
		echo "FAIL: version $version is bound to other forms"
		status=1
	fi
done
[ $n -ge 4 ] || { echo "FAIL: $n versions with work queues"; status=1; }
echo "$n versions"
exit $status
