#!/bin/sh
# Released names stay in client/libdococlient.map permanently, in the stanza of their release, because existing programs are
# linked with them. Nothing is added to a released stanza either: a program that is linked with a new name must be refused
# by an older library. tests/abi/released.txt has the names of the last release; the script compares the map with it.
#
#   released.sh                    compares, as `make check` does; first tests the comparison with trees of its own
#   released.sh --record VERSION   writes released.txt from the map, as a step of a release
#
# If git knows a tag of a release, the script also checks that released.txt has every name of that tag.
set -u

src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# Prints the names of a map on stdin, each with its stanza.
stanzas()
{
	awk '/^[A-Za-z_0-9.]+ *\{/ { stanza = $1 } /^[ \t]*doc[a-z0-9_]*;/ { sub(/;.*/, "", $1); print stanza, $1 }' |
		LC_ALL=C sort
}

# keeps TREE: compares the map of the tree with its released.txt, and released.txt with the map of the last
# tag. Prints one line per difference, and the number of released names.
keeps()
{
	baseline=$1/tests/abi/released.txt
	stanzas <"$1/client/libdococlient.map" >"$work/now"
	grep -v '^#' "$baseline" >"$work/released"
	if ! [ -s "$work/released" ]; then
		echo "$baseline has no names"
		return 1
	fi
	cut -d' ' -f1 "$work/released" | sort -u >"$work/frozen"
	{
		LC_ALL=C comm -23 "$work/released" "$work/now" |
			sed "s/^/released, but gone from its stanza of the map: /"
		LC_ALL=C comm -13 "$work/released" "$work/now" | grep -wFf "$work/frozen" |
			sed "s/^/new in a stanza that is released; open a new stanza for it: /"
		if release=$(git -C "$1" describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null); then
			git -C "$1" show "$release:client/libdococlient.map" | stanzas >"$work/tagged"
			LC_ALL=C comm -23 "$work/tagged" "$work/released" |
				sed "s/^/in the map of $release, but not in released.txt: /"
		fi
	} >"$work/differences"
	cat "$work/differences"
	echo "$(wc -l <"$work/released") names are released"
	! [ -s "$work/differences" ]
}

# record TREE VERSION: writes released.txt of the tree.
record()
{
	{
		echo "# The names of version $2, each with its stanza in client/libdococlient.map. Written by released.sh --record."
		stanzas <"$1/client/libdococlient.map"
	} >"$1/tests/abi/released.txt"
}

if [ "${1-}" = --record ]; then
	record "$src" "${2:?usage: released.sh --record VERSION}"
	exit
fi

# --- the comparison itself ---

repository=$work/repository

# Runs git in the tree, independent of the user's configuration and of the environment of a hook.
git_here()
{
	git -C "$repository" -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false \
		-c tag.gpgsign=false -c core.hooksPath=/dev/null "$@" >>"$work/git.log" 2>&1
}

# map OLD-NAMES NEW-NAMES: writes a map with two stanzas.
map()
{
	mkdir -p "$repository/client"
	{
		echo 'DOCOCLIENT_1 {'
		echo 'global:'
		printf '\t%s;\n' $1
		echo 'local:'
		printf '\t*;\n};\n'
		[ -n "$2" ] && printf 'DOCOCLIENT_2 {\nglobal:\n' && printf '\t%s;\n' $2 && echo '} DOCOCLIENT_1;'
	} >"$repository/client/libdococlient.map"
}

# expect VERDICT TEXT WHAT: checks the result (yes or no) and the text of keeps.
expect()
{
	verdict=no
	keeps "$repository" >"$work/said" 2>&1 && verdict=yes
	if [ $verdict != "$1" ] || ! grep -qF "$2" "$work/said"; then
		cat "$work/said"
		fail "self-test: $3: the result is $verdict, not $1 with '$2'"
	fi
}

# Checks the comparison with released.txt.
self_test()
{
	mkdir -p "$repository/tests/abi"
	map "doca_a doca_b__v1_3 dococ_c" ""
	: >"$repository/tests/abi/released.txt"
	expect no "has no names" "an empty list of released names"
	record "$repository" 0.1
	expect yes "3 names are released" "the same map"
	map "dococ_c doca_a doca_b__v1_3" "doca_new"
	expect yes "3 names are released" "another order and a new stanza"
	map "doca_a doca_b__v1_3" ""
	expect no "gone from its stanza of the map: DOCOCLIENT_1 dococ_c" "a name that went"
	map "doca_a doca_b__v2_5 dococ_c" ""
	expect no "gone from its stanza of the map: DOCOCLIENT_1 doca_b__v1_3" "a name that changed"
	map "doca_b__v1_3 dococ_c" "doca_a"
	expect no "gone from its stanza of the map: DOCOCLIENT_1 doca_a" "a name that went to another stanza"
	map "doca_a doca_b__v1_3 doca_new dococ_c" ""
	expect no "open a new stanza for it: DOCOCLIENT_1 doca_new" "a name that came to a released stanza"
	map "doca_a doca_b__v1_3 dococ_c" "doca_new"
	record "$repository" 0.2
	map "doca_a doca_b__v1_3 dococ_c" "doca_newer"
	expect no "gone from its stanza of the map: DOCOCLIENT_2 doca_new" "a name of the next release"
}

# Checks the comparison of released.txt with the last tag, in the tree that self_test() left.
self_test_tags()
{
	map "doca_a doca_b__v1_3 dococ_c" ""
	record "$repository" 0.1
	if ! git_here init -q || ! git_here add client tests || ! git_here commit -q -m first; then
		cat "$work/git.log"
		fail "self-test: git cannot create a repository with a commit"
		return
	fi
	git_here tag other-1
	map "doca_a" ""
	record "$repository" 0.2
	expect yes "1 names are released" "a tag that is no release"
	git_here tag v0.1 || fail "self-test: git cannot create a tag"
	expect no "in the map of v0.1, but not in released.txt: DOCOCLIENT_1 dococ_c" "released.txt without a name of the tag"
	map "doca_a doca_b__v1_3 dococ_c" "doca_new"
	record "$repository" 0.2
	git_here commit -q -a -m second && git_here tag v0.2
	expect yes "4 names are released" "the map of the tag"
	map "doca_a doca_b__v1_3 dococ_c" ""
	record "$repository" 0.3
	expect no "in the map of v0.2, but not in released.txt: DOCOCLIENT_2 doca_new" "the last tag counts, not the first"
}

unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR
self_test
if command -v git >/dev/null; then
	self_test_tags
else
	echo "git is not installed: the comparison with tags was not tested"
fi

# --- this tree ---

if ! keeps "$src" >"$work/said" 2>&1; then
	fail "released names have changed; before the tag of a release exists, released.sh --record writes them again"
fi
cat "$work/said"

[ $n_failed -eq 0 ]
