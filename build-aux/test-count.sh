#!/usr/bin/env bash
# Evaluates the results of a `make check`.
#
#   test-count.sh DIR               prints "PASSED FAILED SKIPPED"
#   test-count.sh --failures DIR    prints, for each test that did not pass, its name and the few lines
#                                   of its log that explain the failure
#   test-count.sh --tails DIR       prints the end of the log of each test that did not pass
#   test-count.sh --slowest DIR     prints the slowest tests, in one line
#   test-count.sh --unfinished DIR  prints the tests that have no result, and the end of the logs of
#                                   those that were started; for a run that takes too long
#
# Counts the results that automake recorded (*.trs). A program of the Check library counts with its
# single cases, which are in its log.
set -euo pipefail

result_files() {
	# Skip other builds in folders below, which have Makefiles of their own.
	find "$1" -mindepth 2 -name config.status -printf '%h\n' >"$nested"
	find "$1" -name '*.trs' -print | sort | while IFS= read -r file; do
		while IFS= read -r dir; do
			[[ $file != "$dir"/* ]] || continue 2
		done <"$nested"
		printf '%s\n' "$file"
	done
}

count() {
	local file

	result_files "$1" | while IFS= read -r file; do
		# First the result, then the cases in the log, then the end of this test.
		grep '^:test-result:' "$file" || true
		grep -ahoE '[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+' "${file%.trs}.log" \
			2>/dev/null || true
		echo end
	done | awk '
	$1 == ":test-result:" {
		if ($2 == "PASS" || $2 == "XFAIL") p++
		else if ($2 == "SKIP") s++
		else f++
	}
	$2 == "Checks:" {
		gsub(",", "")
		checks += $3
		bad += $5 + $7
	}
	$1 == "end" {
		# Cases replace the single result of their program; a failure outside of the cases also
		# counts.
		if (checks > 0) {
			if (p == 1 && f == 0) p = checks - bad
			else if (f > 0) { p += checks - bad; f = bad > f ? bad : f }
			if (f == 0 && bad > 0) f = bad
		}
		passed += p; failed += f; skipped += s
		p = f = s = checks = bad = 0
	}
	END { print passed + 0, failed + 0, skipped + 0 }
	'
}

tails() {
	local file result

	result_files "$1" | while IFS= read -r file; do
		result=$(sed -n 's/^:global-test-result: *//p' "$file")
		case $result in
		PASS | XFAIL) ;;
		SKIP) printf -- '--- skipped %s: %s\n' "${file%.trs}" \
			"$(grep -avE "^SKIP |$took" "${file%.trs}.log" | tail -n 1)" ;;
		*)
			printf -- '--- %s %s\n' "$result" "${file%.trs}.log"
			tail -n 40 "${file%.trs}.log"
			;;
		esac
	done
}

# Prints the reason in the log: the lines of assertions, sanitizers and deadlines, or else the last
# ones.
reason() {
	local lines

	lines=$(grep -aE ':[0-9]+:[FE]:|^FAIL: |^not ok|Assertion|ERROR: [A-Za-z]*Sanitizer|WARNING: ThreadSanitizer|runtime error:|^deadline: not finished|left these processes|: not finished in ' \
		"$1" 2>/dev/null | head -n 4) || true
	[[ -n $lines ]] || lines=$(grep -avE "^(FAIL|SKIP|ERROR) .*\(exit status: [0-9]+\)\$|^\$|$took" "$1" 2>/dev/null |
		tail -n 2) || true
	cut -c1-300 <<<"${lines:-its log is empty}" | sed 's/^/    /'
}

failures() {
	local file result name

	result_files "$1" | while IFS= read -r file; do
		result=$(sed -n 's/^:global-test-result: *//p' "$file")
		[[ $result != PASS && $result != XFAIL ]] || continue
		name=${file#"$1"/}
		printf '%s %s\n' "$result" "${name%.trs}"
		reason "${file%.trs}.log"
	done
}

slowest() {
	local file

	result_files "$1" | while IFS= read -r file; do
		sed -En "s|$took|\\1 ${file##*/}|p" "${file%.trs}.log" | tail -n 1
	done | sort -rn | head -n 6 | awk '
	{ sub(/\.trs$/, "", $2); line = line (NR > 1 ? ", " : "") $2 " " $1 " s" }
	END { if (NR > 0) print "slowest: " line }'
}

unfinished() {
	local log n_waiting=0

	while IFS= read -r log; do
		[[ ! -e $1/${log%.log}.trs ]] || continue
		if [[ ! -e $1/$log ]]; then
			n_waiting=$((n_waiting + 1))
			continue
		fi
		printf -- '--- not finished: %s\n' "${log%.log}"
		tail -n 25 "$1/$log"
	done < <(env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory -C "$1" print-test-logs)
	[[ $n_waiting -eq 0 ]] || echo "--- $n_waiting tests were not started"
}

# The line that deadline.sh prints at the end of a test.
took='^deadline: took ([0-9.]+) s$'
nested=$(mktemp)
trap 'rm -f "$nested"' EXIT
case ${1:-} in
--failures) failures "$2" ;;
--tails) tails "$2" ;;
--slowest) slowest "$2" ;;
--unfinished) unfinished "$2" ;;
'' | -*)
	echo "usage: test-count.sh [--failures | --tails | --slowest | --unfinished] DIR" >&2
	exit 2
	;;
*) count "$1" ;;
esac
