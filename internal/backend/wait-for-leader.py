"""Hold a worker back until its leader listens.

Environment: LEADER_HOST and LEADER_PORT say for whom to wait. WAIT_SECONDS is the time between two looks (default 5),
SERVICE_ACCOUNT the folder of the pod's token.

The name of a leader that is being replaced may still resolve to the pod that goes, and that pod may still listen. So
the API server is asked whether the pod behind the address is Running and not going; where it does not answer, or this
pod may not ask, an open port is enough. There is no time limit: an image may take an hour to pull, and a leader that
never comes shows in the leader's own pod.
"""
import json
import os
import socket
import ssl
import sys
import time
import urllib.parse
import urllib.request

HOST = os.environ["LEADER_HOST"]
PORT = int(os.environ["LEADER_PORT"])
WAIT = float(os.environ.get("WAIT_SECONDS", "5"))
ACCOUNT = os.environ.get("SERVICE_ACCOUNT", "/var/run/secrets/kubernetes.io/serviceaccount")
CONNECT_SECONDS = 2
REPORT_SECONDS = 30


def say(text):
    print("wait-for-leader:", text, flush=True)


def read(name):
    with open(os.path.join(ACCOUNT, name), encoding="utf-8") as file:
        return file.read().strip()


def addresses():
    """The leader's addresses, none while its name does not resolve."""
    try:
        found = socket.getaddrinfo(HOST, PORT, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return sorted({entry[4][0] for entry in found})


def pods_at(address):
    """The pods of this namespace with an address, None when the API server does not say."""
    server = os.environ.get("KUBERNETES_SERVICE_HOST", "")
    if ":" in server:
        server = "[" + server + "]"
    try:
        query = urllib.parse.urlencode({"fieldSelector": "status.podIP=" + address})
        request = urllib.request.Request(
            "https://%s:%s/api/v1/namespaces/%s/pods?%s"
            % (server, os.environ.get("KUBERNETES_SERVICE_PORT", "443"), read("namespace"), query),
            headers={"Authorization": "Bearer " + read("token")},
        )
        trust = ssl.create_default_context(cafile=os.path.join(ACCOUNT, "ca.crt"))
        with urllib.request.urlopen(request, timeout=5, context=trust) as answer:
            return json.load(answer).get("items") or []
    except (OSError, ValueError):
        return None


def is_staying(pod):
    running = (pod.get("status") or {}).get("phase") == "Running"
    return running and not (pod.get("metadata") or {}).get("deletionTimestamp")


def obstacle():
    """What there is still to wait for, empty when the leader listens."""
    found = addresses()
    if not found:
        return "its name does not resolve"
    reasons = []
    for address in found:
        pods = pods_at(address)
        if pods is not None and not any(is_staying(pod) for pod in pods):
            reasons.append("no pod runs at " + address)
            continue
        try:
            socket.create_connection((address, PORT), timeout=CONNECT_SECONDS).close()
            return ""
        except OSError as error:
            reasons.append("%s: %s" % (address, error))
    return "; ".join(reasons)


def main():
    say("for %s:%d" % (HOST, PORT))
    started = reported = time.monotonic()
    while True:
        # Also before the first look: a leader that restarts together with this worker has time to go.
        time.sleep(WAIT)
        reason = obstacle()
        now = time.monotonic()
        if not reason:
            say("it listens after %d s" % (now - started))
            return 0
        if now - reported >= REPORT_SECONDS:
            reported = now
            say("still waiting after %d s: %s" % (now - started, reason))


if __name__ == "__main__":
    sys.exit(main())
