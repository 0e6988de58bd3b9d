"""What AudioDeviceKit wants to reach, against the same run's figures of the others."""

from typing import NamedTuple, Optional

from plan import LOW, OURS, RAW, Plan


class Goal(NamedTuple):
    name: str
    # None: not measured, or it never came.
    value: Optional[float]
    limit: Optional[float]
    unit: str

    @property
    def is_met(self) -> bool:
        return self.value is not None and self.limit is not None and self.value <= self.limit


def _plus(value: Optional[float], more: float) -> Optional[float]:
    return None if value is None else value + more


def _times(value: Optional[float], factor: float) -> Optional[float]:
    return None if value is None else value * factor


def _worst(values: list) -> Optional[float]:
    return max(map(abs, values), default=None)


def goals(plan: Plan) -> list[Goal]:
    def ours(measurement: str, key: str = ""):
        return plan.median(OURS, measurement, key)

    raw_p50 = plan.median(RAW, "steady", "p50")
    p50 = ours("steady", "p50")
    starts = plan.values(OURS, "start")
    sdl = next((kind for kind in reversed(plan.kinds) if kind.program == "sdl"), None)
    goals = [
        Goal("round trip p50, libpulse's + 1 ms", p50, _plus(raw_p50, 1), "ms"),
        Goal("round trip p99, p50 + 5 ms", ours("steady", "p99"), _plus(p50, 5), "ms"),
        Goal("spread of the median over starts", max(starts) - min(starts) if starts else None, 5, "ms"),
        Goal("low latency: round trip p50", plan.median(LOW, "steady", "p50"), 16, "ms"),
        Goal(
            f"low latency: server CPU, {sdl.name if sdl else 'SDL2'}'s", plan.median(LOW, "steady", "server_cpu"),
            plan.median(sdl, "steady", "server_cpu") if sdl else None, "%"),
        Goal("client CPU, 1.15 × libpulse's", ours("steady", "client_cpu"),
             _times(plan.median(RAW, "steady", "client_cpu"), 1.15), "%"),
        Goal("wake-ups", ours("steady", "wakeups"), 110, "/s"),
        Goal("heap calls of our own", _worst(plan.values(OURS, "steady", "heap_own")), 0, "/s"),
    ]
    for who in ("server", "client"):
        after, before = ours(f"{who}_stall", "after"), ours(f"{who}_stall", "before")
        rise = after - before if after is not None and before is not None else None
        goals += [
            Goal(f"rise of the round trip after a stall of the {who}", rise, 5, "ms"),
            Goal(f"until then, after a stall of the {who}", ours(f"{who}_stall", "seconds"), 2, "s"),
        ]
    goals.append(Goal("sound after the server's restart", ours("restart"), 2, "s"))
    for state in ("steady", "load"):
        goals.append(Goal(
            f"estimated delay against the measured, {'idle' if state == 'steady' else 'under load'}",
            _worst(plan.values(OURS, state, "estimate_error")), 5, "ms"))
    reactions = [
        ("startCapture to the first real period", "capture", 60),
        ("startRendering to the first sound", "render", 60),
        ("startRingtone to the first sound", "ring", 80),
        ("hard mute to no stream at the server", "mute", 50),
        ("stopCapture to no stream at the server", "capture_stop", 50),
    ]
    return goals + [Goal(name, ours("reaction", key), limit, "ms") for name, key, limit in reactions]
