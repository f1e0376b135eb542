# shellcheck shell=sh disable=SC2034
# Sourced by the tests: a lab with the installed programs, in a directory of its own. $work is the
# directory, $examples that of the installed example programs.
set -eu
work=$(mktemp -d)
examples=/usr/share/doc/dococore-doc/examples
finish() {
	doca-admin lab down --dir "$work/lab" >/dev/null 2>&1 || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 99' HUP INT TERM
cd "$work"
doca-admin lab up --dir "$work/lab"

# on SIDE COMMAND...: runs the command as a program of that side.
on() {
	side=$1
	shift
	doca-admin lab exec --dir "$work/lab" --side "$side" -- timeout 60 "$@"
}
