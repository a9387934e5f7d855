"""The watchdog: starts a target in a session of its own and ends the target's group when the host is gone.

Run as a script by ``process_group`` with the number of one end of a socket pair; imports nothing of this package. The
host sends one JSON line ``{"argv", "cwd", "env"}`` and is told, a JSON line each, ``{"spawned": pid}`` and ``{"exit":
{"code", "signal"}}``, or ``{"error": {"errno", "path"}}``. The line ``release`` lets the watchdog go without killing;
the end of the stream, however it came about, makes it kill the group (spec 12, section 6).
"""

import errno
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator

_PR_SET_CHILD_SUBREAPER = 36


def _encoded(text: str) -> bytes:
    """UTF-8, with U+FFFD for each lone surrogate."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _execute(argv: list[bytes], env: dict[bytes, bytes]) -> None:
    """Become the target: a bare name is searched on the child's PATH, a script without interpreter line goes to sh."""
    name = argv[0]
    if b"/" in name:
        candidates = [name]
    else:
        path = env.get(b"PATH", os.fsencode(os.defpath))
        candidates = [os.path.join(folder or b".", name) for folder in path.split(b":")]
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for candidate in candidates:
        try:
            os.execve(candidate, argv, env)
        except OSError as error:
            if error.errno == errno.ENOEXEC:
                os.execve(b"/bin/sh", [b"/bin/sh", candidate, *argv[1:]], env)
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                failure = error
                if error.errno != errno.EACCES:
                    break
    raise failure


def _start(spec: dict[str, object]) -> int:
    """The target's process id, once it runs; raises the ``OSError`` that kept it from running."""
    argv = [_encoded(word) for word in spec["argv"]]  # type: ignore[attr-defined]
    env = {_encoded(key): _encoded(value) for key, value in spec["env"].items()}  # type: ignore[attr-defined]
    failed, fail = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            os.chdir(_encoded(spec["cwd"]))  # type: ignore[arg-type]
            _execute(argv, env)
        except OSError as error:
            os.write(fail, str(error.errno or errno.EIO).encode())
        finally:
            os._exit(127)
    os.close(fail)
    with os.fdopen(failed, "rb") as report:
        number = report.read()
    if number:
        os.waitpid(pid, 0)
        raise OSError(int(number), os.strerror(int(number)))
    return pid


def _kill_group(group: int) -> None:
    """SIGKILL until nothing is left: a fork in flight can survive one."""
    for _ in range(100):
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
        for _ in _reaped():
            pass
        time.sleep(0.005)


def _reaped() -> Iterator[tuple[int, int]]:
    """Every child that has ended by now, with its status."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, status


def _adopt_orphans() -> None:
    """Become the parent of what the target's children leave behind (Linux), so that a killed group is gone at once."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _send(host: socket.socket, message: dict[str, object]) -> None:
    try:
        host.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        pass  # the host is gone, which the next read tells


def _read_line(host: socket.socket) -> bytes:
    line = bytearray()
    while not line.endswith(b"\n"):
        chunk = host.recv(1 << 20)
        if not chunk:
            break
        line += chunk
    return bytes(line)


def main(descriptor: int) -> None:
    """Serve one target."""
    host = socket.socket(fileno=descriptor)
    host.set_inheritable(False)
    line = _read_line(host)
    if not line.endswith(b"\n"):
        return
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    spec = json.loads(line)
    _adopt_orphans()
    try:
        target = _start(spec)
    except OSError as error:
        _send(host, {"error": {"errno": error.errno, "path": spec["argv"][0]}})
        return
    _send(host, {"spawned": target})
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    while True:
        ready, _, _ = select.select([host, wake], [], [])
        for pid, status in _reaped():
            if pid == target:
                code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
                number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
                _send(host, {"exit": {"code": code, "signal": number}})
        if wake in ready:
            os.read(wake, 4096)
        if host in ready:
            try:
                word = host.recv(64)
            except OSError:
                word = b""
            if not word.startswith(b"release"):
                _kill_group(target)
            return


if __name__ == "__main__":
    main(int(sys.argv[1]))
