#!/bin/sh
# Tests doca-admin which-api: it recognises programs of several versions by names, headers and
# numbers of arguments; shows the difference if two versions fit; and handles trees with links,
# pipes and binary files. Also tests its exit statuses. Also checks that each example of this
# repository fits the version for which it is built. Exit status 77: skipped.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
admin=${DOCA_ADMIN:-$PWD/doca-admin}
[ -x "$admin" ] || { echo "skipped: $admin was not built"; exit 77; }
work=$(mktemp -d /tmp/doco-which-test-XXXXXX) || exit 99
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
cd "$work" || exit 99
n_failed=0

fail()
{
	echo "FAIL: $*"
	n_failed=$((n_failed + 1))
}

# which STATUS ARGUMENT...: checks the exit status; the output is in out and err.
which_api()
{
	wanted=$1
	shift
	timeout -k 5 60 "$admin" which-api "$@" >out 2>err </dev/null
	status=$?
	[ $status -eq "$wanted" ] || fail "which-api $*: exit status $status, expected $wanted: $(cat out err)"
}

# prints TEXT: the answer contains a line with this text.
prints()
{
	grep -qF -e "$1" out || fail "the output lacks '$1': $(cat out err)"
}

prints_no()
{
	! grep -qF -e "$1" out || fail "the output has '$1': $(cat out)"
}

says()
{
	grep -qF -e "$1" err || fail "stderr lacks '$1': $(cat err)"
}

# fits VERSION...: checks the list of matching versions, the most likely first.
fits()
{
	[ "$(grep -A1 'versions fit' out | sed -n '2s/^ *//p')" = "$*" ] || fail "the fitting versions are not '$*': $(cat out err)"
}

# ---- programs of one version ---------------------------------------------------------------------

mkdir -p old/sub new
cat >old/copy.c <<'END'
#include <doca_dma.h>
/* doca_pe_create would be of another version, and so would this: doca_comch_server_create */
static const char text[] = "doca_pe_progress(pe)";
int copy(struct doca_mmap *map, void *memory)
{
	struct doca_workq *queue;
	struct doca_dma *dma;
	doca_mmap_set_memrange(map, memory, 4096);
	doca_dma_create(&dma);
	return doca_workq_create(8, &queue) + doca_workq_submit(queue, 0) + !text;
}
END
cat >new/copy.c <<'END'
#include <doca_dma.h>
int copy(struct doca_dev *dev, struct doca_dma **dma) { return doca_dma_create(dev, dma); }
END

which_api 0 old
fits 2.2 2.0
prints "8 names of DOCA in 1 file."
prints "1.5 does not have"
prints "doca_mmap_set_memrange (2.0 on), old/copy.c:8"
prints "2.5 does not have"
prints "doca_workq_create (1.3 to 2.2), old/copy.c:10; later doca_pe_create"
prints "doca_dma_create with 1 argument (1.3 to 2.2), old/copy.c:9"
prints_no "doca_pe_progress"
prints_no "comch"
# The two versions differ, and only in names that this program uses.
prints "doca_workq_create, 1.3 to 2.1: a copy overwrites"
prints "doca_workq_create, 2.2: a copy appends"
prints_no "doca_ctx_start,"
prints "doca-admin env --api 2.2"

which_api 0 new
fits 3.3 3.2 3.1 3.0 2.10 2.9 2.8 2.7 2.6 2.5
prints "doca_dma_create with 2 arguments (2.5 on), new/copy.c:2"
prints_no "behaves differently"

# ---- several programs in one tree ----------------------------------------------------------------

which_api 5 old new
prints "No version has all of them."
prints "old/copy.c"
prints "2.0 to 2.2:"
prints "2.5 on:"
prints_no "doca-admin env"

# A program for several versions contains conditions; names in them do not count, other names do.
cat >both.c <<'END'
#if DOCA_VER_MAJOR < 2
int start(void) { return doca_workq_create(8, 0); }
#else
int start(void) { return doca_pe_create(0); }
#endif
int stop(struct doca_mmap *map) { return doca_mmap_set_memrange(map, 0, 1); }
END
which_api 0 both.c
fits 3.3 3.2 3.1 3.0 2.10 2.9 2.8 2.7 2.6 2.5 2.2 2.0
prints "Not counted: 2 places below conditions"

# ---- libraries that are missing, and headers of the project itself -------------------------------

mkdir -p flow/include
echo '#include <doca_flow.h>
#include "include/doca_helpers.h"
int main(void) { return doca_dev_close(0); }' >flow/main.cc
echo 'int helper(void);' >flow/include/doca_helpers.h
echo 'int doca_pe_create(struct doca_pe **pe);' >flow/include/doca_pe.h
which_api 0 flow
prints "This runtime does not have"
prints "doca_flow.h, flow/main.cc:1"
prints "steering of packets in the card's switch; instead: tc flower"
prints_no "doca_helpers.h"
prints_no "doca_pe_create"

# ---- trees ---------------------------------------------------------------------------------------

mkdir -p tree/.git tree/deep
cp old/copy.c tree/deep/
echo 'int f(void) { return doca_pe_create(0); }' >tree/.git/hidden.c
echo 'doca_pe_create in a text' >tree/notes.txt
printf 'doca_pe_create(0)\0binary' >tree/binary.c
ln -s .. tree/deep/loop
ln -s loop.c tree/loop.c
ln -s nowhere.c tree/dangling.c
mkfifo tree/pipe.c
ln -s ../new tree/linked-folder
which_api 0 tree
fits 2.2 2.0
[ ! -s err ] || fail "errors for a correct tree: $(cat err)"
# A link to a source file counts as one, and so does a link that is given by name.
ln -s ../../new/copy.c tree/deep/new.c
which_api 5 tree
ln -s tree/deep/copy.c given
which_api 0 given
prints "given:10"
rm tree/deep/new.c

# Ten thousand files, one of them with a name of DOCA.
mkdir big
i=0
while [ $i -lt 100 ]; do
	mkdir big/$i
	i=$((i + 1))
done
for folder in big/*; do
	(cd "$folder" && seq 100 | sed 's/.*/int f&(int a);/' | split -l 1 -a 3 --additional-suffix=.c - f) || fail "the tree was not created"
done
cp old/copy.c big/57/
which_api 0 big
prints "8 names of DOCA in 1 file."

# A single line of many megabytes, and unterminated comments and lists.
{
	printf 'doca_dma_create('
	head -c 8000000 /dev/zero | tr '\0' '('
} >endless.c
which_api 0 endless.c
{
	printf 'int x; doca_pe_create(); /*'
	head -c 8000000 /dev/zero | tr '\0' '*'
} >comment.c
which_api 0 comment.c

# ---- exit codes ----------------------------------------------------------------------------------

which_api 2
says "takes files or folders"
which_api 2 --bogus old
which_api 2 ""
which_api 1 nothing-here
says "nothing-here: No such file or directory"
which_api 1 tree/binary.c
says "this is no text"
which_api 1 tree/pipe.c
says "neither a file nor a folder"
which_api 1 tree/loop.c
echo 'int main(void) { return 0; }' >none.c
which_api 5 none.c
says "no name of DOCA is used in the files that were read (1)"
# Readable files are evaluated; the status says that something is missing.
which_api 1 old nothing-here
fits 2.2 2.0
if [ "$(id -u)" -ne 0 ]; then
	mkdir closed && chmod 0 closed
	which_api 1 closed
	says "closed: Permission denied"
fi
# A file name with a terminal escape sequence.
cp old/copy.c "$(printf 'bad\033[31m.c')"
which_api 0 "$(printf 'bad\033[31m.c')"
prints 'bad?[31m.c:10'

# ---- JSON ----------------------------------------------------------------------------------------

if command -v python3 >/dev/null; then
	which_api 5 --json old new flow
	python3 - <<'END' || fail "JSON"
import json
answer = json.load(open("out"))
assert answer["read"] == 5 and answer["failed"] == 0 and answer["names"] == 10
assert len(answer["versions"]) == 14
assert not any(version["fits"] for version in answer["versions"])
missing = {row["name"]: row for row in next(v for v in answer["versions"] if v["version"] == "3.3")["missing"]}
assert missing["doca_workq_submit"]["later"] == "doca_task_submit"
assert missing["doca_dma_create"]["arguments"] == 1 and missing["doca_dma_create"]["line"] == 9
(absent,) = answer["absent_headers"]
assert (absent["header"], absent["file"], absent["line"]) == ("doca_flow.h", "flow/main.cc", 1)
assert "switch" in absent["library"] and "rte_flow" in absent["instead"]
files = {row["file"]: row["fits"] for row in answer["files"]}
assert files["old/copy.c"] == ["2.2", "2.0"], files
END
	which_api 0 --json old
	python3 - <<'END' || fail "JSON of what differs"
import json
answer = json.load(open("out"))
assert answer["versions"][0]["version"] == "2.2" and answer["versions"][0]["fits"]
assert {row["versions"] for row in answer["differences"]} == {"1.3 to 2.1", "2.2"}
END
fi

# ---- bindings call functions as members of a library ---------------------------------------------

mkdir bindings
cat >bindings/device.go <<'END'
/*
#include <doca_dev.h>
*/
import "C"
func open() { C.doca_devinfo_list_create(&list, &n) }
END
echo 'lib.doca_workq_create(32, byref(workq))' >bindings/queue.py
which_api 0 bindings
prints "2 names of DOCA in 2 files"

# ---- the sources of this repository --------------------------------------------------------------

# fitting VERSION FILE...: checks that the version is among the matching ones.
fitting()
{
	which_api 0 $2
	grep -A1 'versions fit' out | grep -q " $1\( \|\$\)" || fail "$2 is of $1: $(cat out)"
}
for row in 1.3:dma/mmap_end_1_3.c 1.5:dma/mmap_end_1_5.c 2.2:dma/mmap_end_2_2.c 3.3:dma/mmap_end_3_3.c \
	1.3:comch/channel_1_3.c 2.2:comch/channel_2_2.c 2.2:rdma/program_job.c 3.3:rdma/program_task.c; do
	fitting "${row%%:*}" "$src/tests/integration/${row#*:}"
done
fitting 1.3 "$src/examples/old_copier.c"
fitting 3.3 "$src/examples/dma_copier.c"

[ $n_failed -eq 0 ] && echo "which-api: passed"
[ $n_failed -eq 0 ]
