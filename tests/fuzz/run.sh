#!/usr/bin/env bash
# Runs fuzz targets that are linked with libFuzzer, one at a time or several in parallel.
#
#   run.sh --seconds N [--jobs N] --source DIR TARGET...
#
# Each target starts with its seeds and the stored corpus, DIR/corpus/NAME.tar.xz; inputs that reach
# new code are added to tests/fuzz/corpus/NAME in the build directory. DIR/NAME.dict is its
# dictionary. Prints one line per target: executions, covered edges, corpus size and findings. Fails
# if a target crashed, hung or leaked; the input that caused it is tests/fuzz/corpus/NAME-crash-*.
set -euo pipefail

seconds=30 jobs=1 source='' targets=()
while [[ $# -gt 0 ]]; do
	case $1 in
	--seconds) seconds=$2; shift 2 ;;
	--jobs) jobs=$2; shift 2 ;;
	--source) source=$2; shift 2 ;;
	*) targets+=("$1"); shift ;;
	esac
done
[[ -n $source && ${#targets[@]} -gt 0 ]] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }

corpora=tests/fuzz/corpus
mkdir -p "$corpora"

run_target() {
	local target=$1 name corpus log dict=()
	name=$(basename "$target")
	corpus=$corpora/$name log=$corpora/$name.log

	mkdir -p "$corpus" "$corpus.seeds"
	[[ ! -f $source/corpus/$name.tar.xz ]] || tar -C "$corpus.seeds" -xf "$source/corpus/$name.tar.xz"
	[[ ! -f $source/$name.dict ]] || dict=(-dict="$source/$name.dict")
	# ptrace is forbidden in many containers, and LeakSanitizer needs it.
	FUZZ_SEED_DIR=$corpus.seeds "$target" -max_total_time="$seconds" -max_len=70000 -timeout=25 \
		-rss_limit_mb=4096 -print_final_stats=1 -close_fd_mask=1 "${dict[@]}" \
		-artifact_prefix="$corpora/$name-" "$corpus" "$corpus.seeds" >"$log" 2>&1 </dev/null
}

# Prints the summary at the end of the log of a target.
report() {
	local name=$1 status=$2 log=$corpora/$1.log

	awk -v name="$name" -v status="$status" '
		/^stat::number_of_executed_units:/ { runs = $2 }
		/ cov: / { for (i = 1; i < NF; i++) { if ($i == "cov:") edges = $(i + 1); if ($i == "corp:") corp = $(i + 1) } }
		END { printf "%-20s %12s runs  %6s edges  corpus %-12s %s\n", name, runs, edges, corp,
			status == 0 ? "no finding" : "FAILED" }' "$log"
	if [[ $status -ne 0 ]]; then
		grep -aE 'ERROR|SUMMARY|runtime error|_fuzz\.c:|Test unit written' "$log" | head -n 12 >&2 || true
	fi
}

failed=0 running=0
declare -A names=()
for target in "${targets[@]}" ''; do
	while [[ $running -gt 0 && ($running -ge $jobs || -z $target) ]]; do
		status=0
		wait -n -p ended || status=$?
		report "${names[$ended]}" "$status"
		[[ $status -eq 0 ]] || failed=$((failed + 1))
		running=$((running - 1))
	done
	[[ -n $target ]] || break
	run_target "$target" &
	names[$!]=$(basename "$target")
	running=$((running + 1))
done
[[ $failed -eq 0 ]]
