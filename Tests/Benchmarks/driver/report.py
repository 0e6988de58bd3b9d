"""Shows the results: as text, JSON, a plot and in the project's README."""

import datetime
import json
import os
import re
from typing import Optional

from plan import Plan
from processes import Failure

# Key of a row, what it is, digits.
ROWS = [
    ("p50", "round trip p50, ms", 1),
    ("p99", "round trip p99, ms", 1),
    ("max", "round trip max, ms", 1),
    ("spread", "spread of p50 over starts, ms", 1),
    ("client_cpu", "client CPU, %", 2),
    ("server_cpu", "server CPU, %", 2),
    ("wakeups", "client wake-ups /s", 0),
    ("heap", "heap calls /s", 1),
    ("heap_own", "… not libpulse's", 1),
    ("estimate", "estimated less measured delay: median, ms", 2),
    ("load_estimate", "… under load", 2),
    ("load_p99", "under load: p99, ms", 1),
    ("load_silence", "under load: silence, ms in 10 s", 0),
    ("load_breaks", "under load: breaks in 10 s", 1),
    ("server_stall", "p50 before > after the server stalled, ms", None),
    ("server_stall_seconds", "… back within 5 ms after, s", 2),
    ("client_stall", "p50 before > after the client stalled, ms", None),
    ("client_stall_seconds", "… back within 5 ms after, s", 2),
    ("restart", "sound after the server's restart, s", 2),
    ("start", "start until it hears itself, ms", 0),
    ("stop", "stop, ms", 1),
]
MARKERS = ("<!-- benchmark -->", "<!-- /benchmark -->")


def _row(plan: Plan, kind) -> dict:
    def median(measurement, key=""):
        return plan.median(kind, measurement, key)

    starts = plan.values(kind, "start")
    row = {key: median("steady", key) for key in
           ("p50", "p99", "max", "client_cpu", "server_cpu", "wakeups", "heap", "heap_own", "start", "stop")}
    row["spread"] = max(starts) - min(starts) if starts else None
    row["estimate"] = median("steady", "estimate_error")
    row["load_estimate"] = median("load", "estimate_error")
    row["load_p99"] = median("load", "p99")
    per_ten = 10 / plan.extent.load_seconds
    for key in ("silence", "breaks"):
        value = median("load", key)
        row[f"load_{key}"] = value * per_ten if value is not None else None
    for who in ("server_stall", "client_stall"):
        row[who] = (median(who, "before"), median(who, "after"))
        row[f"{who}_seconds"] = median(who, "seconds")
    row["restart"] = median("restart")
    return row


def machine() -> str:
    """What kind of machine this is, in a few words."""
    with open("/proc/cpuinfo") as file:
        cpu = file.read()
    model = re.search(r"^model name\s*: (.*)$", cpu, re.MULTILINE)
    name = re.sub(r"\s+", " ", model[1]).strip() if model else os.uname().machine
    virtual = "virtual machine, " if re.search(r"^flags.*\bhypervisor\b", cpu, re.MULTILINE) else ""
    return f"{virtual}{os.cpu_count()} × {name}"


def document(plan: Plan, goals) -> dict:
    """All there is to tell."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "load_average": plan.load_average,
        "clients": {kind.name: _row(plan, kind) for kind in plan.kinds},
        "goals": [goal._asdict() | {"is_met": goal.is_met} for goal in goals],
        "notes": plan.notes,
        "measurements": plan.results,
    }


def _cell(value, digits: Optional[int]) -> str:
    if isinstance(value, (tuple, list)):
        return " > ".join(_cell(part, 0) for part in value)
    return "–" if value is None else f"{value:.{digits}f}"


def _table(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(row, widths))) for row in rows)


def text(document: dict) -> str:
    clients = document["clients"]
    rows = [[""] + list(clients)]
    rows += [[name] + [_cell(row[key], digits) for row in clients.values()] for key, name, digits in ROWS]
    lines = [f"{document['date']}, {document['machine']}", "", _table(rows), ""]
    goals = [
        [goal["name"], _cell(goal["value"], 2), "≤", _cell(goal["limit"], 2), goal["unit"],
         "met" if goal["is_met"] else "NOT MET"] for goal in document["goals"]]
    return "\n".join(lines + [_table(goals)] + [""] + document["notes"])


def _plot(document: dict) -> str:
    """The round trips: p50 as a bar, p99 as a line behind it."""
    clients = [(name, row) for name, row in document["clients"].items() if row["p50"] is not None]
    scale = 420 / max(row["p99"] for _, row in clients)
    parts = []
    for index, (name, row) in enumerate(clients):
        y = 40 + index * 28
        p50, p99 = row["p50"] * scale, row["p99"] * scale
        color = "#2a6fdb" if name.startswith("AudioDeviceKit") else "#9aa5b1"
        parts += [
            f'<text x="210" y="{y + 13}" text-anchor="end">{name}</text>',
            f'<rect x="220" y="{y}" width="{p50:.1f}" height="18" fill="{color}"/>',
            f'<path d="M{220 + p50:.1f} {y + 9}h{p99 - p50:.1f}m0 -5v10" stroke="#52606d" fill="none"/>',
            f'<text x="{228 + p99:.1f}" y="{y + 13}">{row["p50"]:.1f}</text>',
        ]
    height = 60 + len(clients) * 28
    title = f"Round trip through PulseAudio in ms: p50 (bar) and p99 (line), {document['date']}"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{height}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="720" height="{height}" fill="#fff"/>',
        f'<text x="12" y="22" font-weight="bold">{title}</text>', *parts, "</svg>", ""])


def save(document: dict, folder: str):
    with open(f"{folder}/results.json", "w") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")
    with open(f"{folder}/results.svg", "w") as file:
        file.write(_plot(document))


# Columns of the table in the README.
COLUMNS = [
    ("p50", "round trip p50, ms", 1),
    ("p99", "p99", 1),
    ("spread", "p50's spread over starts", 1),
    ("client_cpu", "client CPU, %", 2),
    ("server_cpu", "server CPU, %", 2),
    ("load_silence", "silence under load, ms in 10 s", 0),
    ("server_stall", "p50 before > after the server stalled 300 ms", None),
    ("client_stall", "… the client stalled", None),
    ("restart", "sound after a new server answers, s", 2),
]


def fragment(document: dict) -> str:
    """A short table in Markdown."""
    lines = ["| | " + " | ".join(name for _, name, _ in COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, values in document["clients"].items():
        lines.append(f"| {name} | " + " | ".join(_cell(values[key], digits) for key, _, digits in COLUMNS) + " |")
    missed = [goal["name"] for goal in document["goals"] if not goal["is_met"]]
    verdict = f"All {len(document['goals'])} goals are met."
    if missed:
        met = len(document["goals"]) - len(missed)
        verdict = f"{met} of {len(document['goals'])} goals are met; not: {', '.join(missed)}."
    return "\n".join(lines + ["", f"Measured on {document['date']}: {document['machine']}, "
                              f"load average {document['load_average']:.1f} before. {verdict}"])


def publish(document: dict, path: str):
    with open(path) as file:
        readme = file.read()
    if any(readme.count(marker) != 1 for marker in MARKERS):
        raise Failure(f"{path} has no place for the figures: {' … '.join(MARKERS)}")
    begin, end = (readme.index(marker) for marker in MARKERS)
    text = readme[:begin] + MARKERS[0] + "\n" + fragment(document) + "\n" + readme[end:]
    with open(path, "w") as file:
        file.write(text)
