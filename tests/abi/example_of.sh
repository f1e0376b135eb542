#!/bin/sh
# Sourced by tests of the examples in the headers. $headers: their folder.
: "${headers:?sourced by other tests}"

# example_of HEADER: writes the code of the header's example to stdout, preceded by a line that
# includes the header. The example is the indented text behind "Example:" in the first comment.
example_of()
{
	awk -v header="$1" '
		/^ \*\// { exit }
		/^ \* Example/ { is_found = 1; next }
		!is_found { next }
		/^ \*     / { code = code blank substr($0, 8) "\n"; blank = ""; next }
		/^ \*$/ { if (code) blank = blank "\n"; next }
		/^ \* / && code { exit }
		END {
			if (!code) exit 1
			if (code !~ "(^|\n)#define DOCA_USE_VERSION") printf "#include <%s>\n", header
			printf "%s", code
		}' "$headers/$1"
}
