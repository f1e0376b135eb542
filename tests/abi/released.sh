#!/bin/sh
# Released names stay in client/libdococlient.map permanently, in the stanza of their release: existing programs are linked with
# them. Before it compares with the repository's last release, the script tests the comparison with a repository of its own: a
# name that was removed or moved to another stanza is refused; new stanzas and new names are not. Exit status 77 if git is
# missing.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
n_failed=0

if ! command -v git >/dev/null; then
	echo "skipped: git is not installed"
	exit 77
fi

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

# keeps REPOSITORY: checks that the names of its last release are in the same stanzas of its map. Prints
# their number, or the missing ones.
keeps()
{
	if ! git -C "$1" rev-parse --git-dir >/dev/null 2>"$work/refused"; then
		echo "not compared, for git knows no release: $(head -n 1 "$work/refused")"
		return 0
	fi
	if ! release=$(git -C "$1" describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null); then
		echo "no release yet whose names would have to stay"
		return 0
	fi
	git -C "$1" show "$release:client/libdococlient.map" >"$work/map" || return 1
	stanzas <"$work/map" >"$work/released"
	if ! [ -s "$work/released" ]; then
		echo "no names in the map of $release"
		return 1
	fi
	stanzas <"$1/client/libdococlient.map" >"$work/now"
	LC_ALL=C comm -23 "$work/released" "$work/now" >"$work/gone"
	sed "s/^/in $release, and no longer so in the list: /" "$work/gone"
	echo "$(wc -l <"$work/released") names were released in $release"
	! [ -s "$work/gone" ]
}

# --- the comparison itself ---

# In a repository of its own, independent of the user's configuration and of the environment of a
# hook.
repository=$work/repository
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
		fail "self-test: $3: it says $verdict, not $1 with '$2'"
	fi
}

self_test()
{
	mkdir "$repository"
	if ! git_here init -q; then
		cat "$work/git.log"
		fail "self-test: git makes no repository"
		return
	fi
	map "doca_a doca_b__v1_3 dococ_c" ""
	if ! git_here add client || ! git_here commit -q -m first; then
		cat "$work/git.log"
		fail "self-test: git takes no commit"
		return
	fi
	git_here tag other-1
	map "doca_a" ""
	expect yes "no release yet" "a tag that is no release"
	map "doca_a doca_b__v1_3 dococ_c" ""
	git_here tag v0.1 || fail "self-test: git takes no tag"
	expect yes "3 names were released in v0.1" "the same map"
	map "dococ_c doca_a doca_b__v1_3" "doca_new"
	expect yes "3 names were released in v0.1" "another order and a new stanza"
	map "doca_a doca_b__v1_3" ""
	expect no "in v0.1, and no longer so in the list: DOCOCLIENT_1 dococ_c" "a name that went"
	map "doca_a doca_b__v2_5 dococ_c" ""
	expect no "DOCOCLIENT_1 doca_b__v1_3" "a name that changed"
	map "doca_b__v1_3 dococ_c" "doca_a"
	expect no "DOCOCLIENT_1 doca_a" "a name that went to another stanza"
	# The last release counts, not the first.
	map "doca_a doca_b__v1_3 dococ_c" "doca_new"
	git_here commit -q -a -m second && git_here tag v0.2
	expect yes "4 names were released in v0.2" "the map of the next release"
	map "doca_a doca_b__v1_3 dococ_c" "doca_newer"
	expect no "in v0.2, and no longer so in the list: DOCOCLIENT_2 doca_new" "a name of the next release"
}

unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR
self_test

# --- this repository ---

keeps "$src" >"$work/said" 2>&1 || fail "released names have changed"
cat "$work/said"

[ $n_failed -eq 0 ]
