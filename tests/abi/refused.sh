#!/bin/sh
# Mistakes with versions do not compile, and the message says what to do; the same text compiles for the version that it was
# written for, so that it is the version that is refused. Exit status 77 when gcc is missing.
set -u

src=${top_srcdir:?run by make check}/include
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_refused=0

if ! command -v gcc >/dev/null; then
	echo "skipped: gcc is not installed"
	exit 77
fi

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# compiles COMPILER VERSION
compiles()
{
	"$1" -x c -std=c11 -Wall -Werror -O1 -c -o "$work/out.o" ${2:+-DDOCA_USE_VERSION="$2"} \
		-DDOCA_ALLOW_EXPERIMENTAL_API "-I$src" "$work/text" >"$work/errors" 2>&1
}

# refuse RIGHT-VERSION WRONG-VERSION HINT: reads the text.
refuse()
{
	cat >"$work/text"
	for compiler in $compilers; do
		if [ -n "$1" ]; then
			compiles "$compiler" "$1" || {
				cat "$work/errors"
				fail "$compiler refuses for $1 what is right there"
			}
		fi
		if compiles "$compiler" "$2"; then
			fail "$compiler accepts for $2: $(cat "$work/text")"
		elif ! grep -q "$3" "$work/errors"; then
			cat "$work/errors"
			fail "$compiler does not say '$3' for $2"
		fi
		n_refused=$((n_refused + 1))
	done
}

compilers=gcc
if command -v clang >/dev/null; then
	compilers="gcc clang"
else
	echo "note: clang is not installed, gcc only"
fi

for wrong in 35 22 304 299 102 221; do
	echo '#include <doca_types.h>' | refuse 303 $wrong 'DOCA_USE_VERSION'
done
refuse 202 300 'DOCA_USE_VERSION' <<'EOF'
#include <doca_ctx.h>
doca_error_t f(struct doca_workq **workq);
doca_error_t f(struct doca_workq **workq) { return doca_workq_create(32, workq); }
EOF
refuse 103 202 'doca_mmap_set_memrange' <<'EOF'
#include <doca_mmap.h>
doca_error_t f(struct doca_mmap *mmap, char *at);
doca_error_t f(struct doca_mmap *mmap, char *at) { return doca_mmap_populate(mmap, at, 1, 4096, 0, 0); }
EOF
refuse 303 202 'DOCA_USE_VERSION' <<'EOF'
#include <doca_pe.h>
doca_error_t f(struct doca_task *task);
doca_error_t f(struct doca_task *task) { return doca_task_submit(task); }
EOF
refuse 303 206 'DOCA_USE_VERSION' <<'EOF'
#include <doca_comch.h>
EOF
refuse 206 207 'DOCA_USE_VERSION' <<'EOF'
#include <doca_cc.h>
EOF
refuse 202 303 'DOCA_USE_VERSION' <<'EOF'
#include <doca_comm_channel.h>
EOF
refuse 202 303 'DOCA_USE_VERSION' <<'EOF'
#include <doca_bufpool.h>
EOF
# Another form of the same name: the compiler says so by itself.
refuse 105 103 'pointer' <<'EOF'
#include <doca_mmap.h>
doca_error_t f(const union doca_data *data, struct doca_mmap **mmap);
doca_error_t f(const union doca_data *data, struct doca_mmap **mmap) { return doca_mmap_create(data, mmap); }
EOF
refuse 303 202 'too many arguments' <<'EOF'
#include <doca_dma.h>
doca_error_t f(struct doca_dev *dev, struct doca_dma **dma);
doca_error_t f(struct doca_dev *dev, struct doca_dma **dma) { return doca_dma_create(dev, dma); }
EOF

echo "$n_refused texts refused, $n_failed failures"
[ $n_failed -eq 0 ]
