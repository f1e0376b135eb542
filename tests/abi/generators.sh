#!/bin/sh
# Tests binding generators with the headers of each version: they must find every function of a
# version and bind it to a symbol that the library exports. One function of each header is called
# and must return the value in generators.txt. Uses bindgen and rustc, Python's ctypes, and cffi if
# installed. Exit status 77 if gcc, python3 or bindgen is missing.
#
# bindgen takes the symbol from the declaration. ctypes and cffi do not evaluate declarations of compilers: they request the
# symbol of the version, which is the name followed by __vX_Y if the name has several forms.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
build=$(cd "${top_builddir:?run by make check}" && pwd)
lib=${DOCO_LIB:-$build/client/.libs/libdococlient.so}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0

for tool in gcc nm python3 bindgen; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done
has_rustc=true has_cffi=true
command -v rustc >/dev/null || has_rustc=false
python3 -c 'import cffi' 2>/dev/null || has_cffi=false
$has_rustc || echo "note: rustc is not installed; the output of bindgen is compared, but not called"
$has_cffi || echo "note: cffi is not installed; ctypes only"

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

headers=$src/include
. "$src/tests/abi/headers_of.sh"
LD_LIBRARY_PATH=$(dirname "$lib")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

nm -D --defined-only "$lib" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u >"$work/exported"

# chosen: prints lines HEADER NAME RESULT for the headers in $work/all.c; each header has one
# function or none.
chosen()
{
	awk -F ' *[|] *' '
		FILENAME ~ /names$/ { has[$1] = 1; next }
		FILENAME ~ /all.c$/ { gsub(/.*<|>.*/, ""); is_there[$0] = 1; next }
		/^#/ || NF < 2 { next }
		{ row[$1] = 1 }
		!is_there[$1] || $2 == "-" { next }
		{
			n = split($3, names, " ")
			for (i = 1; i <= n && !(names[i] in has); i++) ;
			if (i <= n) print $1, names[i], $2
			else print "FAIL: none of the functions of " $1 " is there" >"/dev/stderr"
		}
		END { for (header in is_there) if (!(header in row)) print "FAIL: no row for " header >"/dev/stderr" }
	' "$work/names" "$work/all.c" "$src/tests/abi/generators.txt" >"$work/chosen" 2>"$work/lacking"
	# A header without a function in the table has none.
	awk -F ' *[|] *' '$2 == "-" { print $1 }' "$src/tests/abi/generators.txt" | while read -r header; do
		! grep -q '^DOCA_\(STABLE\|EXPERIMENTAL\|DEPRECATED\) ' "$headers/$header" ||
			echo "FAIL: $header has functions, but the table has no row for one of them"
	done >>"$work/lacking"
	! [ -s "$work/lacking" ]
}

# hidden_in VERSION: prints the inline functions, which no generator finds. doca_version is inline
# in every SDK, too: it is the version for which a program was compiled, and generators find that in
# DOCA_VERSION_STRING or, up to 2.5, DOCA_VER_STRING.
hidden_in()
{
	preprocess_for "$1" -DDOCA_API_NO_HINTS -DDOCA_ALLOW_EXPERIMENTAL_API
	tr '\n' ' ' <"$work/all.i" | grep -o 'static inline[^({;]*doc[a-z0-9_]*(' | sed 's/($//; s/.*[ *]//' |
		grep -vx doca_version >"$work/hidden"
	[ -s "$work/hidden" ]
}

# The output is not formatted, so that each function is on one line for awk; from bindgen 0.66 on,
# the option has another name.
unformatted=--no-rustfmt-bindings
! bindgen --help | grep -q -e --formatter || unformatted='--formatter none'

# by_bindgen VERSION: runs bindgen; writes lines NAME SYMBOL N-ARGUMENTS to $work/generated and the Rust code to
# $work/binding.rs.
by_bindgen()
{
	cp "$work/all.c" "$work/all.h"
	# shellcheck disable=SC2086
	bindgen --no-layout-tests --no-doc-comments $unformatted --allowlist-function 'doca_.*|dococ_.*' \
		--allowlist-var 'DOCA_VER.*_STRING' "$work/all.h" -o "$work/binding.rs" -- -DDOCA_USE_VERSION="$1" "-I$headers" || return 1
	if ! grep -q 'pub const DOCA_VER[A-Z]*_STRING :' "$work/binding.rs"; then
		echo "the text of the version is missing"
		return 1
	fi
	tr ';' '\n' <"$work/binding.rs" | awk '
		match($0, /pub fn doc[a-z0-9_]+ /) {
			name = substr($0, RSTART + 7, RLENGTH - 8)
			symbol = name
			if (match($0, /link_name = "[^"]*"/)) {
				symbol = substr($0, RSTART + 13, RLENGTH - 14)
				sub(/^\\u\{1\}/, "", symbol)
			}
			sub(/.*pub fn/, "")
			print name, symbol, gsub(/[a-z0-9_] : /, "")
		}' | LC_ALL=C sort -u >"$work/generated"
	cut -d ' ' -f 1 "$work/generated" | LC_ALL=C sort -u >"$work/generated.names"
	LC_ALL=C comm -3 "$work/names" "$work/generated.names" >"$work/diff"
	if [ -s "$work/diff" ]; then
		echo "only in the headers (left), or only in the output of bindgen (right): $(tr '\n' ' ' <"$work/diff")"
		return 1
	fi
	cut -d ' ' -f 2 "$work/generated" | LC_ALL=C sort -u | LC_ALL=C comm -23 - "$work/exported" >"$work/diff"
	if [ -s "$work/diff" ]; then
		echo "bound to symbols that the library does not export: $(tr '\n' ' ' <"$work/diff")"
		return 1
	fi
	$has_rustc || return 0
	awk '
		NR == FNR { n_arguments[$1] = $3; next }
		FNR == 1 {
			print "#![allow(warnings)]\nmod ffi { include!(\"binding.rs\"); }"
			print "use std::mem::zeroed;\nfn main() { let mut n_wrong = 0; unsafe {"
		}
		{
			call = "ffi::" $2 "("
			for (i = 0; i < n_arguments[$2]; i++) call = call (i ? ", " : "") "zeroed()"
			call = call ")"
			is_right = $3 == "text" ? "!" call ".is_null()" : call " as u32 == " $3
			print "if !(" is_right ") { println!(\"" $2 " of " $1 "\"); n_wrong += 1; }"
		}
		END { print "} std::process::exit(n_wrong); }" }
	' "$work/generated" "$work/chosen" >"$work/main.rs"
	rustc --edition 2021 -L "$(dirname "$lib")" -l dococlient -o "$work/main" "$work/main.rs" && "$work/main"
}

# by_ctypes: reads lines SYMBOL RESULT from stdin.
by_ctypes()
{
	python3 -c '
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
n_wrong = 0
for line in sys.stdin:
    symbol, expected = line.split()
    function = getattr(lib, symbol)
    function.restype = ctypes.c_char_p if expected == "text" else ctypes.c_int
    got = function(*[ctypes.c_void_p()] * 6)
    if (got is None) if expected == "text" else (got != int(expected)):
        print(symbol, "returns", got)
        n_wrong += 1
sys.exit(n_wrong)' "$lib"
}

# by_cffi: the same, with every declaration of the version, in which each name is replaced by its
# symbol.
by_cffi()
{
	gcc -E -DDOCA_USE_VERSION="$1" -DDOCA_API_NO_HINTS -D__extension__= "-I$headers" "$work/all.c" | python3 -c '
import cffi, re, sys
headers, library, calls = sys.argv[1:]
ours, text = False, []
for line in sys.stdin:
    marker = re.match("# \\d+ \"(.*?)\"", line)
    if marker:
        ours = marker.group(1).startswith(headers)
    elif ours:
        text.append(line)
text = re.sub("static inline.*?\\{.*?\\}", "", "".join(text), flags=re.S)
attribute = re.compile("__attribute__\\s*\\(\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)\\)")
text = attribute.sub("", text)
text = re.sub("(\\w+)(\\s*\\([^;{}]*\\)\\s*)__asm__\\(([^)]*)\\)", lambda found: "".join(re.findall("\"(.*?)\"", found.group(3))) + found.group(2), text)
system = "typedef uint16_t __be16; typedef uint32_t __be32; typedef uint64_t __be64; typedef void *va_list;"
ffi = cffi.FFI()
ffi.cdef(system + text)
lib = ffi.dlopen(library)
n_wrong = 0
for line in open(calls):
    symbol, expected = line.split()
    function = getattr(lib, symbol)
    arguments = []
    for kind in ffi.typeof(function).args:
        is_pointer = kind.kind in ("pointer", "function")
        arguments.append(ffi.NULL if is_pointer else ffi.new(ffi.getctype(kind, "*"))[0])
    got = function(*arguments)
    if (got == ffi.NULL) if expected == "text" else (int(got) != int(expected)):
        print(symbol, "returns", got)
        n_wrong += 1
sys.exit(n_wrong)' "$headers" "$lib" "$work/calls"
}

for version in $(sed -n 's/^versions = //p' "$src/include/Makefile.include"); do
	headers_of "$version" -DDOCA_ALLOW_EXPERIMENTAL_API && functions_in && [ -s "$work/names" ] || {
		fail "the headers of $version do not preprocess"
		continue
	}
	chosen || fail "version $version: $(cat "$work/lacking")"
	hidden_in "$version" && fail "version $version: generators do not see these: $(tr '\n' ' ' <"$work/hidden")"
	by_bindgen "$version" || fail "bindgen, version $version"
	# The symbols of bindgen are those to which the compiler binds (bindings.sh); Python requests the
	# same.
	awk 'NR == FNR { symbol[$1] = $2; next } { print symbol[$2], $3 }' "$work/generated" "$work/chosen" >"$work/calls"
	by_ctypes <"$work/calls" || fail "ctypes, version $version"
	! $has_cffi || by_cffi "$version" || fail "cffi, version $version"
	echo "$version: $(wc -l <"$work/generated") functions, $(wc -l <"$work/calls") called"
done

[ $n_failed -eq 0 ]
