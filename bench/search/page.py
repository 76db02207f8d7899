"""The tables of docs/search.md."""

import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from markers import fill, number, table  # noqa: E402

PAGE = ROOT / "docs" / "search.md"
NEVER = float("inf")
MEASURED = {"zeus", "kernel_tuner", "convolution", "sweep"}


def median(runs, key, index):
    return statistics.median(run[key][index] for run in runs)


def spread(runs, key, index):
    values = sorted(run[key][index] for run in runs)
    if len(values) < 4:
        return f"{statistics.median(values):.4f}"
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.4f} [{low:.3f} {high:.3f}]"


def needed(runs, key):
    value = statistics.median(NEVER if run[key] is None else run[key] for run in runs)
    return "-" if value == NEVER else f"{value:.0f}"


def per_evaluation(runs):
    return number(1e3 * statistics.median(run["seconds"] / run["evaluations"] for run in runs))


def result_row(row, result):
    runs = result["runs"]
    reported = spread(runs, "reported", 2)
    return [row["table"], result["configurations"], row["budget"], result["strategy"], len(runs),
            *(spread(runs, "measured", k) for k in range(3)), reported, needed(runs, "to_95"), needed(runs, "to_99"),
            per_evaluation(runs)]


def searches_table(rows, kinds):
    lines = []
    for row in rows:
        if row["kind"] not in kinds:
            continue
        for result in row["results"]:
            if "error" in result:
                lines.append([row["table"], "", row["budget"], result["strategy"], "", result["error"], *[""] * 6])
            else:
                lines.append(result_row(row, result))
    return table(["table", "configurations", "budget", "search", "seeds", "1/4", "1/2", "all", "reported", "to 95%",
                  "to 99%", "ms"], lines)


def by_strategy(row):
    return {result["strategy"]: result["runs"] for result in row["results"] if result["runs"]}


def few(values):
    """A number of seeds, or the least and the most."""
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def summary_table(rows):
    """Medians over the tables that every one of the searches in a group ran on."""
    ours = ["adaptive", "kareus", "random"]
    strategies = {strategy for row in rows for strategy in by_strategy(row)}
    groups = [("all tables", ours, rows)]
    groups += [(f"{name} tables", ours, [row for row in rows if row["kind"] in kinds]) for name, kinds in
               (("partition", {"partition"}), ("measured", MEASURED), ("analytic", {"analytic"}))]
    groups += [(f"tables with {peer}", ["adaptive", peer], rows) for peer in sorted(strategies - set(ours))]
    lines = []
    for group, wanted, of in groups:
        shared = [found for found in map(by_strategy, of) if all(strategy in found for strategy in wanted)]
        for strategy in wanted if shared else []:
            medians = [[median(found[strategy], "measured", k) for found in shared] for k in range(3)]
            lines.append([f"{group} ({len(shared)})", strategy, few([len(found[strategy]) for found in shared]),
                          *(f"{statistics.median(m):.4f}" for m in medians), *(f"{min(m):.4f}" for m in medians)])
    return table(["over", "search", "seeds", "1/4", "1/2", "all", "worst 1/4", "worst 1/2", "worst all"], lines)


def below(rows):
    """Tables on which the default's median is below the published search's."""
    lines = []
    for row in rows:
        found = by_strategy(row)
        if "adaptive" not in found or "kareus" not in found:
            continue
        for k, name in enumerate(("1/4", "1/2", "all")):
            ours, theirs = (median(found[s], "measured", k) for s in ("adaptive", "kareus"))
            if ours < theirs - 1e-9:
                seeds = few([len(found["adaptive"]), len(found["kareus"])])
                lines.append([row["table"], name, seeds, f"{ours:.4f}", f"{theirs:.4f}"])
    return table(["table", "at", "seeds", "adaptive", "kareus"], lines) if lines else "None."


def goals(rows):
    partitions = {row["table"]: by_strategy(row)["adaptive"] for row in rows
                  if row["kind"] == "partition" and "adaptive" in by_strategy(row)}
    lines = []
    for index, wanted, name in ((1, 0.995, "half"), (0, 0.98, "a quarter")):
        medians = {table_name: median(runs, "measured", index) for table_name, runs in partitions.items()}
        short = sorted((value, table_name) for table_name, value in medians.items() if value < wanted)
        lines.append([f"ratio of at least {wanted} at {name} of the budget", f"{len(medians) - len(short)} of {len(medians)}",
                      ", ".join(f"{t} {v:.4f}" for v, t in short) or "none"])
    return table(["goal", "partition spaces that reach it", "the others"], lines)


def variants_table(rows):
    return table(["table", "search", "1/4", "1/2", "all", "ms"],
                 [[row["table"], "as it is" if result["strategy"] == "adaptive" else result["strategy"].replace("_", " "),
                   *(spread(result["runs"], "measured", k) for k in range(3)), per_evaluation(result["runs"])]
                  for row in rows for result in row["results"] if result["runs"]])


def noisy_table(rows):
    return table(["noise", "search", "measured, all", "reported, 1/2", "reported, all"],
                 [[row["noise"], result["strategy"], spread(result["runs"], "measured", 2),
                   spread(result["runs"], "reported", 1), spread(result["runs"], "reported", 2)]
                  for row in rows for result in row["results"] if result["runs"]])


def stops_table(rows):
    return table(["partition type", "budget", "evaluations", "ratio"],
                 [[row["table"], row["budget"],
                   f"{statistics.median(run['evaluations'] for run in row['results'][0]['runs']):.0f}",
                   spread(row["results"][0]["runs"], "measured", 2)] for row in rows if row["results"][0]["runs"]])


def batch(times):
    if not times:
        return "A batch of 32 on 720 configurations was not timed."
    ours = statistics.median(1e3 * run["seconds"] / ((run["evaluations"] - 12) / 32) for run in times["ours"]["runs"])
    text = (f"A batch of 32 on 720 configurations: {ours:.0f} ms, the mean over a search with 12 to 204 points known, median of "
            f"{len(times['ours']['runs'])} seeds")
    if times.get("botorch"):
        theirs = 1e3 * times["botorch"]["cpu_s"]
        text += f"; BoTorch with 12 known: {number(theirs)} ms, {number(theirs / ours)} times as long"
    return text + "."


def setting(results):
    where = results["machine"]
    rows = results["searches"]
    measured = [row for row in rows if "adaptive" in by_strategy(row)]
    same = sum(len(row["same"]) for row in measured)
    missing = [row["table"] for row in rows if row not in measured]
    return (f"{len(measured)} of {len(rows)} different tables; {same} more partition types are the same table as one of them. "
            + (f"Not measured: {', '.join(missing) if len(missing) < 8 else len(missing)}. " if missing else "")
            + f"{where['processor']}, {where['cores']} cores, {where['system']}, Python {where['python']}. Times are CPU time "
            f"of one thread, on a machine that did other work. {batch(results['batch'])}")


def render(results):
    rows = results["searches"]
    fill(PAGE, {"setting": setting(results), "summary": summary_table(rows), "goals": goals(rows), "below": below(rows),
                "partition": searches_table(rows, {"partition"}), "measured": searches_table(rows, MEASURED),
                "analytic": searches_table(rows, {"analytic"}), "variants": variants_table(results["variants"]),
                "noisy": noisy_table(results["noise"]), "stops": stops_table(results["stops"])})
