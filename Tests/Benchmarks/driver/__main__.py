"""Runs the benchmark; started by Tests/Benchmarks/run, which has built what it needs."""

import argparse
import os
import signal
import sys

import report
from goals import goals
from plan import CUBEB, FULL, LOW, OURS, PORTAUDIO, QUICK, RAW, SDL, Plan
from processes import Failure, end_all
from scenarios import Bench

RINGTONE = "Sounds/marimba.mp3"


def check(bench: Bench):
    """Whether each program plays, hears itself and is counted."""
    for kind in [RAW, OURS, LOW, CUBEB, PORTAUDIO, SDL]:
        result = bench.steady(kind, 0.5)
        wrong = [
            name for name, is_right in {
                "round trip": 1 < result["p50"] < 600, "processor time": result["client_cpu"] > 0,
                "server's time": result["server_cpu"] > 0, "wake-ups": result["wakeups"] > 20,
                "estimate": (result["estimate_error"] is not None) == kind.is_ours, "stop": result["stop"] >= 0,
            }.items() if not is_right]
        print(f"{kind.name}: {'wrong: ' + ', '.join(wrong) if wrong else 'works'}")
        if wrong:
            raise Failure(f"{kind.name}: {result}")
    reactions = bench.reactions(OURS, RINGTONE)
    if not all(0 < value < 5_000 for value in reactions.values()):
        raise Failure(f"reactions: {reactions}")
    print("reactions: work")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True)
    parser.add_argument("--programs", required=True)
    for option in ("--quick", "--check", "--publish"):
        parser.add_argument(option, action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        extent = QUICK if options.quick else FULL
        bench = Bench(f"{options.work}/server", options.programs, extent.times)
        if options.check:
            check(bench)
            return 0
        plan = Plan(bench, extent, RINGTONE)
        plan.run()
        document = report.document(plan, goals(plan))
        print(report.text(document))
        report.save(document, options.programs)
        if options.publish:
            report.save(document, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
            report.publish(document, "README.md")
        return 0
    except Failure as failure:
        print(f"benchmark: {failure}", file=sys.stderr)
        return 1
    finally:
        end_all()


if __name__ == "__main__":
    sys.exit(main())
