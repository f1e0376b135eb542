#!/bin/sh
# The types and version headers report the selected version, whichever that is, and the headers of devices, log and
# arguments have its signatures; names of other versions are refused with a hint.
set -u

src=${top_srcdir:?run by make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
status=0

# What is known of the releases, independent of the header.
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
		echo "FAIL: nothing is known of version $version"
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
	if ! ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I"$src/include" \
		-DDOCA_USE_VERSION="$version" -DDOCA_ALLOW_EXPERIMENTAL_API \
		"$src/tests/abi/version_prototypes.c"; then
		echo "FAIL: a signature of $version is another"
		status=1
	fi
	got=$("$work/program") || status=1
	[ "$got" = "$expected" ] || {
		echo "FAIL: $version reports $got, not $expected"
		status=1
	}
done <"$work/expected"

# refuse VERSION HINT: no such release; the message says what to do.
refuse()
{
	echo '#include <doca_version.h>' >"$work/refuse.c"
	if ${CC:-cc} -fsyntax-only -I"$src/include" -DDOCA_USE_VERSION="$1" "$work/refuse.c" 2>"$work/err"; then
		echo "FAIL: $1 compiles"
		status=1
	elif ! grep -q "$2" "$work/err"; then
		cat "$work/err"
		echo "FAIL: the message for $1 lacks '$2'"
		status=1
	fi
}
refuse 35 'DOCA_MAKE_VERSION'
refuse 304 'DOCA_MAKE_VERSION'
refuse 220 'DOCA_MAKE_VERSION'
refuse 203 'no such release'

# elsewhere VERSION HEADER CALL HINT: the name is of another version; the message says what to do.
elsewhere()
{
	printf '#include <%s>\nvoid f(void);\nvoid f(void) { (void)%s; }\n' "$2" "$3" >"$work/refuse.c"
	if ${CC:-cc} -O1 -c -o "$work/refuse.o" -I"$src/include" -DDOCA_USE_VERSION="$1" "$work/refuse.c" \
		2>"$work/err"; then
		echo "FAIL: $3 compiles in $1"
		status=1
	elif ! grep -q "$4" "$work/err"; then
		cat "$work/err"
		echo "FAIL: the message for $3 in $1 lacks '$4'"
		status=1
	fi
}
elsewhere 300 doca_dev.h 'doca_devinfo_list_create(0, 0)' 'doca_devinfo_create_list'
elsewhere 202 doca_dev.h 'doca_devinfo_create_list(0, 0)' 'doca_devinfo_list_create'
elsewhere 202 doca_dev.h 'doca_devinfo_property_get(0, 0, 0, 0)' 'doca_devinfo_get_'
elsewhere 303 doca_dev.h 'doca_devinfo_property_get(0, 0, 0, 0)' 'doca_devinfo_get_'
elsewhere 105 doca_dev.h 'doca_devinfo_remote_list_create(0, 0, 0, 0)' 'doca_devinfo_rep_list_create'
elsewhere 303 doca_error.h 'doca_get_error_string(0)' 'doca_error_get_descr'
elsewhere 202 doca_error.h 'doca_error_get_descr(0)' 'doca_get_error_string'
elsewhere 205 doca_log.h 'doca_log_create_standard_backend()' 'doca_log_backend_create_standard'
elsewhere 103 doca_log.h 'doca_log_backend_create_standard()' 'doca_log_create_standard_backend'

echo "$(wc -l <"$work/expected") versions"
exit $status
