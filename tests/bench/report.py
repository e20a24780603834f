"""Turns the results of scripts/bench into what docs/performance.md shows."""
import statistics

from rows import ALONE, CPU_GB, CPU_REQUEST, FIGURES, GROUPS, MANY, MB_S, REQUESTS_S

TITLES = {"kafka": "Kafka 4.4.0", "leat": "Leat", "null": "null broker"}


def values(results, figure):
    return [r[figure] for r in results if r is not None and figure in r]


def spread(results, figure, scale=1.0, digits=0):
    """Median and, with more than one turn, what lay around it."""
    all_of_it = [v / scale for v in values(results, figure)]
    if not all_of_it:
        return "-"
    middle = f"{statistics.median(all_of_it):,.{digits}f}"
    if len(all_of_it) == 1:
        return middle
    return f"{middle} ({min(all_of_it):,.{digits}f}..{max(all_of_it):,.{digits}f})"


def cell(results):
    if not any(results):
        return "no result"
    told = []
    if any(values(results, MB_S)):
        told += [spread(results, MB_S) + " MB/s", spread(results, CPU_GB, digits=2) + " CPU-s/GB"]
    if values(results, REQUESTS_S):
        told += [spread(results, REQUESTS_S) + " req/s",
                 spread(results, CPU_REQUEST, digits=1) + " us"]
    if values(results, "cpu_us_per_record"):
        told.append(spread(results, "cpu_us_per_record") + " us a record")
    told.append("p50 " + spread(results, "p50_us", 1000, 2) + " p99 "
                + spread(results, "p99_us", 1000, 2) + " ms")
    return "; ".join(told)


def ratios(ours, theirs, figure):
    """Turn by turn, for neighbours in time have most in common."""
    return [a[figure] / b[figure] for a, b in zip(ours, theirs)
            if a and b and b.get(figure)]


def verdicts(row, per_system):
    """(aim in words, measured, met)"""
    for figure, limit in row.limits:
        seen = values(per_system["leat"], figure)
        if seen:
            middle = statistics.median(seen)
            yield (f"{FIGURES[figure]} at most {limit / 1000:g} ms", f"{middle / 1000:.2f} ms",
                   middle <= limit)
    for other, aims in (("kafka", row.aims), ("null", row.floor)):
        if other in per_system:
            yield from against(other, aims, per_system)


def against(other, aims, per_system):
    for figure, sense, aim in aims:
        words = f"{FIGURES[figure]} {sense} {told(aim)}"
        if other != "kafka":
            words += f" of the {TITLES[other]}'s"
        every = ratios(per_system["leat"], per_system[other], figure)
        if not every:
            yield words, "no result", None
            continue
        middle = statistics.median(every)
        met = middle <= aim if sense == "at most" else middle >= aim
        yield words, f"{told(middle)} ({told(min(every))}..{told(max(every))})", met


def told(ratio):
    return f"1/{1 / ratio:.1f}".removesuffix(".0") if 0 < ratio < 0.5 else f"{ratio:.2f}"


def yes_or_no(met):
    return {True: "yes", False: "**no**", None: "unknown"}[met]


def markdown(rows, results, alone, many, groups):
    names = [n for n in ("kafka", "leat", "null") if any(n in r for r in results.values())]
    lines = []
    if results:
        lines += ["| row | " + " | ".join(TITLES[n] for n in names) + " |",
                  "|---|" + "---|" * len(names)]
        for row in rows:
            if row.name in results:
                cells = [cell(results[row.name].get(n, [])) for n in names]
                lines.append(f"| {row.name} | " + " | ".join(cells) + " |")
        lines += ["", "| row | Leat's aim, against Kafka | measured | met |", "|---|---|---|---|"]
        for row in rows:
            for aim, seen, met in verdicts(row, results.get(row.name, {"leat": []})):
                lines.append(f"| {row.name} | {aim} | {seen} | {yes_or_no(met)} |")
    lines += [""] + table_of(alone, ALONE) + [""] + table_of(many, MANY)
    lines += [""] + table_of(groups, GROUPS)
    return "\n".join(lines)


def table_of(measured, aims):
    """`measured`: by system, by what it is, the value in the aim's unit."""
    names = [n for n in ("kafka", "leat") if n in measured]
    if not names:
        return []
    lines = ["| row | " + " | ".join(TITLES[n] for n in names) + " | aim | met |",
             "|---|" + "---|" * (len(names) + 2)]
    for what, (unit, aim) in aims.items():
        if not any(what in measured[n] for n in names):
            continue
        cells = [f"{measured[n][what]:,.3g} {unit}" if what in measured[n] else "-" for n in names]
        ours = measured.get("leat", {}).get(what)
        met = None if ours is None else ours <= aim
        lines.append(f"| {what} | " + " | ".join(cells) + f" | {aim} {unit} | {yes_or_no(met)} |")
    return lines
