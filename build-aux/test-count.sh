#!/usr/bin/env bash
# What a `make check` left behind.
#
#   test-count.sh DIR           prints "PASSED FAILED SKIPPED"
#   test-count.sh --tails DIR   prints the end of the log of each test that did not pass
#
# Counts the results that automake recorded (*.trs). A program of the Check library counts with its
# single cases, which are in its log.
set -euo pipefail

result_files() {
	# Not those of other builds in folders below: theirs is a Makefile of their own.
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
		# The result first, then the cases of the log, then the end of this test.
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
		# Cases replace the one result of their program; if it failed elsewhere, that counts too.
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
			"$(grep -v '^SKIP ' "${file%.trs}.log" | tail -n 1)" ;;
		*)
			printf -- '--- %s %s\n' "$result" "${file%.trs}.log"
			tail -n 40 "${file%.trs}.log"
			;;
		esac
	done
}

nested=$(mktemp)
trap 'rm -f "$nested"' EXIT
case ${1:-} in
--tails) tails "$2" ;;
'' | -*)
	echo "usage: test-count.sh [--tails] DIR" >&2
	exit 2
	;;
*) count "$1" ;;
esac
