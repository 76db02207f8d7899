"""The tables of docs/frontier.md, from results.json, between the page's markers."""

import sys

import machine

sys.path.insert(0, str(machine.ROOT / "bench"))
from markers import fill, number, table  # noqa: E402

PAGE = machine.ROOT / "docs" / "frontier.md"


def duration(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{number(seconds * factor)} {unit}"
    return f"{number(seconds * 1e6)} µs"


def megabytes(kilobytes):
    return f"{kilobytes / 1024:.0f}"


def command_line(row):
    result = row["command_line"]
    if result is None:
        return "-"
    return "failed" if "error" in result else duration(result["cpu_s"])


def lowtime_row(row):
    lowtime = row.get("lowtime")
    if lowtime is None:
        theirs = ["not run", "", "", ""]
        ratio = gap = ""
    else:
        at_least = "" if lowtime["finished"] else "> "
        steps = f"{row['lowtime_points']:,}"
        solve_s = lowtime["solve_cpu_s"]
        if not lowtime["finished"]:
            steps += f" of {row['lowtime_points_in_all']:,}"
            solve_s *= row["lowtime_points_in_all"] / row["lowtime_points"]
        theirs = [at_least + duration(lowtime["solve_cpu_s"]), duration(lowtime["dag_s"]), steps,
                  megabytes(lowtime["peak_rss_kb"])]
        ratio = ("" if lowtime["finished"] else "~ ") + number(solve_s / row["cpu_s"])
        gap = "-" if row["gap_j"] is None else f"{row['gap_j']:.0e}"
    return [row["input"], f"{row['instructions']:,}", *theirs, duration(row["cpu_s"]), f"{row['breakpoints']:,}",
            megabytes(row["peak_rss_kb"]), ratio, gap, f"{row['optimal']}/{row['certificates']}", command_line(row)]


def lowtime_table(rows):
    return table(["input", "instructions", "lowtime", "its graph", "its points", "its MB", "Kareus", "breakpoints", "MB",
                  "ratio", "gap (J)", "certified", "`kareus frontier`"], map(lowtime_row, rows))


def oracle_table(rows):
    return table(["input", "variables", "rows", "HiGHS, 16 deadlines", "Kareus, whole curve", "largest relative gap"],
                 [[r["input"], f"{r['variables']:,}", f"{r['rows']:,}", duration(r["cpu_s"]), duration(r["our_cpu_s"]),
                   f"{r['relative_gap']:.1e}"] for r in rows])


def growth_table(growth):
    rows = growth["stages"] + growth["microbatches"]
    unique = {(r["kind"], r["stages"], r["microbatches"]): r for r in rows}
    return table(["profiles", "stages x microbatches", "instructions", "breakpoints", "time", "peak MB"],
                 [[kind, f"{stages} x {microbatches}", f"{r['instructions']:,}", f"{r['breakpoints']:,}",
                   duration(r["cpu_s"]), megabytes(r["peak_rss_kb"])]
                  for (kind, stages, microbatches), r in sorted(unique.items())])


def long_table(rows):
    return table(["profiles", "stages x microbatches", "points", "certified", "from the steady state",
                  "microbatches solved", "time", "peak MB"],
                 [[r["kind"], f"{r['stages']} x {r['microbatches']}", r["points"], r["optimal"], r["from_steady_state"],
                   r["solved_microbatches"], duration(r["cpu_s"]), megabytes(r["peak_rss_kb"])] for r in rows])


def machine_text(results):
    where = results["machine"]
    loads = [row["load"] for row in results["lowtime"]]
    for row in results["lowtime"]:
        loads += row.get("lowtime", {}).get("load", [])
    for rows in results["growth"].values() if results["growth"] else []:
        loads += [row["load"] for row in rows]
    versions = f"lowtime {results['lowtime_version']}, scipy {results['oracle'][0]['scipy']} (HiGHS)" \
        if results["oracle"] else f"lowtime {results['lowtime_version']}"
    return (f"{where['processor']}, {where['cores']} cores, {where['system']}, Python {where['python']}, {versions}. Load "
            f"average while measuring: {min(loads)} to {max(loads)}.")


def render(results):
    parts = {"machine": machine_text(results), "lowtime": lowtime_table(results["lowtime"]),
             "oracle": oracle_table(results["oracle"])}
    if results["growth"]:
        parts["growth"] = growth_table(results["growth"])
    if results["long"]:
        parts["long"] = long_table(results["long"])
    fill(PAGE, parts)
