#!/bin/sh
# Checks the symbols of a build against build-aux/layers.txt: a file of client/ or daemon/ calls only
# files of its own room and of lower rooms, and no cycle of files that call each other is longer than
# layers.txt allows.
#
#   layers.sh [BUILD-DIR]   prints a line per finding and fails if there is one; default: the build
#                           in which `make check` runs
#
# lint.sh checks the include lines; this script checks the output of nm, so it also finds a function
# that is declared in one room and defined in another.
set -eu

build=${1:-${top_builddir:?usage: layers.sh BUILD-DIR}}
top=$(cd "$(dirname "$0")/.." && pwd)
layers=$top/build-aux/layers.txt

# Prints each object as "file SOURCE", followed by its symbols from nm.
list_symbols()
{
	find "$build/client" "$build/daemon" -name '*.o' \( -path '*/.libs/*' -o -name 'dococored-*' \) |
		sort | while IFS= read -r object; do
		source=$(printf '%s\n' "${object#"$build"/}" |
			sed -E 's,/\.libs/,/,; s,/(lib[a-zA-Z0-9_]*_la|dococored)-([^/]*)$,/\2,; s,\.o$,.c,')
		# A build directory may contain objects of files that were moved since.
		[ -f "$top/$source" ] || [ -f "$build/$source" ] || continue
		echo "file $source"
		nm -P "$object" | cut -d' ' -f1,2
	done
}

list_symbols | awk -v layers="$layers" '
	function room_of(path,    part, n) {
		if (path in height) return path
		n = split(path, part, "/")
		return n > 2 ? part[1] "/" part[2] : part[1]
	}
	function report(text) {
		print "layers: " text
		n_findings++
	}
	BEGIN {
		while ((getline line < layers) > 0) {
			n = split(line, part, " ")
			if (part[1] == "except") {
				header = part[3]
				sub(/\.h$/, ".c", header)
				is_excepted[part[2], header] = 1
			}
			if (part[1] == "cycle") max_cycle[part[2]] = part[3]
			if (part[1] !~ /^(room|top)$/) continue
			n_layers++
			for (i = 2; i <= n; i++) height[part[i]] = n_layers
			if (part[1] == "top") for (i = 2; i <= n; i++) is_top[part[i]] = 1
		}
	}
	$1 == "file" { file = $2; n_files++; next }
	$2 == "U" { needs[file] = needs[file] " " $1; next }
	$2 ~ /^[A-Z]$/ { if (!($1 in defined_in)) defined_in[$1] = file }
	function check_edge(from, to, symbol,    own, other) {
		# Tables that list other files are declared by the rooms that read them.
		if ((from in is_top) || (to in is_top) || ((from, to) in is_excepted)) return
		own = room_of(from)
		other = room_of(to)
		if (own == other) return
		if (!(other in height)) report("build-aux/layers.txt does not name the room of " to)
		else if (height[other] >= height[own])
			report(from " calls " symbol "() of " to)
	}
	# Tarjan: all files of one cycle get the same number.
	function visit(v,    n, next_file, i, w) {
		order[v] = low[v] = ++n_visited
		stack[++depth] = v
		on_stack[v] = 1
		n = split(calls[v], next_file, " ")
		for (i = 1; i <= n; i++) {
			w = next_file[i]
			if (!(w in order)) {
				visit(w)
				if (low[w] < low[v]) low[v] = low[w]
			} else if (on_stack[w] && order[w] < low[v]) {
				low[v] = order[w]
			}
		}
		if (low[v] != order[v]) return
		n = 0
		cycle = ""
		do {
			w = stack[depth--]
			on_stack[w] = 0
			cycle = cycle " " w
			n++
		} while (w != v)
		top = v
		sub(/\/.*/, "", top)
		if (n > longest[top]) longest[top] = n
		if (n > max_cycle[top] + 0)
			report("a cycle of " n " files, not of " max_cycle[top] + 0 " at most:" cycle)
	}
	END {
		if (n_files < 2) {
			print "layers: no objects in the build directory"
			exit 1
		}
		for (file in needs) {
			n = split(needs[file], symbol, " ")
			for (i = 1; i <= n; i++) {
				if (!(symbol[i] in defined_in)) continue
				to = defined_in[symbol[i]]
				if (to == file || ((file, to) in seen)) continue
				seen[file, to] = 1
				check_edge(file, to, symbol[i])
				if (!(to in is_top)) calls[file] = calls[file] " " to
			}
		}
		for (file in calls) if (!(file in order)) visit(file)
		for (top in longest) printf "%s: the longest cycle has %d files\n", top, longest[top]
		exit n_findings > 0
	}
'
