"""What is measured of a client. Times in the results are milliseconds, unless the name says seconds."""

import os
import signal
import statistics
import time
from dataclasses import dataclass
from typing import Optional

from clients import Client, Kind
from log import NO_ESTIMATE
from processes import Failure, Load, Process, now, wait_until
from server import Server

# What counts as the same delay.
TOLERANCE = 5.0


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def round_trips(periods) -> list[float]:
    return [period.round_trip / 1e6 for period in periods if period.is_heard]


def estimate_errors(periods) -> list[float]:
    """What the client's estimate says too much, per period."""
    told = (period for period in periods if period.is_heard and period.estimate != NO_ESTIMATE)
    return [(period.estimate - period.round_trip) / 1e6 for period in told]


@dataclass(frozen=True)
class Times:
    """How long things are waited for, in seconds."""

    # After a start, until a client is settled.
    settling: float = 1.0
    # After a stall, until what has to come back is back.
    stall: float = 3.5
    # For sound after the server's restart.
    restart: float = 5.0
    # For sound after a start.
    sound: float = 8.0


class Bench:
    def __init__(self, folder: str, programs: str, times: Times = Times()):
        self.server = Server(folder)
        self.programs = programs
        self.times = times

    def open(self, kind: Kind, *arguments: str) -> Client:
        return Client(kind, self.server, self.programs, *arguments)

    def load(self) -> Load:
        return Load(4, self.server.environment, os.devnull)

    def window(self, client: Client, seconds: float) -> dict:
        """What a client does and costs for a while."""
        server = self.server.process
        begin, cpu, server_cpu = now(), client.process.cpu, server.cpu
        wakeups, heap = client.process.wakeups, client.heap_calls
        time.sleep(seconds)
        elapsed = now() - begin
        cost = {
            "client_cpu": (client.process.cpu - cpu) / elapsed * 100,
            "server_cpu": (server.cpu - server_cpu) / elapsed * 100,
            "wakeups": (client.process.wakeups - wakeups) / elapsed * 1e9,
            "heap": (client.heap_calls[0] - heap[0]) / elapsed * 1e9,
            "heap_own": (client.heap_calls[1] - heap[1]) / elapsed * 1e9,
        }
        periods = client.log.since(begin)
        times = round_trips(periods)
        if not times:
            raise Failure(f"{client.kind.name} is not heard any more")
        gaps = [(after.arrived - before.arrived) / 1e6 for before, after in zip(periods, periods[1:])]
        errors = estimate_errors(periods)
        return cost | {
            "p50": statistics.median(times), "p99": percentile(times, 0.99), "max": max(times),
            "silence": sum(period.silent for period in periods) / 48,
            "breaks": sum(period.breaks for period in periods),
            "longest_gap": max(gaps, default=0),
            "estimate_error": statistics.median(errors) if errors else None,
            "estimate_worst": percentile([abs(error) for error in errors], 0.95) if errors else None,
        }

    def start(self, client: Client) -> float:
        """Waits until a client is settled. Returns the milliseconds from its start until it heard itself."""
        heard = client.wait_for_sound(self.times.sound)
        time.sleep(self.times.settling)
        return (heard.arrived - client.begin) / 1e6

    def steady(self, kind: Kind, seconds: float) -> dict:
        with self.open(kind) as client:
            start = self.start(client)
            return self.window(client, seconds) | {"start": start, "stop": client.stop()}

    def under_load(self, kind: Kind, seconds: float) -> dict:
        with self.open(kind) as client:
            self.start(client)
            with self.load():
                return self.window(client, seconds)

    def median_of_a_start(self, kind: Kind) -> float:
        with self.open(kind) as client:
            client.wait_for_sound(self.times.sound)
            time.sleep(0.5)
            begin = now()
            time.sleep(0.5)
            return statistics.median(round_trips(client.log.since(begin)))

    def after_stall(self, kind: Kind, who: str) -> dict:
        """The delay after the server or the client stood still for 300 ms, and the seconds until it was as before."""
        with self.open(kind) as client:
            self.start(client)
            before = statistics.median(round_trips(client.log.since(now() - 500_000_000)))
            process = self.server.process if who == "server" else client.process
            process.signal(signal.SIGSTOP)
            time.sleep(0.3)
            process.signal(signal.SIGCONT)
            end = now()
            time.sleep(self.times.stall)
            periods = client.log.since(end)
            after = round_trips(periods[-100:])
            return {
                "before": before, "after": statistics.median(after) if after else None,
                "seconds": self._settled(periods, before, end)}

    @staticmethod
    def _settled(periods, before: float, end: int) -> Optional[float]:
        """When the first of 25 periods in a row came that are heard and no later than before; None without such."""
        in_a_row = 0
        for index, period in enumerate(periods):
            is_good = period.is_heard and period.round_trip / 1e6 <= before + TOLERANCE
            in_a_row = in_a_row + 1 if is_good else 0
            if in_a_row == 25:
                return (periods[index - 24].arrived - end) / 1e9
        return None

    def after_restart(self, kind: Kind) -> Optional[float]:
        """Seconds until there is sound again after the server was killed and started; None where there is none."""
        with self.open(kind) as client:
            self.start(client)
            self.server.kill()
            try:
                time.sleep(1)
            finally:
                self.server.start()
            answered = now()
            heard = wait_until(lambda: client.log.first_heard(answered), self.times.restart)
            return (heard.arrived - answered) / 1e9 if heard else None

    # Ours alone.

    def reactions(self, kind: Kind, ringtone: str) -> dict:
        """How long it takes from a wish until it is so."""
        listener = Kind("listener", "pulse", 480, ("capture",))
        with self.open(listener) as ear, self.open(kind, ringtone) as client:
            wait_until(lambda: len(ear.log) > 50, 5, "the listener hears nothing")
            time.sleep(0.2)
            render, _ = client.do("render on")
            rendered = self._heard_by(ear, render)
            time.sleep(0.3)
            capture, _ = client.do("capture on")
            captured = client.wait_for_sound(self.times.sound, capture)
            time.sleep(0.3)
            mute = self._time_until_no_source(client, "mute on")
            client.do("mute off")
            time.sleep(0.3)
            stop = self._time_until_no_source(client, "capture off")
            client.do("render off")
            time.sleep(0.3)
            ring, _ = client.do("ring on")
            rang = self._heard_by(ear, ring)
            client.do("ring off")
            return {
                "render": (rendered.arrived - render) / 1e6, "capture": (captured.arrived - capture) / 1e6,
                "ring": (rang.arrived - ring) / 1e6, "mute": mute, "capture_stop": stop}

    @staticmethod
    def _heard_by(ear: Client, since: int):
        """The first period of a listener with sound in it: it has played nothing, so it knows no round trips."""
        def first():
            return next((period for period in ear.log.since(since) if period.silent < ear.kind.period), None)

        return wait_until(first, 5, "the listener hears nothing")

    def _time_until_no_source(self, client: Client, command: str) -> float:
        from processes import Process

        watcher = Process(
            ["pactl", "subscribe"], self.server.client_environment, os.devnull)
        try:
            time.sleep(0.3)
            begin, _ = client.do(command)
            while True:
                line = watcher.line(3)
                if "'remove' on source-output" in line:
                    return (now() - begin) / 1e6
        finally:
            watcher.kill()
