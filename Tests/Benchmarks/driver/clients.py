"""The programs that are compared, each with a running process of it."""

import os
import struct
from dataclasses import dataclass, field

from log import Log
from processes import Failure, Process, wait_until
from server import Server


@dataclass(frozen=True)
class Kind:
    """A library with its settings."""

    name: str
    program: str
    # Frames of the client's periods.
    period: int
    settings: tuple[str, ...] = field(default=())
    is_ours: bool = False


class Client:
    """A client that runs, with its log."""

    _number = 0

    def __init__(self, kind: Kind, server: Server, programs: str, *arguments: str):
        Client._number += 1
        path = f"{server.folder}/{Client._number}"
        self.kind = kind
        self._heap = f"{path}.heap"
        environment = server.client_environment | {
            "LD_PRELOAD": f"{programs}/heap.so", "BENCHMARK_HEAP": self._heap, "SDL_AUDIODRIVER": "pulseaudio"}
        self.process = Process(
            [f"{programs}/{kind.program}", f"{path}.log", str(kind.period), *kind.settings, *arguments], environment,
            f"{path}.errors")
        try:
            self.begin, self.end = self._reply("started", 10)
            self.log = Log(f"{path}.log")
        except Failure:
            self.process.kill()
            raise
        finally:
            # Open already where it is needed, and large.
            if os.path.exists(f"{path}.log"):
                os.remove(f"{path}.log")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        if os.path.exists(self._heap):
            os.remove(self._heap)

    def _reply(self, word: str, seconds: float) -> tuple[int, int]:
        first, begin, end = self.process.line(seconds).split()
        if first != word:
            raise Failure(f"{self.kind.name} says {first}")
        return int(begin), int(end)

    def do(self, command: str) -> tuple[int, int]:
        """Has our client do something; when it began and ended."""
        self.process.send(command)
        return self._reply("done", 10)

    def stop(self) -> float:
        """Milliseconds that a stop took."""
        self.process.close_input()
        begin, end = self._reply("stopped", 10)
        self.process.wait(10)
        return (end - begin) / 1e6

    def wait_for_sound(self, seconds: float, since: int = 0):
        return wait_until(lambda: self.log.first_heard(since), seconds, f"{self.kind.name} is not heard")

    @property
    def heap_calls(self) -> tuple[int, int]:
        """All so far, and those that are not libpulse's."""
        with open(self._heap, "rb") as file:
            return struct.unpack("<qq", file.read(16))
