#!/bin/sh
# Checks in the ELF files of the programs and of the library that the options for hardening that
# were passed to compiler and linker (m4/hardening.m4) are effective. Runs in the build directory.
# Exit status 77: skipped.
set -u

command -v readelf >/dev/null || { echo "skipped: readelf is not installed"; exit 77; }
flags=$(sed -n 's/^HARDEN_[A-Z_]*FLAGS = //p' Makefile | tr '\n' ' ')
case $flags in
*-*) ;;
*) echo "skipped: built without hardening, as configured"; exit 77 ;;
esac
work=$(mktemp -d /tmp/doco-hardening-XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

has_flag() {
	case " $flags " in *"$1"*) return 0 ;; esac
	return 1
}

# Every supported compiler has these two.
has_flag -fstack-protector-strong || fail "no stack protector"
has_flag -z,now || fail "no immediate binding"

# has FILE TEXT WHAT
has() {
	grep -q -E -e "$2" "$work/$1" || fail "$file: $3"
}

# units FLAG NAME: checks that each compilation unit with such a name was compiled with the flag.
units() {
	awk -v flag="$1" -v want="$2" '
		/DW_AT_producer/ { producer = $0 }
		/DW_AT_name/ && $0 ~ want && producer ~ /GNU C|clang/ {
			n++
			if (index(producer, flag) == 0) { print; bad = 1 }
		}
		END { exit bad || n == 0 }' "$work/units" >"$work/bad" ||
		fail "$file: without $1: $(head -n 3 "$work/bad")"
}

check() {
	file=$1 source=$2
	[ -f "$file" ] || { fail "$file was not built"; return; }
	readelf -W -d "$file" >"$work/dynamic"
	readelf -W -l "$file" >"$work/segments"
	readelf -W -n "$file" >"$work/notes"
	readelf -W --dyn-syms "$file" >"$work/symbols"
	readelf -W --debug-dump=info --dwarf-depth=1 "$file" 2>/dev/null | grep -e DW_AT_producer \
		-e DW_AT_name >"$work/units"
	has dynamic 'BIND_NOW|Flags:.* NOW' "binds lazily"
	has segments 'GNU_RELRO' "its relocated data stays writable"
	has segments 'GNU_STACK .* RW ' "its stack is executable"
	has symbols '__stack_chk_fail|__stack_chk_guard' "no stack protector"
	! has_flag -D_FORTIFY_SOURCE || has symbols ' __[a-z]+_chk(@|$)' "no FORTIFY_SOURCE"
	# Startup files of some C libraries lack this property, and then the whole file lacks it.
	[ -s "$work/units" ] || { echo "$file has no debug information, so its flags are not checked"; return; }
	for flag in -fstack-protector-strong -fcf-protection -mbranch-protection; do
		! has_flag $flag || units $flag "$source"
	done
}

check client/.libs/libdococlient.so 'client/'
check doca-admin 'tools/'
check dococored 'daemon/'
[ -s "$work/units" ] && has_flag -ftrivial-auto-var-init && units -ftrivial-auto-var-init=zero 'daemon/'
[ $failures -eq 0 ] || exit 1
