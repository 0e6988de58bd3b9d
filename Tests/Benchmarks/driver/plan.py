"""Which clients are compared, how often, and in what order."""

import os
import statistics
import sys
from dataclasses import dataclass

from clients import Kind
from processes import Failure
from scenarios import Bench, Times

OURS = Kind("AudioDeviceKit", "BenchmarkClient", 480, ("default",), is_ours=True)
LOW = Kind("AudioDeviceKit, low latency", "BenchmarkClient", 480, ("0",), is_ours=True)
RAW = Kind("libpulse 40/10/10 ms", "pulse", 480, ("1920", "480", "480"))
RAW_REALTIME = Kind("libpulse, real-time thread", "pulse", 480, ("1920", "480", "480", "fifo"))
CUBEB = Kind("cubeb 25 ms", "cubeb", 480, ("1200",))
PORTAUDIO = Kind("PortAudio 20 ms", "portaudio", 480, ("960",))
SDL = Kind("SDL2 480", "sdl", 480)
# The smallest of these that works is one of the clients that are compared.
SDL_PERIODS = [128, 192, 256, 384]


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    rounds: int
    seconds: float
    load_seconds: float
    starts: int
    times: Times
    kinds: tuple[Kind, ...]


FULL = Extent(4, 3.5, 4, 10, Times(), (RAW, RAW_REALTIME, OURS, LOW, CUBEB, PORTAUDIO, SDL))
QUICK = Extent(1, 1.3, 1.3, 2, Times(0.4, 1.3, 2, 4), (RAW, OURS, LOW, CUBEB, PORTAUDIO))


def _tell(text: str):
    print(text, file=sys.stderr, flush=True)


class Plan:
    """Runs everything, the clients taking turns, and keeps the results by client and measurement."""

    def __init__(self, bench: Bench, extent: Extent, ringtone: str):
        self._bench = bench
        self.extent = extent
        self._ringtone = ringtone
        self.kinds = list(extent.kinds)
        self.results: dict[str, dict[str, list]] = {}
        self.notes: list[str] = []
        # What else the machine does.
        self.load_average = os.getloadavg()[0]

    def run(self):
        self._find_least_of_sdl()
        extent = self.extent
        for turn in range(extent.rounds):
            _tell(f"round {turn + 1} of {extent.rounds}")
            self._all("steady", lambda kind: self._bench.steady(kind, extent.seconds))
        for turn in range(max(extent.rounds // 2, 1)):
            _tell("under load")
            self._all("load", lambda kind: self._bench.under_load(kind, extent.load_seconds))
        _tell("after stalls")
        self._all("server_stall", lambda kind: self._bench.after_stall(kind, "server"))
        self._all("client_stall", lambda kind: self._bench.after_stall(kind, "client"))
        _tell("starts")
        for _ in range(extent.starts):
            self._all("start", self._bench.median_of_a_start)
        _tell("reactions")
        for _ in range(extent.starts):
            self._one("reaction", OURS, lambda kind: self._bench.reactions(kind, self._ringtone))
        # Last, because it replaces the server.
        _tell("after a restart of the server")
        self._all("restart", self._bench.after_restart)

    def _one(self, name: str, kind: Kind, measure):
        try:
            self.results.setdefault(kind.name, {}).setdefault(name, []).append(measure(kind))
        except Failure as failure:
            self.notes.append(f"{name}: {failure}")
            _tell(self.notes[-1])

    def _all(self, name: str, measure):
        for kind in self.kinds:
            self._one(name, kind, measure)

    def _find_least_of_sdl(self):
        """The quickest that is heard at each of two starts, and once without a break while nothing else runs."""
        for period in SDL_PERIODS:
            kind = Kind(f"SDL2 {period}", "sdl", period)
            try:
                tries = [self._bench.steady(kind, min(self.extent.seconds, 2)) for _ in range(2)]
                breaks = min(one["breaks"] for one in tries)
                self.notes.append(
                    f"{kind.name}: p50 {tries[0]['p50']:.1f} ms, {breaks} breaks, "
                    f"server {tries[0]['server_cpu']:.1f} %")
            except Failure as failure:
                breaks = None
                self.notes.append(str(failure))
            _tell(self.notes[-1])
            if breaks == 0:
                self.kinds.append(kind)
                return
        if SDL not in self.kinds:
            self.kinds.append(SDL)

    def values(self, kind: Kind, measurement: str, key: str = "") -> list:
        """All values of a measurement, without those that there are not."""
        found = self.results.get(kind.name, {}).get(measurement, [])
        values = [value[key] for value in found] if key else found
        return [value for value in values if value is not None]

    def median(self, kind: Kind, measurement: str, key: str = ""):
        values = self.values(kind, measurement, key)
        return statistics.median(values) if values else None
