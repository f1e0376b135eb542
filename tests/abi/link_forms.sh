#!/bin/sh
# Tests every way to link: plug-ins of all generations in one process, the plain names for dlsym and
# for bindings of other languages, link-time optimisation over parts of different versions, and a
# static program. Exit status 77 if gcc or python3 is missing.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
build=$(cd "${top_builddir:?run by make check}" && pwd)
lib=$build/client/.libs
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0

for tool in gcc python3; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
sanitize=${SANITIZE_FLAGS:-}
flags="-std=gnu11 -Wall -Werror -I$src -I$src/include -DDOCA_ALLOW_EXPERIMENTAL_API $sanitize"
link="-L$lib -ldococlient"

# Loads plug-ins of all generations into one process.
plugins=
for version in 103 105 200 202 205 206 207 303; do
	# shellcheck disable=SC2086
	gcc $flags -shared -fPIC -fvisibility=hidden -DDOCA_USE_VERSION=$version "$src/tests/abi/form.c" \
		-o "$work/form-$version.so" $link || fail "the plug-in of $version"
	plugins="$plugins $work/form-$version.so"
done
# shellcheck disable=SC2086
gcc $flags "$src/tests/abi/form_main.c" -o "$work/main" -Wl,--no-as-needed $link -ldl || fail "the program"
# shellcheck disable=SC2086
"$work/main" $plugins || fail "plug-ins of different generations in one process"

# The same parts in one program with link-time optimisation: the object of each version keeps its
# own symbols.
cat >"$work/two.c" <<'EOF'
#include "tests/abi/form.h"
extern const struct form form_old, form_new;
int main(void)
{
	void *a = form_old.make(), *b = form_new.make();
	return a && b && form_old.version == 103 && form_new.version == 303 &&
		form_old.release_inventory(a) == 0 &&
		form_new.release_inventory(b) == 0 ? 0 : 1;
}
EOF
for form in "" -flto; do
	# shellcheck disable=SC2086
	gcc $flags -O2 $form -c -DDOCA_USE_VERSION=103 -Dform=form_old "$src/tests/abi/form.c" -o "$work/old.o" &&
		gcc $flags -O2 $form -c -DDOCA_USE_VERSION=303 -Dform=form_new "$src/tests/abi/form.c" -o "$work/new.o" &&
		gcc $flags -O2 $form -c "$work/two.c" -o "$work/two.o" &&
		gcc $flags -O2 $form "$work/two.o" "$work/old.o" "$work/new.o" -o "$work/two" $link &&
		"$work/two" || fail "two generations in one program ${form:-without -flto}"
done

# A program without shared libraries. The runtime of a sanitizer cannot be linked statically.
if [ -z "$sanitize" ]; then
	# shellcheck disable=SC2046,SC2086
	gcc -O2 -static "$work/two.o" "$work/old.o" "$work/new.o" -flto -o "$work/static" -Wl,--start-group \
		"$build"/.libs/lib*.a -Wl,--end-group \
		$(pkg-config --static --libs libprotobuf-c json-c libcrypto zlib) -lpthread 2>"$work/errors" &&
		"$work/static" || {
		cat "$work/errors"
		fail "a static program"
	}
	# A binding of another language knows only names, without headers.
	python3 - "$lib/libdococlient.so" <<'EOF' || fail "a binding by ctypes"
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.doca_version_runtime.restype = ctypes.c_char_p
lib.doca_error_get_name.restype = ctypes.c_char_p
inventory = ctypes.c_void_p()
assert lib.doca_version_runtime().startswith(b"3.")
assert lib.doca_error_get_name(18) == b"DOCA_ERROR_BAD_STATE"
assert lib.doca_buf_inventory_create(ctypes.c_size_t(4), ctypes.byref(inventory)) == 0
assert lib.doca_buf_inventory_destroy(inventory) == 0
EOF
fi

[ $n_failed -eq 0 ]
