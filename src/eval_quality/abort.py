"""Cancellation handed to a port: a signal that is raised once, with a reason (spec 08, section 8)."""

from __future__ import annotations

from collections.abc import Callable


class AbortError(Exception):
    """The reason of a signal that was raised without one, and what an aborted effect fails with."""

    def __init__(self, message: str = "The operation was aborted") -> None:
        super().__init__(message)


class AbortSignal:
    """Whether work should stop. Its maker calls ``abort``; whoever works looks at ``aborted`` or adds a listener.

    ``abort`` may be called from any thread and from a signal handler; listeners run there.
    """

    def __init__(self) -> None:
        self._reason: object = None
        self._aborted = False
        self._listeners: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        return self._aborted

    @property
    def reason(self) -> object:
        """Why; ``None`` before the signal is raised."""
        return self._reason

    def abort(self, reason: object = None) -> None:
        """Raise the signal; only the first call counts. Listeners run at once, in the order they were added."""
        if self._aborted:
            return
        self._aborted = True
        self._reason = AbortError() if reason is None else reason
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Have ``listener`` called when the signal is raised (not when it already was)."""
        if not self._aborted:
            self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[], None]) -> None:
        """Take a listener back; one that is not there is no error."""
        if listener in self._listeners:
            self._listeners.remove(listener)
