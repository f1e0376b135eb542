#!/bin/sh
# Checks that every function-like macro of the public headers works in all places where programs use
# it: in each version that has it, in C and C++, without warnings. The headers determine the list of
# macros; macros.txt determines how each is used: a macro without a row is an error, and so is a row
# without a macro. Exit status 77 if gcc or g++ is missing.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
table=${DOCO_MACROS:-$src/tests/abi/macros.txt}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_compiled=0

for tool in gcc g++; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done
compilers="gcc g++"
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
	compilers="gcc g++ clang clang++"
else
	echo "note: clang is not installed, gcc only"
fi

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

headers=$src/include
. "$src/tests/abi/headers_of.sh"

# Macros that a program may define before it includes headers.
switches="-DDOCA_LOGGING_ALLOW_TRACE -DDOCA_LOGGING_ALLOW_DLOG"
experimental=-DDOCA_ALLOW_EXPERIMENTAL_API

# macros_of VERSION: prints the names of the function-like macros that the headers define.
macros_of()
{
	gcc -E -dM -DDOCA_USE_VERSION="$1" "-I$headers" "$work/all.c" |
		sed -n 's/^#define \(_*DOC[AO][A-Z0-9_]*\)(.*/\1/p' | LC_ALL=C sort
}

# uses_of VERSION: prints C code that uses each macro in $work/names in every place that its kind
# permits.
uses_of()
{
	cat "$work/all.c"
	cat <<-'END'
	struct stamped { DOCA_STRUCT_START; int value; };
	#ifdef __cplusplus
	template <unsigned long long> struct holder { int value; };
	#endif
	END
	awk -F ' *[|] *' '
		NR == FNR { there[$1] = 1; next }
		/^#/ || NF < 2 || !($1 in there) { next }
		{ name = $1; kind = $2; use = $3; value = $4 }
		kind == "register" {
			print "#ifdef __cplusplus"
			print "namespace outer { namespace inner {\n" use "\n} namespace other {\n" use ";\n} }"
			print "namespace {\n" use "\n}"
			print "extern int after_namespace(struct doca_log_backend *backend);"
			print "#else"
			print use
			print "#endif"
		}
		kind == "scope" {
			global = inside = use
			gsub(/NAME/, "global_" name, global)
			gsub(/NAME/, "inside_" name, inside)
			print "extern struct stamped global_" name ";"
			print global ";"
			print "extern int in_function_" name "(void);"
			print "int in_function_" name "(void)\n{\n\t" inside ";\n\treturn inside_" name ".value;\n}"
		}
		kind == "value" {
			print "extern char is_" name "[" use " == " value " ? 1 : -1];"
			print "extern char times_" name "[1ull * " use " == 1ull * " value " ? 1 : -1];"
			print "#ifdef __cplusplus\nextern holder<" use "> held_" name ";\n#endif"
		}
		kind == "value" || kind == "read" {
			print "extern int use_" name "(int n, struct stamped *p);"
			print "int use_" name "(int n, struct stamped *p)\n{"
			print "\tif (!" use ")\n\t\tn++;\n\telse\n\t\tn--;"
			print "\tif (n)\n\t\tn = (int)" use ";\n\telse\n\t\t(void)" use ";"
			print "\tn += n ? (int)" use " : (int)" use " + 1;"
			print "\tswitch (n) {\n\tdefault:\n\t\tn = (int)" use ";\n\t}"
			print "\treturn n + (int)" use " + (p != NULL);\n}"
		}
		kind == "call" {
			print "extern doca_error_t use_" name "(int n, struct stamped *p);"
			print "doca_error_t use_" name "(int n, struct stamped *p)\n{"
			print "\tstruct stamped s = *p;\n\tdoca_error_t r = DOCA_SUCCESS;\n"
			print "\t" use ";"
			print "\tif (n)\n\t\t" use ";\n\telse\n\t\t" use ";"
			print "\tif (n)\n\t\t" use ";\n\telse if (p != NULL)\n\t\tn++;"
			print "\tfor (; n < 3; n++)\n\t\t" use ";"
			print "\twhile (n-- > 0)\n\t\tif (n == 1)\n\t\t\t" use ";\n\t\telse\n\t\t\tbreak;"
			print "\tdo\n\t\t" use ";\n\twhile (n > 0);"
			print "\tn ? (void)" use " : (void)0;"
			print "\t(void)(n++, " use ");"
			print "\tswitch (n) {\n\tcase 1:\n\t\t" use ";\n\t\tbreak;\n\tdefault:\n\t\t" use ";\n\t}"
			print "\tif (n)\n\t\tgoto out;"
			print "\tn++;\nout:\n\t" use ";"
			print "\treturn s.value ? DOCA_ERROR_AGAIN : r;\n}"
		}' "$work/names" "$table"
}

# Names that programs use for their own macros; ours must not break because of them.
own_names="-DDEBUG=1 -DINFO=2 -DERROR=3 -DWARNING=4 -DTRACE=5 -DCRIT=6"

# compile VERSION FLAGS: compiles $work/use.c in each language, with and without a semicolon if both are
# allowed.
compile()
{
	for compiler in $compilers; do
		case $compiler in
		*++) language=c++ standards="c++11 c++14 c++17" ;;
		*) language=c standards="c99 c11 c17" ;;
		esac
		for standard in $standards; do
			# shellcheck disable=SC2086
			$compiler -x $language -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Wno-unused-label \
				-DDOCA_USE_VERSION="$1" $experimental $2 "-I$headers" "$work/use.c" \
				"$work/use_with_semicolon.c" || fail "$compiler -std=$standard, version $1 $2"
			n_compiled=$((n_compiled + 2))
		done
	done
}

sed -n 's/^\([A-Z_][A-Z0-9_]*\) *|.*/\1/p' "$table" | LC_ALL=C sort >"$work/rows"
LC_ALL=C uniq -d "$work/rows" | sed 's/^/twice in macros.txt: /' >"$work/twice"
[ ! -s "$work/twice" ] || fail "$(cat "$work/twice")"

: >"$work/seen"
newest=
for version in $(sed -n 's/^versions = //p' "$src/include/Makefile.include"); do
	headers_of "$version" || fail "the headers of $version do not preprocess"
	macros_of "$version" >"$work/names"
	cat "$work/names" >>"$work/seen"
	uses_of "$version" >"$work/use.c"
	sed 's/DOCA_LOG_REGISTER(.*)$/&;/' "$work/use.c" >"$work/use_with_semicolon.c"
	compile "$version" ""
	newest=$version
done
compile "$newest" "$switches $own_names"
headers_of 202 && macros_of 202 >"$work/names" && uses_of 202 >"$work/use.c"
cp "$work/use.c" "$work/use_with_semicolon.c"
compile 202 "$switches $own_names"

# Also compares the macros in the text of the headers, because a version for which no test is
# compiled may have more.
sed -n 's/^ *# *define  *\([A-Za-z_][A-Za-z0-9_]*\)(.*/\1/p' "$headers"/*.h "$headers"/dococ/*.h >>"$work/seen"
LC_ALL=C sort -u "$work/seen" >"$work/macros"
LC_ALL=C comm -23 "$work/macros" "$work/rows" >"$work/diff"
[ ! -s "$work/diff" ] || fail "macros.txt has no row for these macros: $(tr '\n' ' ' <"$work/diff")"
LC_ALL=C comm -13 "$work/macros" "$work/rows" >"$work/diff"
[ ! -s "$work/diff" ] || fail "the headers do not have these macros of macros.txt: $(tr '\n' ' ' <"$work/diff")"

echo "$(wc -l <"$work/macros") macros, $n_compiled compilations, $n_failed failures"
[ $n_failed -eq 0 ]
