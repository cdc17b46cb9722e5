#!/usr/bin/env python3
"""Measures builds, refreshes and packets over a corpus grown to several sizes, and draws the curve.

Usage: tests/scale/measure.py --binary FILE --corpus FOLDER --scratch FOLDER [--times 1,10,100] [--table FILE] [--picture FILE]

Figures are whole processes, from the system's own account of them: user and system time, and the largest resident memory.
Each is the least of several runs, since whatever else a machine does only adds to it; a full build at large sizes is one run. The
scratch folder needs about 30 MB for each time and is left for the caller to remove.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUEST = HERE.parent.parent / "benches" / "request.json"

# Size of the picture, in its own units.
WIDTH, HEIGHT = 760, 380


def run(arguments):
    """CPU seconds and peak memory in MiB of one process."""
    with open(os.devnull, "w") as nowhere:
        child = subprocess.Popen([str(one) for one in arguments], stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {arguments}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def least(arguments, runs, before=lambda: None):
    """The least CPU time of several runs, and the largest peak."""
    rows = []
    for _ in range(runs):
        before()
        rows.append(run(arguments))
    return min(cpu for cpu, _ in rows), max(peak for _, peak in rows)


def megabytes(folder):
    """Bytes of all files below, in millions."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(binary, corpus, scratch, times):
    """One row of the table."""
    grown, index = scratch / f"corpus-{times}", scratch / f"index-{times}"
    if not grown.exists():
        subprocess.run([sys.executable, HERE / "grow.py", corpus, grown, str(times)], check=True)
    skills = sorted(grown.rglob("SKILL.md"))
    build = [binary, "--skills", grown, "index", "build", "--output", index, "--json"]

    def forget():
        shutil.rmtree(index, ignore_errors=True)

    row = {"times": times, "skills": len(skills), "text": sum(path.stat().st_size for path in skills) / 1e6}
    row["full"], row["full_peak"] = least(build, 5 if times == 1 else 3 if times <= 10 else 1, forget)
    generation = json.loads((index / "manifest.json").read_text())
    row["index"] = sum(seal["size"] for seal in generation["files"].values()) / 1e6
    row["shards"] = len(generation["files"]) - 1
    # Younger times are not trusted, and a build that may trust them rewrites the table once.
    time.sleep(3)
    run(build)
    row["fresh"], row["fresh_peak"] = least(build, 15)
    packet = [binary, "packet", "--request", REQUEST, "--index", index, "--output", scratch / "packet.md"]
    row["packet"], row["packet_peak"] = least(packet, 25)
    changed = skills[len(skills) // 2]
    text = changed.read_text()

    def change():
        with changed.open("a") as file:
            file.write("\nOne more line.\n")

    row["refresh"], row["refresh_peak"] = least(build, 3, change)
    changed.write_text(text)
    return row


def table(rows):
    """The table of docs/performance.md."""
    first = rows[0]
    lines = [
        "| | " + " | ".join(f"{row['times']} ×" for row in rows) + " |",
        "| --- |" + " --- |" * len(rows),
    ]

    def line(name, cell):
        lines.append(f"| {name} | " + " | ".join(cell(row) for row in rows) + " |")

    line("skills", lambda row: f"{row['skills']:,}")
    line("text of the skills, MB", lambda row: f"{row['text']:.1f}")
    line("index, MB", lambda row: f"{row['index']:.1f}")
    line("shards", lambda row: f"{row['shards']}")
    line("full build, s of CPU", lambda row: f"{row['full']:.2f}")
    line(
        "full build for each MB, against the first column",
        lambda row: f"{row['full'] / row['text'] / (first['full'] / first['text']):.2f}",
    )
    line("full build, peak MiB", lambda row: f"{row['full_peak']:.0f}")
    line("refresh after one changed skill, s of CPU", lambda row: f"{row['refresh']:.3f}")
    line("that as a share of a full build", lambda row: f"1/{row['full'] / row['refresh']:.0f}")
    line("refresh, peak MiB", lambda row: f"{row['refresh_peak']:.0f}")
    line("refresh with nothing to do, ms of CPU", lambda row: f"{row['fresh'] * 1000:.0f}")
    line("`packet --index`, ms of CPU", lambda row: f"{row['packet'] * 1000:.1f}")
    line("`packet --index`, peak MiB", lambda row: f"{row['packet_peak']:.0f}")
    return "\n".join(lines) + "\n"


def picture(rows):
    """CPU time against the size of the corpus, both logarithmic, as SVG."""
    left, right, top, bottom = 70, 190, 20, 50
    series = [
        ("full", "full build", "#1b6ca8"),
        ("refresh", "one changed skill", "#c0392b"),
        ("fresh", "nothing to do", "#7d8c3a"),
        ("packet", "packet", "#6c4a9e"),
    ]
    low = math.floor(min(math.log10(row[key]) for row in rows for key, _, _ in series))
    high = math.ceil(max(math.log10(row[key]) for row in rows for key, _, _ in series))
    last = max(math.log10(rows[-1]["times"]), 1)

    def x(row):
        return left + (WIDTH - left - right) * math.log10(row["times"]) / last

    def y(value):
        share = (math.log10(value) - low) / (high - low)
        return HEIGHT - bottom - (HEIGHT - top - bottom) * share

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        "<title>CPU time of builds, refreshes and packets against the number of skills, both logarithmic</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for power in range(low, high + 1):
        at = y(10**power)
        label = f"{10**power:g} s" if power >= 0 else f"{10 ** (power + 3):g} ms"
        out.append(f'<line x1="{left}" x2="{WIDTH - right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#444444">{label}</text>')
    for row in rows:
        out.append(
            f'<text x="{x(row):.1f}" y="{HEIGHT - bottom + 22}" text-anchor="middle" fill="#444444">'
            f"{row['skills']:,} skills</text>"
        )
    for key, name, colour in series:
        points = " ".join(f"{x(row):.1f},{y(row[key]):.1f}" for row in rows)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for row in rows:
            out.append(f'<circle cx="{x(row):.1f}" cy="{y(row[key]):.1f}" r="3.5" fill="{colour}"/>')
        end = rows[-1]
        out.append(
            f'<text x="{x(end) + 10:.1f}" y="{y(end[key]) + 4:.1f}" fill="{colour}">{name}</text>'
        )
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--times", default="1,10,100")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    rows = []
    for times in map(int, given.times.split(",")):
        rows.append(measure(given.binary.resolve(), given.corpus, given.scratch, times))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    text = table(rows)
    print(text, end="")
    if given.table:
        given.table.write_text(text)
    if given.picture:
        given.picture.write_text(picture(rows))


main()
