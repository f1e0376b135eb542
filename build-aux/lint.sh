#!/bin/sh
# Checks what a compiler does not: who may include whom, the size of files and folders, what the library
# never calls, and formatting. Prints one line per finding, "file:line: rule: what is wrong", and
# fails if there was an error; warnings only inform.
#
# layers.txt beside this script defines the permitted dependencies within client/ and daemon/.
#
#   lint.sh [SOURCE-DIR]     checks the tree (its tracked files if it uses git, else all files)
#   lint.sh --self-test      creates a small tree with every fault and checks that each rule finds it
#
# Needs sh and awk; uses clang-format and shellcheck if they are installed.
set -eu

max_lines=1200
warn_lines=800
# Text wraps at 100 columns; a long word may exceed them.
max_columns=110
# Other versions of clang-format format some lines differently, so their findings are only warnings.
clang_format_version=14

list_files() {
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1 &&
		[ -z "$(git rev-parse --show-prefix 2>/dev/null)" ]; then
		git ls-files -- "$@"
	else
		for pattern in "$@"; do
			find . \( -name 'build*' ! -name build-aux -o -name .git -o -name _inst -o \
				-name autom4te.cache \) -prune -o -type f -path "./$pattern" -print
		done | sed 's,^\./,,'
	fi | grep -v '^build-aux/ltmain\.sh$' | sort -u | while IFS= read -r file; do
		# A tracked file may be missing in the work tree.
		[ -f "$file" ] && printf '%s\n' "$file"
	done
}

# Dependency rules. The layer of a file is its top folder, its room is defined by layers.txt.
check_c_files() {
	# shellcheck disable=SC2016
	xargs awk -v layers="$layers" '
	function report(rule, text) {
		printf "%s:%d: %s: %s\n", FILENAME, FNR, rule, text
		n_errors++
	}
	function starts(text, prefix) {
		return substr(text, 1, length(prefix)) == prefix
	}
	function layer_of(path) {
		sub(/\/.*/, "", path)
		return path
	}
	# Returns the room of a path: a file that layers.txt lists, or client/FOLDER, daemon/FOLDER.
	function room_of(path,    part, n) {
		if (path in height) return path
		n = split(path, part, "/")
		return n > 2 ? part[1] "/" part[2] : part[1]
	}
	function read_layers(    line, part, n, i) {
		while ((getline line < layers) > 0) {
			n = split(line, part, " ")
			if (part[1] == "except") is_excepted[part[2], part[3]] = 1
			if (part[1] !~ /^(room|top)$/) continue
			n_layers++
			for (i = 2; i <= n; i++) height[part[i]] = n_layers
			if (part[1] == "top") for (i = 2; i <= n; i++) is_top[part[i]] = 1
		}
		if (n_layers == 0) {
			printf "%s: no layers could be read\n", layers
			exit 1
		}
	}
	# Returns whether this file of client/ or daemon/ may include a header of the same tree.
	function is_above(inc,    own, other) {
		own = room_of(FILENAME)
		other = room_of(inc)
		if (own == other || (FILENAME in is_top) || ((FILENAME, inc) in is_excepted)) return 1
		if (!(other in height)) return 0
		return height[other] < height[own]
	}
	# Returns whether a file of this layer may include this quoted path.
	function is_allowed(inc) {
		if (layer == "tests") return 1
		if (starts(inc, "tests/")) return 0
		if (starts(inc, "util/")) return layer != "include"
		if (layer == "util") return 0
		if (starts(inc, "proto/")) return layer == "proto" || layer == "daemon" || layer == "client"
		if (!starts(inc, layer "/")) return 0
		return layer == "client" || layer == "daemon" ? is_above(inc) : layer != "proto"
	}
	function check_quoted(inc) {
		if (inc ~ /^doca_/ || inc ~ /^dococ[.\/]/ || starts(inc, "include/")) {
			report("public-include", "write <" inc "> for a public header")
			return
		}
		# Examples are meant to be copied out of the tree, so they must not use internal
		# headers.
		if (layer == "examples") {
			if (inc ~ /\//) report("layer", "examples use public headers only, not \"" inc "\"")
			return
		}
		if (inc !~ /\//) {
			if (inc != "config.h") report("include-folder", "\"" inc "\" lacks its folder")
			return
		}
		if (!is_allowed(inc)) report("layer", room_of(FILENAME) " may not include \"" inc "\"; see build-aux/layers.txt")
	}
	function check_angled(inc) {
		if (inc ~ /^event2?\// && FILENAME !~ /^daemon\/base\/loop(_[a-z]+)?\.c$/ &&
		    FILENAME !~ /^(bench\/control\/echo|tools\/doca-admin\/commands\/metrics_serve)\.c$/)
			report("libevent", "only daemon/base/loop*.c include <" inc ">")
		if (inc ~ /^(util|proto|client|daemon|tools|bench)\//)
			report("include-folder", "write \"" inc "\" for a header of this tree")
		if (layer == "util" && inc ~ /^(doca_|dococ|protobuf|json|ini\.h|systemd|openssl|infiniband|rdma)/)
			report("layer", "util uses libc only, not <" inc ">")
		if (layer == "proto" && inc ~ /^(doca_|dococ|json|ini\.h|systemd|openssl|infiniband|rdma)/)
			report("layer", "proto uses libc and protobuf-c only, not <" inc ">")
		if ((layer == "daemon" || layer == "tools") && inc ~ /^(doca_|dococ[.\/])/)
			report("layer", layer " does not use the public interface <" inc ">")
		if (layer == "include" && inc !~ /^(doca_[a-z_]*|dococ|dococ\/[a-z_]+)\.h$/ &&
		    inc !~ /^(assert|endian|errno|inttypes|limits|sched|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time)\.h$/ &&
		    inc !~ /^(linux|sys|arpa)\/[a-z_]+\.h$/ && inc !~ /^(infiniband\/verbs|rdma\/rdma_cma)\.h$/)
			report("public-header", "a public header includes public and system headers only, not <" inc ">")
	}
	BEGIN { read_layers() }
	FNR == 1 {
		layer = layer_of(FILENAME)
		if ((layer == "client" || layer == "daemon") && !(room_of(FILENAME) in height))
			report("room", "build-aux/layers.txt does not name this room")
		in_define = 0
		in_comment = 0
		is_library = layer == "client"
		is_product = layer ~ /^(util|proto|client|daemon|tools|bench|include)$/
		n_ifs = n_nested = 0
		# The former names of calls are aliases; all other old calls are implemented with internal
		# functions.
		is_former = FILENAME ~ /^client\/compat\// && FILENAME !~ /^client\/compat\/cc\//
	}
	{
		line = $0
		# Ignore comments. A string could contain one, but no file here does.
		gsub(/\/\*[^*]*\*\//, " ", line)
		if (in_comment) {
			if (line !~ /\*\//) next
			sub(/^.*\*\//, "", line)
			in_comment = 0
		}
		if (line ~ /\/\*/) {
			sub(/\/\*.*$/, "", line)
			in_comment = 1
		}
	}
	layer == "include" && line ~ /^[ \t]*#[ \t]*if/ {
		# The guard of a whole header and the C linkage do not count.
		counts[++n_ifs] = line !~ /#[ \t]*(ifndef [A-Z0-9_]+_H_|ifdef __cplusplus)/
		n_nested += counts[n_ifs]
		if (n_nested > 1) report("nested-if", "a condition within a condition in a public header")
	}
	layer == "include" && line ~ /^[ \t]*#[ \t]*endif/ && n_ifs > 0 { n_nested -= counts[n_ifs--] }
	is_former && line ~ /^\t/ {
		code = line
		gsub(/"([^"\\]|\\.)*"/, "", code)
		gsub(/doca_[a-z0-9_]*_t[ \t]*\(/, "", code)
		if (code ~ /(^|[^a-zA-Z0-9_])doca_[a-z0-9_]+\(/)
			report("public-call", "earlier generations call internal functions, not public ones")
	}
	line ~ /^[ \t]*#[ \t]*include[ \t]*"/ {
		split(line, part, "\"")
		if (layer == "include") report("public-header", "\"" part[2] "\" in a public header")
		else check_quoted(part[2])
		next
	}
	line ~ /^[ \t]*#[ \t]*include[ \t]*</ {
		split(line, part, /[<>]/)
		check_angled(part[2])
		next
	}
	line ~ /^[ \t]*#[ \t]*define/ { in_define = is_product }
	in_define {
		# A C++ lambda returns to the macro that contains it.
		if (line ~ /\[\]\(\)/) in_lambda = 1
		if (!in_lambda && line ~ /(^|[^a-zA-Z0-9_])(return|goto)([^a-zA-Z0-9_]|$)/)
			report("macro", "a macro neither returns nor jumps")
		if (line !~ /\\$/) in_define = in_lambda = 0
	}
	is_library && line ~ /(^|[^a-zA-Z0-9_.>])(abort|_exit|_Exit|quick_exit|signal|sigaction|perror)[ \t]*\(/ {
		report("library-call", "the library never aborts, exits, prints or installs signal handlers")
	}
	# A program with more rights than its caller must not obey the environment of the caller.
	(is_library && FILENAME != "client/base/env.c" && line ~ /(^|[^a-zA-Z0-9_])(secure_)?getenv[ \t]*\(/) ||
	(layer == "tools" && line ~ /(^|[^a-zA-Z0-9_])getenv[ \t]*\(/) {
		report("environment", "the library reads variables with env_variable(), tools with secure_getenv()")
	}
	# Only the parser prints usage and version text to the terminal; the program ends afterwards.
	is_library && FILENAME !~ /^client\/argp\// &&
	line ~ /(^|[^a-zA-Z0-9_.>])(exit|printf|puts|putchar)[ \t]*\(|[(, ]std(out|err)[ ,)]/ && FILENAME !~ /^client\/base\/log[^\/]*\.c$/ {
		report("library-call", "the library never aborts, exits, prints or installs signal handlers")
	}
	END { exit n_errors > 0 }
	'
}

check_sizes() {
	xargs awk -v max="$max_lines" -v warn="$warn_lines" '
	function judge() {
		if (n > max) {
			printf "%s:%d: size: longer than %d lines\n", name, n, max
			n_errors++
		} else if (n > warn) {
			printf "%s:%d: warning: longer than %d lines\n", name, n, warn
		}
	}
	FNR == 1 { if (name != "") judge(); name = FILENAME }
	{ n = FNR }
	END { if (name != "") judge(); exit n_errors > 0 }
	'
}

# A folder with too many files must be divided into rooms.
check_folders() {
	sed 's,/[^/]*$,,' | sort | uniq -c | awk '
	{ limit = $2 ~ /^tests\// ? 40 : 26 }
	$1 > limit {
		printf "%s:0: folder: %d .c files, and %d are the limit; divide it into rooms\n", $2, $1, limit
		n_errors++
	}
	END { exit n_errors > 0 }
	'
}

check_format() {
	if ! command -v clang-format >/dev/null 2>&1; then
		echo "lint: clang-format is not installed, formatting was not checked"
		return 0
	fi
	if clang-format --version | grep -q "version $clang_format_version\\."; then
		xargs clang-format --dry-run -Werror --style=file
	else
		echo "lint: clang-format is not version $clang_format_version, so its findings are only warnings"
		xargs clang-format --dry-run --style=file
	fi
}

check_shell() {
	if ! command -v shellcheck >/dev/null 2>&1; then
		echo "lint: shellcheck is not installed, scripts were not checked"
		return 0
	fi
	xargs shellcheck --severity=warning
}

# make check executes these files directly.
check_modes() {
	n_bad=0
	while IFS= read -r file; do
		[ ! -x "$file" ] || continue
		echo "$file:1: mode: a test is executable: chmod +x"
		n_bad=$((n_bad + 1))
	done
	[ "$n_bad" -eq 0 ]
}

# Tables that name the test for each row: every row has one (or "-" in a column "test"), and the
# named tests are run.
check_tables() {
	runners=$(list_files '*Makefile.include' 'tests/vm/*')
	while IFS= read -r table; do
		# shellcheck disable=SC2086
		awk '
		function report(text) {
			printf "%s:%d: shown-by: %s\n", FILENAME, FNR, text
			n_errors++
		}
		function is_run(name) {
			if (name ~ /^examples\//) return (name in words)
			# Names of virtual machine tests are composed at run time: search for the
			# last part.
			if (name ~ /^(one|two)\//) {
				sub(/^.*[\/-]/, "", name)
				return ("vm " name) in words
			}
			return ("tests/" name) in words
		}
		FILENAME ~ /^tests\/vm\// && FILENAME !~ /Makefile/ {
			gsub(/[^a-zA-Z0-9_]+/, " ")
			n = split($0, part, " ")
			for (i = 1; i <= n; i++) words["vm " part[i]] = 1
			next
		}
		FILENAME != table {
			gsub(/[^a-zA-Z0-9_.\/-]+/, " ")
			n = split($0, part, " ")
			for (i = 1; i <= n; i++) words[part[i]] = 1
			next
		}
		/^[^|]/ || /^$/ { in_table = 0 }
		/ (shown by|test) \|$/ {
			in_table = 1
			may_lack = / test \|$/
			next
		}
		!in_table || /^\| ---/ { next }
		{
			sub(/ *\|$/, "")
			sub(/^.*\| /, "")
			n = split($0, name, /, */)
			if ($0 == "-" && may_lack) next
			if ($0 == "") report("the row names no test")
			for (i = 1; i <= n; i++) {
				sub(/^vm /, "", name[i])
				sub(/ .*$/, "", name[i])
				if (!is_run(name[i])) report("no makefile or script runs the test \"" name[i] "\"")
			}
		}
		END { exit n_errors > 0 }
		' table="$table" $runners "$table" || return 1
	done
}

# Pages: the length of lines, and of the text in cells of tables. Code is exempt, and so are tables,
# whose rows cannot be wrapped: there, the text of a cell counts without code and file names.
check_pages() {
	# shellcheck disable=SC2016
	xargs awk -v max="$max_columns" '
	function report(text) {
		printf "%s:%d: page: %s\n", FILENAME, FNR, text
		n_errors++
	}
	function text_length(cell) {
		gsub(/`[^`]*`/, "", cell)
		gsub(/\]\([^)]*\)/, "]", cell)
		gsub(/[^ ]*[\/_][^ ]*/, "", cell)
		gsub(/  +/, " ", cell)
		gsub(/^ | $/, "", cell)
		return length(cell)
	}
	FNR == 1 { in_code = 0 }
	/^ *```/ {
		in_code = !in_code
		next
	}
	in_code || /^(    |\t)/ { next }
	/^\|/ {
		n = split($0, cell, "|")
		for (i = 2; i < n; i++)
			if (text_length(cell[i]) > max)
				report("a cell has more than " max " characters of text; use a phrase")
		next
	}
	length($0) > max { report("more than " max " columns") }
	END { exit n_errors > 0 }
	'
}

# stage NAME FUNCTION PATTERN...: runs a check over files; without input, xargs would run it once.
stage() {
	name=$1 check=$2
	shift 2
	files=$(list_files "$@")
	if [ -z "$files" ]; then
		return 0
	fi
	if ! printf '%s\n' "$files" | "$check"; then
		echo "lint: $name: failed"
		n_failed=$((n_failed + 1))
	fi
}

lint_tree() {
	cd "$1"
	n_failed=0
	stage rules check_c_files '*.c' '*.h'
	stage sizes check_sizes 'util/*.[ch]' 'proto/*.[ch]' 'client/*.[ch]' 'daemon/*.[ch]' \
		'tools/*.[ch]' 'bench/*.[ch]'
	stage folders check_folders 'util/*.c' 'proto/*.c' 'client/*.c' 'daemon/*.c' 'tools/*.c' \
		'bench/*.c' 'tests/*.c'
	stage format check_format '*.c' '*.h'
	stage shell check_shell '*.sh' '.ci/run' 'build-aux/*-self-test'
	stage modes check_modes 'tests/*.sh' 'build-aux/*-self-test'
	stage tables check_tables 'doc/features.md'
	stage pages check_pages '*.md'
	if [ "$n_failed" -gt 0 ]; then
		return 1
	fi
	echo "lint: clean"
}

# Checks $tree with the rooms of the self-test.
lint_it() {
	sh "$rooms/lint.sh" "$tree" 2>&1
}

# bad RULE FILE TEXT: a file with this text must be reported under this rule. Findings of clang-format
# and shellcheck do not name a rule; for them the stage of that name must fail.
bad() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/$(dirname "$2")"
	printf '%b\n' "$3" >"$tree/$2"
	if out=$(lint_it); then
		echo "not ok: $1: $2 passed: $3"
		n_missed=$((n_missed + 1))
	elif ! printf '%s\n' "$out" | grep -q "^$2:[0-9]*: $1:" &&
		! printf '%s\n' "$out" | grep -qx "lint: $1: failed"; then
		printf 'not ok: %s: %s was reported as:\n%s\n' "$1" "$2" "$out"
		n_missed=$((n_missed + 1))
	else
		echo "ok: $1: $2"
	fi
}

# crowded FOLDER N: checks that N files in one folder are reported, and that one file less is not.
crowded() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/$1"
	i=0
	while [ $((i += 1)) -le "$2" ]; do
		echo "int a$i;" >"$tree/$1/a$i.c"
	done
	if out=$(lint_it) || ! printf '%s\n' "$out" | grep -q "^$1:0: folder:"; then
		printf 'not ok: folder: %s with %d files was reported as:\n%s\n' "$1" "$2" "$out"
		n_missed=$((n_missed + 1))
	fi
	rm "$tree/$1/a1.c"
	if ! out=$(lint_it); then
		printf 'not ok: folder: one file less than %d in %s:\n%s\n' "$2" "$1" "$out"
		n_missed=$((n_missed + 1))
	fi
}

# good FILE TEXT: a file with this text must not be reported.
good() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/$(dirname "$1")"
	printf '%b\n' "$2" >"$tree/$1"
	if out=$(lint_it); then
		echo "ok: clean: $1"
	else
		printf 'not ok: %s should be clean:\n%s\n' "$1" "$out"
		n_missed=$((n_missed + 1))
	fi
}

self_test() {
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	tree=$work/tree rooms=$work/rooms
	mkdir "$tree" "$rooms"
	# The self-test has rooms of its own, so that it does not depend on those of the tree.
	cp "$self" "$rooms/lint.sh"
	cat >"$rooms/layers.txt" <<-end
		room client/base
		room client/dma client/argp
		room client/compat
		top client/providers.c
		except client/dma/a.c client/compat/a.h to test exceptions
		room daemon/base
		room daemon/session
		top daemon/main.c
	end
	n_missed=0
	# Use the format of the tree; the self-test may also run where only this script was shipped.
	cp "$(dirname "$self")/../.clang-format" "$tree/" 2>/dev/null ||
		printf 'BasedOnStyle: LLVM\nUseTab: Always\nIndentWidth: 8\nTabWidth: 8\n' >"$tree/.clang-format"

	bad layer util/a.c '#include "proto/frame.h"'
	bad layer util/a.c '#include <protobuf-c/protobuf-c.h>'
	bad layer util/a.c '#include <doca_error.h>'
	bad layer proto/a.c '#include <json.h>'
	bad layer proto/a.c '#include "client/base/obj.h"'
	bad layer proto/a.c '#include "daemon/session.h"'
	bad layer daemon/base/a.c '#include "client/base/obj.h"'
	bad layer daemon/base/a.c '#include <doca_dev.h>'
	bad layer client/base/a.c '#include "daemon/session/session.h"'
	bad layer client/argp/a.c '#include "client/compat/dev.h"'
	bad layer client/argp/a.c '#include "client/dma/a.h"'
	bad layer client/dma/b.c '#include "client/compat/a.h"'
	bad layer client/dma/a.c '#include "client/compat/b.h"'
	bad layer daemon/base/a.c '#include "daemon/session/session.h"'
	bad layer daemon/session/a.c '#include "daemon/main.h"'
	bad layer client/compat/a.c '#include "client/providers.h"'
	bad room client/elsewhere/a.c 'int a;'
	bad room daemon/elsewhere/a.c 'int a;'
	bad layer tools/doca-admin/a.c '#include "daemon/session.h"'
	bad layer tools/doca-admin/a.c '#include <doca_dev.h>'
	bad layer tools/doca-admin/a.c '#include "proto/frame.h"'
	bad layer bench/a.c '#include "client/base/obj.h"'
	bad layer examples/a.c '#include "util/fd.h"'
	bad layer client/base/a.c '#include "tests/lib/fixture.h"'
	bad libevent daemon/base/session.c '#include <event2/event.h>'
	bad include-folder util/a.c '#include "fd.h"'
	bad include-folder daemon/base/a.c '#include <util/fd.h>'
	bad public-include client/base/a.c '#include "doca_dev.h"'
	bad public-include client/base/a.c '#include "include/doca_dev.h"'
	bad public-header include/doca_a.h '#include "util/fd.h"'
	bad public-header include/doca_a.h '#include <event.h>'
	bad public-include client/base/a.c '#include "dococ/a_task.h"'
	bad layer daemon/base/a.c '#include <dococ/a_task.h>'
	bad macro util/a.h '#define TRY(x) \\\\\n\tif (x)    \\\\\n\t\treturn 1'
	bad library-call client/base/a.c 'void f(void)\n{\n\tabort();\n}'
	bad library-call client/base/a.c 'void f(void)\n{\n\texit(1);\n}'
	bad library-call client/argp/a.c 'void f(void)\n{\n\tsigaction(1, a, b);\n}'
	bad library-call client/base/a.c 'void f(void)\n{\n\tfprintf(stderr, "x");\n}'
	bad environment client/compat/a.c 'void f(void)\n{\n\tgetenv("A");\n}'
	bad environment client/base/a.c 'void f(void)\n{\n\tsecure_getenv("A");\n}'
	bad environment tools/doca-admin/a.c 'void f(void)\n{\n\tgetenv("A");\n}'
	bad mode tests/abi/a.sh '#!/bin/sh'
	bad mode build-aux/a-self-test '#!/bin/sh'
	bad nested-if include/doca_a.h '#ifndef DOCA_A_H_\n#if A\n#if B\n#endif\n#endif\n#endif'
	bad public-call client/compat/a.c 'void f(void)\n{\n\tg(doca_buf_get_head(b));\n}'
	bad shown-by doc/features.md '| what | shown by |\n| --- | --- |\n| a | unit/no_test |'
	bad shown-by doc/features.md '| what | shown by |\n| --- | --- |\n| a | |'
	bad shown-by doc/features.md '| what | why | test |\n| --- | --- | --- |\n| a | b | unit/no_test |'
	bad page doc/a.md "$(printf '%0111d' 0)"
	bad page doc/a.md "$(printf '| a | %0111d |' 0)"
	crowded daemon/base 27
	crowded tests/unit/client/base 41
	bad size daemon/base/a.c "$(awk 'BEGIN { for (i = 0; i < 1201; i++) print "int a" i ";" }')"
	if command -v clang-format >/dev/null 2>&1 &&
		clang-format --version | grep -q "version $clang_format_version\\."; then
		bad format util/a.c 'int   a ;'
	fi
	if command -v shellcheck >/dev/null 2>&1; then
		bad shell tools/a.sh '#!/bin/sh\nif true; then'
	fi
	good util/a.c '#include <stdint.h>\n\n#include "util/fd.h"\n/* abort(); */'
	good client/compat/a.c '#include "client/base/a.h"\n#include "client/compat/b.h"\n#include "proto/ring.h"'
	good client/providers.c '#include "client/compat/a.h"'
	good client/dma/a.c '#include "client/compat/a.h"'
	good client/argp/a.c 'void f(void)\n{\n\texit(1);\n}'
	good client/base/log.c 'void f(void)\n{\n\tfprintf(stderr, "x");\n}'
	good daemon/main.c '#include "daemon/session/session.h"'
	good daemon/base/loop.c '#include <event2/event.h>'
	good daemon/base/loop_tls.c '#include <event2/event.h>'
	good include/doca_a.h '#include <stdint.h>\n\n#include <doca_error.h>'
	good include/doca_a.h '#include <dococ/a_task.h>'
	good include/doca_a.h '#ifndef DOCA_A_H_\n#if A\n#ifdef __cplusplus\n#endif\n#endif\n#if B\n#endif\n#endif'
	good client/compat/cc/a.c 'void f(void)\n{\n\tdoca_comch_server_destroy(s);\n}'
	good client/compat/a.c '/* doca_a(). */\nint doca_b(int a)\n{\n\terror("doca_c(x)");\n}'
	good doc/features.md '| what | why |\n| --- | --- |\n| a | unit/no_test |'
	good doc/features.md '| what | why | test |\n| --- | --- | --- |\n| a | b | - |'
	good doc/a.md "$(printf 'Text.\n\n    %0111d\n\n```\n%0111d\n```\n\n| `%0111d` | a/%0111d |' 0 0 0 0)"
	good tools/doca-admin/a.c 'void f(void)\n{\n\tsecure_getenv("A");\n}'
	good client/base/env.c 'void f(void)\n{\n\tsecure_getenv("A");\n}'
	good tests/unit/a.c '#include "client/base/obj.h"\n#include "daemon/session/session.h"'
	good examples/a.c '#include <doca_dev.h>\n\n#include "common.h"'

	for rule in $(sed -n 's/.*report("\([a-z-]*\)", .*/\1/p' "$self" | sort -u); do
		grep -q "^	bad $rule " "$self" && continue
		echo "not ok: $rule: the self-test has no fault for this rule"
		n_missed=$((n_missed + 1))
	done

	if [ "$n_missed" -gt 0 ]; then
		echo "lint self-test: $n_missed failed"
		return 1
	fi
	echo "lint self-test: all rules fire"
}

self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
layers=$(dirname "$self")/layers.txt
case ${1-} in
--self-test) self_test ;;
-*)
	echo "usage: lint.sh [SOURCE-DIR | --self-test]" >&2
	exit 2
	;;
*) lint_tree "${1:-$(dirname "$0")/..}" ;;
esac
