"""The watchdog: starts a target in a session of its own and ends the target's group when the host is gone.

Run as a script by ``watched_target`` with the number of one end of a socket pair; imports nothing of this package. The
host sends one JSON line ``{"argv", "cwd", "env"}`` and is told, a JSON line each, ``{"spawned": pid}`` and ``{"exit":
{"code", "signal"}}``, or ``{"error": errno}``. The line ``release`` lets the watchdog go without killing; the end of
the stream or of the host, however it came about, makes it kill the group (spec 12, section 6).

Every run waits for this script to be up, so it imports little.
"""

import contextlib
import errno
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Mapping

_PR_SET_CHILD_SUBREAPER = 36


def _encoded(text: str) -> bytes:
    """UTF-8, with U+FFFD for each lone surrogate."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _execute(argv: list[bytes], env: dict[bytes, bytes]) -> None:
    """Become the target: a bare name is searched on its PATH, a script without interpreter line goes to the shell."""
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


def _reset_signals() -> None:
    """Every signal as a fresh process has it, whatever the host and this interpreter ignore or block."""
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _start(argv: list[str], cwd: str, env: dict[str, str]) -> int:
    """The target's process id, once it runs; raises the ``OSError`` that kept it from running."""
    words = [_encoded(word) for word in argv]
    variables = {_encoded(key): _encoded(value) for key, value in env.items()}
    failed, fail = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            _reset_signals()
            os.chdir(_encoded(cwd))
            _execute(words, variables)
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
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _host_process() -> int | None:
    """A descriptor that can be read once the host is gone, even if a fork of it still holds the socket (Linux)."""
    try:
        return os.pidfd_open(os.getppid())
    except (AttributeError, OSError):
        return None


def _send(host: int, message: Mapping[str, object]) -> None:
    with contextlib.suppress(OSError):  # a host that is gone is noticed by the next read
        os.write(host, json.dumps(message).encode() + b"\n")


def _read_line(host: int) -> bytes:
    line = bytearray()
    while not line.endswith(b"\n"):
        chunk = os.read(host, 1 << 20)
        if not chunk:
            break
        line += chunk
    return bytes(line)


def _word(host: int) -> bytes:
    try:
        return os.read(host, 64)
    except OSError:
        return b""


def _exit_of(status: int) -> Mapping[str, object]:
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    return {"exit": {"code": code, "signal": number}}


def _let_go_of_streams() -> None:
    """Leave the target's streams to the target."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)


def main(host: int) -> None:
    """Serve one target of the host at the other end of a socket."""
    os.set_inheritable(host, False)
    host_process = _host_process()
    line = _read_line(host)
    if not line.endswith(b"\n"):
        return
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    _adopt_orphans()
    try:
        target = _start(**json.loads(line))
    except OSError as error:
        _send(host, {"error": error.errno})
        return
    _send(host, {"spawned": target})
    _let_go_of_streams()
    waiting = select.poll()
    for watched in (host, wake, host_process):
        if watched is not None:
            waiting.register(watched, select.POLLIN)
    while True:
        ready = {number for number, _ in waiting.poll()}
        if wake in ready:
            os.read(wake, 4096)
        for pid, status in _reaped():
            if pid == target:
                _send(host, _exit_of(status))
        if ready & {host, host_process}:
            if host not in ready or not _word(host).startswith(b"release"):
                _kill_group(target)
            return


if __name__ == "__main__":
    main(int(sys.argv[1]))
