"""The tables of docs/search.md, from results.json."""

import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from markers import fill, number, table  # noqa: E402

PAGE = ROOT / "docs" / "search.md"
NEVER = float("inf")


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
    return [row["table"], result["configurations"], row["budget"], result["strategy"],
            *(spread(runs, "measured", k) for k in range(3)), reported, needed(runs, "to_95"), needed(runs, "to_99"),
            per_evaluation(runs)]


def searches_table(rows, kinds):
    lines = []
    for row in rows:
        if row["kind"] not in kinds:
            continue
        for result in row["results"]:
            if "error" in result:
                lines.append([row["table"], "", row["budget"], result["strategy"], result["error"], *[""] * 6])
            else:
                lines.append(result_row(row, result))
    return table(["table", "configurations", "budget", "search", "1/4", "1/2", "all", "reported", "to 95%", "to 99%",
                  "ms"], lines)


def summary_table(rows):
    """Medians over the tables that every one of the searches in a group ran on."""
    strategies = []
    for row in rows:
        strategies += [r["strategy"] for r in row["results"] if r["strategy"] not in strategies]
    lines = []
    for group, wanted in (("all tables", ["adaptive", "kareus", "random"]), ("tables with peers", strategies)):
        shared = []
        for row in rows:
            found = {r["strategy"]: r["runs"] for r in row["results"] if "error" not in r}
            if all(strategy in found for strategy in wanted):
                shared.append(found)
        for strategy in wanted:
            medians = [[median(found[strategy], "measured", k) for found in shared] for k in range(3)]
            if shared:
                lines.append([f"{group} ({len(shared)})", strategy, *(f"{statistics.median(m):.4f}" for m in medians),
                              *(f"{min(m):.4f}" for m in medians)])
    return table(["over", "search", "1/4", "1/2", "all", "worst 1/4", "worst 1/2", "worst all"], lines)


def below(rows):
    """Tables on which the default's median is below the published search's."""
    lines = []
    for row in rows:
        found = {r["strategy"]: r["runs"] for r in row["results"] if "error" not in r}
        for k, name in enumerate(("1/4", "1/2", "all")):
            ours, theirs = (median(found[s], "measured", k) for s in ("adaptive", "kareus"))
            if ours < theirs - 1e-9:
                lines.append([row["table"], name, f"{ours:.4f}", f"{theirs:.4f}"])
    return table(["table", "at", "adaptive", "kareus"], lines) if lines else "None."


def goals(rows):
    partitions = [row for row in rows if row["kind"] == "partition"]
    lines = []
    for index, wanted, name in ((1, 0.995, "half"), (0, 0.98, "a quarter")):
        medians = {row["table"]: median(row["results"][0]["runs"], "measured", index) for row in partitions}
        short = sorted((value, table_name) for table_name, value in medians.items() if value < wanted)
        lines.append([f"ratio of at least {wanted} at {name} of the budget", f"{len(medians) - len(short)} of {len(medians)}",
                      ", ".join(f"{t} {v:.4f}" for v, t in short) or "none"])
    return table(["goal", "partition spaces that reach it", "the others"], lines)


def variants_table(rows):
    return table(["table", "search", "1/4", "1/2", "all", "ms"],
                 [[row["table"], "as it is" if result["strategy"] == "adaptive" else result["strategy"].replace("_", " "),
                   *(spread(result["runs"], "measured", k) for k in range(3)), per_evaluation(result["runs"])]
                  for row in rows for result in row["results"]])


def noisy_table(rows):
    return table(["noise", "search", "measured, all", "reported, 1/2", "reported, all"],
                 [[row["noise"], result["strategy"], spread(result["runs"], "measured", 2),
                   spread(result["runs"], "reported", 1), spread(result["runs"], "reported", 2)]
                  for row in rows for result in row["results"]])


def stops_table(rows):
    return table(["partition type", "budget", "evaluations", "ratio"],
                 [[row["table"], row["budget"],
                   f"{statistics.median(run['evaluations'] for run in row['results'][0]['runs']):.0f}",
                   spread(row["results"][0]["runs"], "measured", 2)] for row in rows])


def setting(results):
    where = results["machine"]
    kind = "reduced (`--quick`)" if results["quick"] else "full"
    peers = {r["strategy"] for row in results["searches"] for r in row["results"]} - {"adaptive", "kareus", "random"}
    batch = results["batch_of_32"]["runs"]
    milliseconds = statistics.median(1e3 * run["seconds"] / ((run["evaluations"] - 12) / 32) for run in batch)
    return (f"Setting: {kind}; {results['seeds']} seeds of our strategies, {results['peer_seeds']} of the peers "
            f"({', '.join(sorted(peers)) or 'none run'}). {where['processor']}, {where['cores']} cores, {where['system']}, "
            f"Python {where['python']}; load average {where['load']}: times are of a busy machine. A batch of 32 on 720 "
            f"configurations, one thread: {milliseconds:.0f} ms (mean over a search with 12 to 204 points known).")


def render(results):
    rows = results["searches"]
    fill(PAGE, {"setting": setting(results), "summary": summary_table(rows), "goals": goals(rows), "below": below(rows),
                "partition": searches_table(rows, {"partition"}),
                "measured": searches_table(rows, {"zeus", "kernel_tuner", "convolution", "sweep"}),
                "analytic": searches_table(rows, {"analytic"}), "variants": variants_table(results["variants"]),
                "noisy": noisy_table(results["noisy"]), "stops": stops_table(results["stops"])})
