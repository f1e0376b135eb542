#!/bin/sh
# Calls every function of the library with NULL and zero for all arguments, each in a process of its own. None may crash except
# those whose description in the headers says that they do not check for NULL: accessors of the data path. A call that returns
# DOCA_ERROR_INVALID_VALUE must set an error sentence, and the header must document each error that a call returns. Exit status
# 77 if python3 or nm is missing.
set -u

src=$(cd "${top_srcdir:?run by make check}" && pwd)
lib=${DOCO_LIB:-${top_builddir:?run by make check}/client/.libs/libdococlient.so}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

for tool in python3 nm; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is not installed"
		exit 77
	fi
done

nm -D --defined-only "$lib" | awk '$2 == "T" { sub(/@.*/, "", $3); if ($3 ~ /^doc/) print $3 }' | LC_ALL=C sort -u >"$work/symbols"
python3 - "$lib" "$src/include" "$work/symbols" <<'END'
import ctypes, glob, os, re, signal, sys

library, headers, symbols = sys.argv[1:]
INVALID_VALUE, NO_SENTENCE = 6, 200
N_ARGUMENTS, DEADLINE_S = 8, 20

block = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*(?:DOCA_\w+)\s([^;]*?)\b(doc[ao]\w*)\s*\(", re.S)
codes = dict((int(n), name) for name, n in
             re.findall(r"(DOCA_ERROR_\w+) = (\d+)", open(headers + "/doca_error.h").read()))


def with_parts(header, stem):
    """Reads a header and its parts in dococ/."""
    content = open(headers + "/" + header).read()
    return content + "".join(with_parts(part, stem) for part in
                             re.findall("#include <(dococ/%s_\\w+\\.h)>" % stem, content))


# Collects the errors that a function may return: those of its doc block and those of the first
# comment of its header.
documented = {}
for header in glob.glob(headers + "/*.h"):
    stem = re.sub("^.*/(doca_)?|\\.h$", "", header)
    content = with_parts(os.path.basename(header), stem)
    for text, result_type, name in block.findall(content):
        if result_type.strip() == "doca_error_t":
            found = re.findall("DOCA_ERROR_[A-Z_]+", text + content.split("*/")[0])
            documented.setdefault(name, set()).update(found)

unchecked = set()
for header in glob.glob(headers + "/*.h") + glob.glob(headers + "/dococ/*.h"):
    content = open(header).read()
    # Some headers state it once for all accessors of tasks.
    top = re.sub(r"\s+\*?\s*", " ", content.split("*/")[0])
    for_all = re.search("not check (the|a|its|their) task for NULL|task must not be NULL", top)
    for text, _, name in block.findall(content):
        text = re.sub(r"\s+\*?\s*", " ", text)
        says_so = "must not be NULL" in text or "not checked" in text
        if says_so or (for_all and re.search("_task_.*_[gs]et_", name)):
            unchecked.add(name)

lib = ctypes.CDLL(library)
lib.dococ_last_error.restype = ctypes.c_char_p
n_failed = n_crashed = n_refused = 0
for symbol in open(symbols).read().split():
    child = os.fork()
    if child == 0:
        signal.alarm(DEADLINE_S)
        null = os.open("/dev/null", os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        function = getattr(lib, symbol)
        function.restype = ctypes.c_int
        result = function(*[ctypes.c_void_p()] * N_ARGUMENTS)
        is_silent = result == INVALID_VALUE and not lib.dococ_last_error()
        os._exit(NO_SENTENCE if is_silent else result & 0x7f)
    status = os.waitpid(child, 0)[1]
    name = re.sub("__v[0-9_]+$", "", symbol)
    if os.WIFSIGNALED(status):
        n_crashed += 1
        if name not in unchecked or os.WTERMSIG(status) == signal.SIGALRM:
            print("FAIL:", symbol, "ends the process with", signal.Signals(os.WTERMSIG(status)).name)
            n_failed += 1
    elif os.WEXITSTATUS(status) == NO_SENTENCE:
        print("FAIL:", symbol, "refuses its arguments without a sentence")
        n_failed += 1
    else:
        code = codes.get(os.WEXITSTATUS(status))
        n_refused += os.WEXITSTATUS(status) == INVALID_VALUE
        if name in documented and code is not None and code not in documented[name]:
            print("FAIL:", symbol, "returns", code + ", which its header does not document")
            n_failed += 1
print(n_refused, "refuse NULL,", n_crashed, "do not check for it,", n_failed, "failures")
sys.exit(n_failed > 0 or n_refused == 0)
END
