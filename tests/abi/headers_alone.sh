#!/bin/sh
# Every public header compiles alone, and all of them together in every supported language version (those of older
# versions of the interface in the oldest ones), without warnings, with gcc and, if installed, clang. Features on
# which programs rely at compile time work; mistakes are refused. Exit status 77 if gcc or g++ is missing.
#
# A header that is incomplete on its own is so in every language version, and C99 is the strictest
# one. Each header is therefore compiled alone only once per version of the interface, and with the
# other compilers only for the newest version. This test starts compilers hundreds of times; one
# more loop would take minutes on a busy machine.
set -u

src=${top_srcdir:?run by make check}/include
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0
n_compiled=0

for tool in gcc g++; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$src"

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# Writes one file per header, which includes this header only.
for header in "$src"/*.h; do
	name=$(basename "$header")
	printf '#include <%s>\nextern int not_empty;\n' "$name" >"$work/${name%.h}.c"
done

# Checks the text of the headers and of their parts in dococ/, which belong to the header that
# selects one of them.
for header in "$src"/*.h "$src"/dococ/*.h; do
	name=${header#"$src"/}
	if grep -n '^#include "' "$header"; then
		fail "$name includes a private header"
	fi
	sed -n 's/^#include <\(doca[^>]*\|dococ[^>]*\)>.*/\1/p' "$header" | while read -r used; do
		[ -f "$src/$used" ] || echo "$used"
	done >"$work/unknown"
	[ -s "$work/unknown" ] && fail "$name includes $(cat "$work/unknown"), which is not public"
	grep -q '^#ifdef __cplusplus' "$header" || ! grep -q '^DOCA_STABLE' "$header" ||
		fail "$name declares functions without extern \"C\""
done

# The headers of a version. Any other header refuses to be included and says why; there must be no other error.
versions=$(sed -n 's/^versions = //p' "$src/Makefile.include")
for version in $versions; do
	newest=$version
	: >"$work/of.$version"
	for file in "$work"/doca*.c; do
		n_compiled=$((n_compiled + 1))
		# shellcheck disable=SC2086
		if gcc -std=c99 $flags -DDOCA_USE_VERSION="$version" -DDOCA_ALLOW_EXPERIMENTAL_API "$file" \
			2>"$work/errors"; then
			echo "$file" >>"$work/of.$version"
		elif ! grep -q '#error "doca_[a-z_]*\.h .*DOCA_USE_VERSION' "$work/errors"; then
			cat "$work/errors"
			fail "$(basename "$file" .c).h of version $version"
		fi
	done
	[ -s "$work/of.$version" ] || fail "version $version has no headers"
	sort -r "$work/of.$version" | xargs grep -h '#include' >"$work/all.$version"
done

# Typical uses of the headers by programs, compiled as strictly as the headers themselves.
cat >"$work/use.c" <<'EOF'
#include <doca_log.h>
#include <doca_buf_inventory.h>
DOCA_LOG_REGISTER(HEADERS::ALONE);
#if !defined(DOCA_ARCH_HOST) && !defined(DOCA_ARCH_DPU)
#error "a public header does not bring the side that it is built for"
#endif
extern int use(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, struct doca_buf **buf);
int use(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, struct doca_buf **buf)
{
	doca_error_t result = DOCA_SUCCESS;
	DOCA_LOG(INFO, "version %s", doca_version());
	DOCA_LOG_CRIT("no argument");
	DOCA_LOG_ERR("%d", 1);
	DOCA_LOG_WARN("%s %d", "two", 2);
	if (buf)
		DOCA_LOG_INFO("a statement");
	else
		DOCA_LOG_DBG("%zu", sizeof(result));
	DOCA_LOG_TRC("%d", 1);
#ifndef DOCA_LOGGING_ALLOW_TRACE
	/* Traces are compiled out, so that programs have some that do not compile any more. */
	DOCA_LOG_TRC("%d", a_variable_that_is_gone);
#endif
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_buf_get_by_addr(inventory, mmap, NULL, 0, buf));
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_buf_get_by_data(inventory, mmap, NULL, 0, buf));
	return DOCA_IS_ERROR(result) ? 1 : 0;
}
EOF

# Up to 2.2, the headers of objects include those of the objects that they need. This file includes few
# headers.
cat >"$work/few.c" <<'EOF'
#include <doca_buf_inventory.h>
#include <doca_dma.h>
extern int few(struct doca_devinfo *info, struct doca_dma_job_memcpy *job);
int few(struct doca_devinfo *info, struct doca_dma_job_memcpy *job)
{
	struct doca_dev *dev = NULL;
	struct doca_dma *dma = NULL;
	struct doca_mmap *mmap = NULL;
	struct doca_buf_inventory *inventory = NULL;
	doca_error_t result = doca_dev_open(info, &dev);
	DOCA_ERROR_PROPAGATE(result, doca_dma_create(&dma));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_dev_add(doca_dma_as_ctx(dma), dev));
	DOCA_ERROR_PROPAGATE(result, doca_mmap_create(NULL, &mmap));
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &inventory));
	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_buf_by_addr(inventory, mmap, NULL, 1, &job->dst_buff));
	DOCA_ERROR_PROPAGATE(result, doca_buf_refcount_rm(job->dst_buff, NULL));
	return DOCA_IS_ERROR(result) ? 1 : 0;
}
EOF
# Each of these two headers also works alone.
cat >"$work/few_inventory.c" <<'EOF'
#include <doca_buf_inventory.h>
extern int few(struct doca_buf *buf);
int few(struct doca_buf *buf) { return DOCA_BUF_EXTENSION_NONE + (doca_buf_refcount_rm(buf, NULL) != DOCA_SUCCESS); }
EOF
cat >"$work/few_dma.c" <<'EOF'
#include <doca_dma.h>
extern int few(struct doca_dma_job_memcpy *job);
int few(struct doca_dma_job_memcpy *job) { return doca_buf_refcount_rm(job->dst_buff, NULL) != DOCA_SUCCESS; }
EOF

# The header of clocks includes that of their devices, with the sizes.
cat >"$work/clock.c" <<'EOF'
#include <doca_clock.h>
struct choice { char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE]; };
extern doca_error_t clock_of(const struct choice *choice, struct doca_devinfo *info, struct doca_clock **clock);
doca_error_t clock_of(const struct choice *choice, struct doca_devinfo *info, struct doca_clock **clock)
{
	struct doca_dev *dev = NULL;
	uint8_t is_equal = 0;
	doca_error_t result = doca_devinfo_is_equal_pci_addr(info, choice->pci_addr, &is_equal);
	DOCA_ERROR_PROPAGATE(result, doca_dev_open(info, &dev));
	DOCA_ERROR_PROPAGATE(result, doca_clock_create(dev, clock));
	return result;
}
EOF

# A program for several versions defines its own functions under the names that a version lacks.
cat >"$work/own.c" <<'EOF'
#define DOCA_API_NO_HINTS
#include <doca_buf.h>
#include <doca_error.h>
extern int own(struct doca_buf *buf);
#if DOCA_USE_VERSION < 205
static doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *n) { return doca_buf_refcount_rm(buf, n); }
static const char *doca_error_get_descr(doca_error_t error) { return doca_get_error_string(error); }
#else
static doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *n) { return doca_buf_dec_refcount(buf, n); }
static const char *doca_get_error_string(doca_error_t error) { return doca_error_get_descr(error); }
#endif
int own(struct doca_buf *buf)
{
	return doca_buf_refcount_rm(buf, NULL) == doca_buf_dec_refcount(buf, NULL) &&
	       doca_get_error_string(DOCA_SUCCESS) == doca_error_get_descr(DOCA_SUCCESS);
}
EOF

# compile COMPILER LANGUAGE STANDARD FLAGS FILE...
compile()
{
	compiler=$1 language=$2 std=$3 extra=$4
	shift 4
	# shellcheck disable=SC2086
	"$compiler" -x "$language" -std="$std" $flags $extra "$@" || fail "$compiler -std=$std $extra"
	n_compiled=$((n_compiled + $#))
}

compile_all()
{
	for std in c99 c11 c17 c++11 c++17; do
		case $std in
		c++*) compiler=$2 language=c++ ;;
		*) compiler=$1 language=c ;;
		esac
		for extra in "" "-DDOCA_ARCH_DPU -DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_LOGGING_ALLOW_TRACE"; do
			compile $compiler $language $std "$extra" "$work/all.$newest" "$work/dococ.c" "$work/use.c" \
				"$work/clock.c"
		done
		for version in $versions; do
			# The oldest standards are the strictest; the newer ones are used with one
			# version only.
			case $std in
			c99 | c++11) ;;
			*) [ "$version" = "$newest" ] || continue ;;
			esac
			flag="-DDOCA_USE_VERSION=$version -DDOCA_ALLOW_EXPERIMENTAL_API"
			# All headers in one file as well, in reverse order: none depends on the includes of
			# another one.
			compile $compiler $language $std "$flag" "$work/all.$version" "$work/own.c"
			[ "$version" -gt 202 ] || compile $compiler $language $std "$flag" "$work"/few*.c
		done
	done
	# shellcheck disable=SC2046
	compile "$1" c c99 "" $(cat "$work/of.$newest")
	# shellcheck disable=SC2046
	compile "$2" c++ c++17 "" $(cat "$work/of.$newest")
}

# refuse NAME COMPILER FLAGS TEXT: checks that the text does not compile.
refuse()
{
	printf '%s\n' "$4" >"$work/refuse"
	# shellcheck disable=SC2086
	if "$2" -x c -std=c11 -Wall -Werror -fsyntax-only "-I$src" $3 "$work/refuse" >/dev/null 2>&1; then
		fail "$2 accepts $1"
	fi
}

refuse_all()
{
	log='#include <doca_log.h>
DOCA_LOG_REGISTER(REFUSE);'
	refuse "a wrong format" "$1" "" "$log
void f(void) { DOCA_LOG_INFO(\"%s\", 1); }"
	refuse "a wrong format in a trace" "$1" "-DDOCA_LOGGING_ALLOW_TRACE" "$log
void f(void) { DOCA_LOG_TRC(\"%s\", 1); }"
	refuse "both sides at once" "$1" "-DDOCA_ARCH_DPU -DDOCA_ARCH_HOST" "#include <doca_dev.h>"
	refuse "an experimental call without leave" "$1" "" "#include <doca_compat.h>
DOCA_EXPERIMENTAL void g(void);
void f(void) { g(); }"
	refuse "a deprecated call without leave" "$1" "" "#include <doca_compat.h>
DOCA_DEPRECATED void g(void);
void f(void) { g(); }"
	# With permission, the same text compiles, so the missing permission is the reason for the
	# error above.
	printf '#include <doca_compat.h>\nDOCA_DEPRECATED DOCA_EXPERIMENTAL void g(void);\n%s\n' \
		'void f(void) { g(); }' >"$work/refuse"
	"$1" -x c -std=c11 -Wall -Werror -fsyntax-only "-I$src" -DDOCA_ALLOW_DEPRECATED_API \
		-DDOCA_ALLOW_EXPERIMENTAL_API "$work/refuse" || fail "$1 refuses a call that was permitted"
}

compile_all gcc g++
refuse_all gcc
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
	compile_all clang clang++
	refuse_all clang
else
	echo "note: clang is not installed, gcc only"
fi

echo "$(ls "$src"/*.h | wc -l) headers, $n_compiled compilations, $n_failed failures"
[ $n_failed -eq 0 ]
