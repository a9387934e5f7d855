"""A hand-written server that does exactly what it is told, well-mannered or not; needs the standard library only.

Its one argument is a JSON list of steps, each ``[name, *arguments]``; see ``STEPS``.
"""

import fcntl
import json
import os
import signal
import sys
import termios
import time
from collections.abc import Callable
from typing import Any

INITIALIZED = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18", "capabilities": {}}}
received: list[str] = []


def read(count: int = 1) -> None:
    """Take some lines of the client's."""
    for _ in range(count):
        received.append(sys.stdin.readline())


def write(text: str) -> None:
    """Put out text as it is."""
    os.write(1, text.encode("utf-8", "surrogatepass"))


def octets(numbers: list[int]) -> None:
    """Put out octets."""
    os.write(1, bytes(numbers))


def say(*messages: Any) -> None:
    """Put out JSON values, a line each."""
    write("".join(json.dumps(message) + "\n" for message in messages))


def handshake() -> None:
    """Take and answer the handshake, and take the two frames that follow."""
    read()
    say(INITIALIZED)
    read(2)


def answer(**result: Any) -> None:
    """Answer the call."""
    say({"jsonrpc": "2.0", "id": 2, "result": result})


def tell() -> None:
    """Answer the call with what was received, in its exact words."""
    answer(structuredContent={"lines": received})


def complain(text: str, times: int = 1) -> None:
    """Put out text on standard error."""
    sys.stderr.write(text * times)
    sys.stderr.flush()


def flood(stream: int) -> None:
    """Put out text without end."""
    while True:
        os.write(stream, b"x" * 65536)


def close(stream: int) -> None:
    """Close a stream."""
    os.close(stream)


def leave_it_to_a_child(code: int) -> None:
    """Exit; a child goes on with the steps that follow once its parent is gone."""
    parent = os.getpid()
    if os.fork():
        os._exit(code)
    while os.getppid() == parent:
        time.sleep(0.005)


def leave_alone(seconds: float) -> None:
    """Start a child that keeps the streams and waits."""
    if os.fork() == 0:
        time.sleep(seconds)
        os._exit(0)


def ignore_signals() -> None:
    """Ignore whatever can be ignored."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)


def mark(path: str) -> None:
    """Make a file, which says that it has come to this."""
    open(path, "x").close()


def wait_for(path: str) -> None:
    """Wait until a file is there."""
    while not os.path.exists(path):
        time.sleep(0.005)


def leave_unread(count: int) -> None:
    """Wait until so many octets of input are there, and take none of them."""
    unread = b"\0" * 4
    while int.from_bytes(unread, sys.byteorder) < count:
        time.sleep(0.005)
        unread = fcntl.ioctl(0, termios.FIONREAD, unread)


def end(code: int) -> None:
    """Exit without any ado."""
    os._exit(code)


def die(number: int) -> None:
    """End by a signal."""
    os.kill(os.getpid(), number)
    time.sleep(60)


STEPS: dict[str, Callable[..., None]] = {
    "answer": lambda result: answer(**result),
    "close": close,
    "complain": complain,
    "die": die,
    "end": end,
    "flood": flood,
    "handshake": handshake,
    "ignore_signals": ignore_signals,
    "leave_alone": leave_alone,
    "leave_it_to_a_child": leave_it_to_a_child,
    "leave_unread": leave_unread,
    "mark": mark,
    "octets": octets,
    "read": read,
    "say": say,
    "sleep": time.sleep,
    "tell": tell,
    "wait_for": wait_for,
    "write": write,
}

if __name__ == "__main__":
    for name, *arguments in json.loads(sys.argv[1]):
        STEPS[name](*arguments)
