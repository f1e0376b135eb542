#!/bin/sh
# The types and version headers report the selected version, for every version.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
status=0

# The known facts about the releases, independent of the header.
cat >"$work/expected" <<END
103 1.3.0 0x1030000
104 1.4.0 0x1040000
105 1.5.0055 0x1050037
200 2.0.2 0x2000002
202 2.2.0080 0x2020050
205 2.5.0108 0x205006c
206 2.6.0058 0x206003a
207 2.7.0 0x2070000
208 2.8.0 0x2080000
209 2.9.0 0x2090000
210 2.10.0087 0x20a0057
300 3.0.0058 0x300003a
301 3.1.0 0x3010000
302 3.2.0 0x3020000
303 3.3.0 0x3030000
END

for version in $(sed -n 's/^versions = //p' "$src/include/Makefile.include"); do
	grep -q "^$version " "$work/expected" || {
		echo "FAIL: the table has no facts about version $version"
		status=1
	}
done

while read -r version expected; do
	# shellcheck disable=SC2086
	if ! ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$src/include" -DDOCA_USE_VERSION="$version" \
		-o "$work/program" "$src/tests/abi/version_values.c"; then
		echo "FAIL: $version does not compile"
		status=1
		continue
	fi
	got=$("$work/program") || status=1
	[ "$got" = "$expected" ] || {
		echo "FAIL: $version reports $got, not $expected"
		status=1
	}
done <"$work/expected"

echo "$(wc -l <"$work/expected") versions"
exit $status
