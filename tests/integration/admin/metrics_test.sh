#!/bin/sh
# doca-admin metrics: the text is read by the OpenMetrics parser of Prometheus' Python client, and its
# numbers are those of doca-admin --json; the same over HTTP, on a socket as a socket unit passes it,
# also while the daemon is gone. Runs in the build directory. Exit status 77: skipped.
set -u

admin=$PWD/doca-admin
DOCOCORED=${DOCOCORED:-$PWD/dococored}
export DOCOCORED
python=/usr/bin/python3
"$python" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null ||
	{ echo "skipped: python3-prometheus-client is not installed"; exit 77; }
for program in "$admin" "$DOCOCORED" "$PWD/examples/comch_echo_server" "$PWD/examples/comch_echo_client"; do
	[ -x "$program" ] || { echo "skipped: $program was not built"; exit 77; }
done
unset DOCA_SIDE DOCOCORED_SOCKET DOCOCORED_BUS NOTIFY_SOCKET LISTEN_FDS LISTEN_PID
work=$(mktemp -d /tmp/doco-metrics-test-XXXXXX) || exit 99
lab=$work/lab
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	timeout -k 5 60 "$admin" lab down --dir "$lab" >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM

timeout -k 5 60 "$admin" lab up --dir "$lab" >"$work/up" 2>&1 || { cat "$work/up"; exit 1; }
"$admin" lab exec --dir "$lab" --side dpu -- "$PWD/examples/comch_echo_server" --name echo --clients 2 --timeout 100 \
	>"$work/server" 2>&1 &
server=$!
until grep -q serving "$work/server"; do
	kill -0 "$server" 2>/dev/null || { echo "FAIL: the server ended"; cat "$work/server"; exit 1; }
	sleep 0.05
done
timeout -k 5 60 "$admin" lab exec --dir "$lab" --side host -- "$PWD/examples/comch_echo_client" --name echo \
	--messages 1000 --timeout 50 >"$work/client" 2>&1 || { echo "FAIL: the client"; cat "$work/client"; exit 1; }

cat >"$work/check.py" <<'END'
import http.client, json, os, socket, subprocess, sys, time
from prometheus_client.openmetrics.parser import text_string_to_metric_families

admin, lab = sys.argv[1:]
where = ["--dir", lab, "--side", "dpu"]

def run(*words):
    return subprocess.run([admin, *words, *where], check=True, capture_output=True, text=True,
                          timeout=60).stdout

def check(what, good):
    if not good:
        sys.exit("FAIL: " + what)

def families(text):
    return {f.name: f for f in text_string_to_metric_families(text)}

def sample(family, **labels):
    found = [s for s in family.samples if labels.items() <= s.labels.items()]
    check(f"{len(found)} samples of {family.name} with {labels}, not 1", len(found) == 1)
    return found[0].value

def compare(text):
    got = families(text)
    for client in json.loads(run("clients", "--json")):
        me = {"client": str(client["id"]), "program": client["program"]}
        for family, field in (("client_requests", "n_requests"),
                              ("client_received_messages", "n_received"),
                              ("client_tasks_completed", "n_completed")):
            check(f"{family} of {me}", sample(got["dococore_" + family], **me) == client[field])
    for context in json.loads(run("counters", "--json")):
        me = {"context": str(context["id"]), "serial": str(context["serial"])}
        check(f"moved bytes of {me}",
              sample(got["dococore_context_moved_bytes"], **me) == context["moved_bytes"])
        if context["n_timed"] > 0:
            check(f"timed tasks of {me}",
                  sample(got["dococore_context_task_seconds"], le="+Inf", **me) == context["n_timed"])
    services = json.loads(run("services", "--json"))
    check("one service", len(services) == 1)
    check("channels of the service", sample(got["dococore_service_channels"], service="echo") ==
          services[0]["n_channels"])
    check("the peer", sample(got["dococore_peer_connected"]) == 1)
    check("the daemon", sample(got["dococore_daemon"], side="dpu") == 1)

def fetch(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    reply = connection.getresponse()
    return reply.status, reply.getheader("Content-Type"), reply.read().decode()

compare(run("metrics"))

listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
child = os.fork()
if child == 0:
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
    os.execv(admin, [admin, "metrics", "--listen", "systemd", *where])
listener.close()
try:
    status, kind, text = fetch(port, "/metrics")
    check(f"status {status}: {text}", status == 200)
    check(f"content type {kind}", kind.startswith("application/openmetrics-text; version=1.0.0"))
    compare(text)
    check("another path", fetch(port, "/")[0] == 404)
    subprocess.run([admin, "lab", "down", "--dir", lab], check=True, capture_output=True, timeout=60)
    # Answers within a second are the same.
    end = time.monotonic() + 60
    while status == 200 and time.monotonic() < end:
        status, kind, text = fetch(port, "/metrics")
    check(f"without a daemon: status {status}", status == 503)
    check(f"without a daemon: {text}", "doca-admin" in text)
finally:
    os.kill(child, 15)
    os.waitpid(child, 0)
END
timeout -k 5 100 "$python" "$work/check.py" "$admin" "$lab" || exit 1
kill "$server" 2>/dev/null
wait "$server" 2>/dev/null
server=

"$admin" metrics --listen nowhere 2>"$work/err"
[ $? -eq 2 ] || { echo "FAIL: a wrong address is accepted"; exit 1; }
grep -q "PORT, for example 127.0.0.1:9469, not 'nowhere'" "$work/err" || { echo "FAIL:"; cat "$work/err"; exit 1; }
