"""Processes that are measured and that never stay behind."""

import ctypes
import os
import signal
import subprocess
import time

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
_running: list["Process"] = []


class Failure(Exception):
    """The benchmark cannot go on; the text says why."""


def now() -> int:
    """CLOCK_MONOTONIC in nanoseconds, as in the clients' logs."""
    return time.monotonic_ns()


def wait_until(condition, seconds: float, what: str = ""):
    """Waits for a condition and returns its value; None after the time, or a failure when it is said what."""
    deadline = now() + int(seconds * 1e9)
    while True:
        value = condition()
        if value:
            return value
        if now() > deadline:
            if what:
                raise Failure(f"{what} within {seconds} s")
            return None
        time.sleep(0.005)


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """A child process. Its standard output can be read line by line."""

    def __init__(self, command: list[str], environment: dict[str, str], errors: str):
        with open(errors, "ab") as stream:
            self._child = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stream,
                preexec_fn=_die_with_parent)
        self.pid = self._child.pid
        self.name = os.path.basename(command[0])
        self.errors = errors
        self._output = b""
        os.set_blocking(self._child.stdout.fileno(), False)
        _running.append(self)

    @property
    def is_running(self) -> bool:
        return self._child.poll() is None

    def send(self, line: str):
        self._child.stdin.write(line.encode() + b"\n")
        self._child.stdin.flush()

    def close_input(self):
        self._child.stdin.close()

    def _next_line(self):
        # Asked first: what it wrote before it ended is there then.
        was_running = self.is_running
        self._output += self._child.stdout.read() or b""
        line, newline, rest = self._output.partition(b"\n")
        if newline:
            self._output = rest
            return line.decode()
        if not was_running:
            with open(self.errors, errors="replace") as stream:
                raise Failure(f"{self.name} ended: {stream.read()[-500:]}")
        return None

    def line(self, seconds: float) -> str:
        """The next line of its output."""
        return wait_until(self._next_line, seconds, f"{self.name} tells nothing")

    def signal(self, number: int):
        if self.is_running:
            self._child.send_signal(number)

    def wait(self, seconds: float):
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} does not end") from None

    def kill(self):
        self.signal(signal.SIGKILL)
        self._child.wait()
        if self in _running:
            _running.remove(self)

    def _threads(self, file: str) -> list[str]:
        texts = []
        folder = f"/proc/{self.pid}/task"
        for thread in os.listdir(folder):
            try:
                with open(f"{folder}/{thread}/{file}") as stream:
                    texts.append(stream.read())
            except OSError:
                pass  # The thread ended meanwhile.
        return texts

    @property
    def cpu(self) -> int:
        """Nanoseconds of processor time, of the threads that run now."""
        return sum(int(text.split()[0]) for text in self._threads("schedstat"))

    @property
    def wakeups(self) -> int:
        """Voluntary context switches, of the threads that run now."""
        return sum(
            int(line.split()[1])
            for text in self._threads("status") for line in text.splitlines()
            if line.startswith("voluntary_ctxt_switches"))


def end_all():
    for process in list(_running):
        process.signal(signal.SIGCONT)
        process.kill()


class Load:
    """Busy loops, for as long as the context lasts."""

    def __init__(self, count: int, environment: dict[str, str], errors: str):
        self._arguments = (["sh", "-c", "while :; do :; done"], environment, errors)
        self._count = count

    def __enter__(self):
        self._loops = [Process(*self._arguments) for _ in range(self._count)]

    def __exit__(self, *_):
        for loop in self._loops:
            loop.kill()
