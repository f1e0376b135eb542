#!/bin/sh
# Tests the bash completions: they are loaded in a separate bash and called as the shell calls them,
# and complete every command and option in --help. The manual pages must list the same commands and
# options. Runs in the build directory. Exit status 77: skipped.
set -u

command -v bash >/dev/null || { echo "skipped: bash is not installed"; exit 77; }
top_srcdir=$(cd "${top_srcdir:-.}" && pwd) || exit 99
files=$top_srcdir/tools/completions
admin=$PWD/doca-admin
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# complete_for PROGRAM WORD...: prints the completions of the last word, one per line.
complete_for() {
	# shellcheck disable=SC2016
	timeout -k 5 60 bash --norc --noprofile -c '
		. "$1/${2##*/}" || exit 1
		complete -p "${2##*/}" >/dev/null || exit 1
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		function=$(complete -p "${1##*/}" | sed "s/.*-F \([^ ]*\) .*/\1/")
		"$function"
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$files" "$@"
}

offers() {
	wanted=$1
	shift
	complete_for "$@" | grep -q -x -e "$wanted" || fail "'$wanted' is not offered for: $*"
}

# Commands and their options according to --help.
"$admin" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' >completion.commands
[ "$(wc -l <completion.commands)" -gt 10 ] || fail "--help names no commands"
complete_for "$admin" "" >completion.first
complete_for "$admin" help "" >completion.helped
while read -r command; do
	for words in first helped; do
		grep -q -x -e "$command" completion.$words || fail "'$command' is not offered: $words"
	done
	case $command in lab | sdk) continue ;; esac
	"$admin" "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort -u >completion.options
	complete_for "$admin" "$command" "--" >completion.offered
	while read -r option; do
		grep -q -x -e "$option" completion.offered || fail "'$option' is not offered for: $command"
	done <completion.options
done <completion.commands
rm -f completion.first completion.helped completion.offered
rm -f completion.commands completion.options
offers revoke "$admin" exports ""
offers disconnect "$admin" channels ""
offers drop "$admin" clients ""
offers host "$admin" status --side ""
offers debug "$admin" log-level d
offers DOCA_ERROR_AGAIN "$admin" explain DOCA_ERROR_A
offers up "$admin" lab ""
offers make "$admin" sdk ""
offers 2.10 "$admin" sdk make --api 2.1
# The options of commands with verbs, each with a verb that accepts them.
for group in "lab up exec status down" "sdk make exec"; do
	command=${group%% *}
	"$admin" "$command" --help | grep -oE -e '--[a-z-]*[a-z]' | sort -u >completion.options
	for verb in ${group#* }; do
		complete_for "$admin" "$command" "$verb" "--" >>completion.verbs
		offers "--help" "$admin" "$command" "$verb" "--"
	done
	[ "$(wc -l <completion.options)" -gt 2 ] || fail "$command --help names no options"
	while read -r option; do
		grep -q -x -e "$option" completion.verbs ||
			fail "'$option' is not offered for any command of '$command'"
	done <completion.options
	rm -f completion.options completion.verbs
done

# Values from a daemon: names, ids and numbers.
lab=$(mktemp -d /tmp/doco-completion-XXXXXX) || exit 99
trap 'timeout -k 5 60 "$admin" lab down --dir "$lab" >/dev/null 2>&1; rm -rf "$lab"' EXIT
if DOCOCORED=${DOCOCORED:-$PWD/dococored} timeout -k 5 60 "$admin" lab up --quiet --dir "$lab" >/dev/null; then
	offers pf0 "$admin" caps --dir "$lab" --side host ""
	offers pf0vf0 "$admin" exports --dir "$lab" --side host --device ""
	offers pf0vf1 "$admin" devices show --dir "$lab" --side host ""
	offers 2 "$admin" devices show --dir "$lab" --side host ""
	offers hpf0 "$admin" representors show --dir "$lab" --side dpu ""
	offers hpf1vf0 "$admin" representors --dir "$lab" --side dpu --name ""
	offers dpu "$admin" peers show --dir "$lab" --side host ""
	complete_for "$admin" exports revoke --dir "$lab" --side host "" | grep -q '^[0-9]' &&
		fail "names of exports are completed although there are none"
else
	fail "lab up"
fi
[ -z "$(complete_for "$admin" reload --bogus)" ] || fail "an unknown option is completed"
offers --log-level "$PWD/dococored" "--log"
offers dpu dococored --side ""

# options_of TEXT: prints each long option in the text once.
options_of() {
	grep -oE -e '(^|[^a-z-])--[a-z][a-z-]*' | grep -oE -e '--[a-z-]*[a-z]' | sort -u
}

# same PROGRAM PAGE: compares the options in completion.help with those of the manual page.
same() {
	sed 's/Fl -/--/g; s/\\-/-/g' "$top_srcdir/doc/$2" | options_of >completion.man
	[ "$(wc -l <completion.help)" -gt 4 ] || fail "$1 --help names no options"
	comm -23 completion.help completion.man | while read -r option; do
		echo "$2 does not explain $option, which $1 --help names"
	done >completion.differ
	comm -13 completion.help completion.man | while read -r option; do
		echo "$2 explains $option, which $1 --help does not name"
	done >>completion.differ
	[ ! -s completion.differ ] || fail "$(cat completion.differ)"
}

for program in dococored.8 doca-bench.1; do
	"$PWD/${program%.*}" --help | options_of >completion.help
	same "${program%.*}" "$program"
	while read -r option; do
		offers "$option" "$PWD/${program%.*}" "--"
	done <completion.help
done
{
	echo --version
	for command in $("$admin" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
		"$admin" "$command" --help
		sed -n 's/^\.\(Cm\|It Cm\) //p' "$top_srcdir/doc/doca-admin.1" | tr ' ' '\n' |
			grep -q -x -e "$command" || fail "doca-admin.1 does not explain '$command'"
	done
} | options_of >completion.help
same doca-admin doca-admin.1
rm -f completion.help completion.man completion.differ

[ $failures -eq 0 ] && echo "completion: passed"
[ $failures -eq 0 ]
