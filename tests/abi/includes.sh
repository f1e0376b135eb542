#!/bin/sh
# Every header of every version includes at least the headers in tests/abi/includes.txt, in C and in
# C++: programs include one header and use the names of another. Exit status 77 if gcc or g++ is
# missing.
set -u

src=${top_srcdir:?run by make check}/include
table=$top_srcdir/tests/abi/includes.txt
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0 n_compared=0

for tool in gcc g++; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

# Without librdmacm, the RDMA headers include neither its header nor those that its header includes.
has_rdma=true
if ! echo '#include <rdma/rdma_cma.h>' | gcc -E -x c - >/dev/null 2>&1; then
	has_rdma=false
	echo "note: librdmacm's headers are not installed; doca_rdma.h is not compared"
fi

# read_all VERSION COMPILER LANGUAGE STANDARD: writes, for each header that the table has for this
# version, one line with the header and every file that is read when it is included.
read_all()
{
	"$2" -M -x "$3" -std="$4" "-I$src" -DDOCA_USE_VERSION="$1" "$work/$1"/*.c 2>"$work/errors" |
		sed -e :join -e '/\\$/N; s/\\\n//; tjoin' |
		sed -n 's,^\([^ ]*\)\.o: [^ ]*,\1.h,p' >"$work/read"
	# A version that does not have a header refuses it; there must be no other error.
	if grep 'error:' "$work/errors" | grep -v '#error "doc[ao]'; then
		fail "$2: a header of version $1 does not compile"
	fi
}

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# rows VERSION: prints the rows of the table for this version, without the versions.
rows()
{
	awk -v version="$1" -v has_rdma=$has_rdma '
		/^#/ { next }
		has_rdma == "false" && $2 ~ /^doca_rdma/ { next }
		{ split($1, span, "-"); last = span[2] == "" ? span[1] : span[2] }
		version >= span[1] + 0 && version <= last + 0 { sub(/^[^ ]* /, ""); print }' "$table"
}

# compare VERSION COMPILER: compares each row with the files that were read.
compare()
{
	awk -v version="$1" -v compiler="$2" '
		NR == FNR { n = split($0, path); header = $1; is_there[header] = 1
			# A name in the table is a file, or a file with its folder.
			for (i = 2; i <= n; i++) {
				m = split(path[i], part, "/")
				reads[header, part[m]] = reads[header, part[m - 1] "/" part[m]] = 1
			}
			next }
		!is_there[$1] { next }
		{ n_compared++
		  for (i = 2; i <= NF; i++) if (!(($1, $i) in reads))
			printf "FAIL: %s: %s of version %s does not bring %s\n", compiler, $1, version, $i }
		END { print "compared " n_compared + 0 }' "$work/read" "$work/rows"
}

versions=$(sed -n 's/^versions = //p' "$src/Makefile.include")
for version in $versions; do
	mkdir "$work/$version"
	rows "$version" >"$work/rows"
	while read -r header _; do
		echo "#include <$header>" >"$work/$version/${header%.h}.c"
	done <"$work/rows"
	for compiler in "gcc c c99" "g++ c++ c++11"; do
		# shellcheck disable=SC2086
		read_all "$version" $compiler
		compare "$version" "${compiler%% *}" >"$work/result"
		grep '^FAIL' "$work/result"
		n=$(sed -n 's/^compared //p' "$work/result")
		n_compared=$((n_compared + n))
		n_failed=$((n_failed + $(grep -c '^FAIL' "$work/result")))
		[ "$n" -gt 0 ] || fail "no row of the table was compared for version $version"
	done
done

# In the folder, a program finds the headers of the SDK and no others, except two of our own. The
# table has no row for headers that include no other.
for header in "$src"/*.h; do
	case ${header##*/} in
	doca_api.h | dococ.h | doca_build_config.h | doca_clock.h | doca_common_defines.h | doca_compat.h | doca_config.h) continue ;;
	esac
	awk '!/^#/ { print $2 }' "$table" | grep -qx "${header##*/}" ||
		fail "${header##*/} has no row in $table; a header that only some versions have belongs in include/dococ"
done

echo "$n_compared headers compared, $n_failed failures"
[ $n_failed -eq 0 ]
