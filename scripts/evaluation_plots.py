"""The pictures of docs/evaluation.md. Runs in a Python that has matplotlib: evaluation_plots.py EVALUATION.json FOLDER"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams |= {"svg.hashsalt": "kareus", "svg.fonttype": "none", "font.size": 8, "axes.spines.top": False,
                        "axes.spines.right": False, "legend.frameon": False}
import matplotlib.pyplot as plt

METHODS = {"megatron": "#7c3aed", "megatron-perseus": "#c2500c", "nanobatching": "#0f8a7e",
           "nanobatching-perseus": "#0f8a7e", "kareus-published": "#b0277f", "kareus": "#0a66c2", "kareus-parked": "#18202c"}


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def shown(evaluation):
    """Calibrated frontiers of the methods where there are any, else blind ones, by workload."""
    level = "calibrated" if any(f["level"] == "calibrated" for f in evaluation["frontiers"]) else "blind"
    workloads = {}
    for frontier in evaluation["frontiers"]:
        if frontier["level"] == level and frontier["method"] in METHODS:
            workloads.setdefault(frontier["workload"], {})[frontier["method"]] = frontier["points"]
    return workloads


def frontiers(workloads, path):
    columns = 3
    rows = -(-len(workloads) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(10, 2.7 * rows), squeeze=False)
    for plot in axes.flat[len(workloads):]:
        plot.axis("off")
    for plot, (name, methods) in zip(axes.flat, workloads.items()):
        for method, points in methods.items():
            times, energies = [p["time_s"] for p in points], [p["energy_j"] / 1e3 for p in points]
            style = "D" if len(points) == 1 else "-"
            plot.plot(times, energies, style, color=METHODS[method], markersize=4, linewidth=1.2, label=method)
        plot.set_title(name, fontsize=8)
        plot.grid(alpha=0.25)
    axes[0][0].legend(fontsize=6)
    axes[0][0].set_ylabel("energy (kJ)")
    axes[-1][0].set_xlabel("iteration time (s)")
    save(figure, path)


def split(workloads, path):
    figure, plot = plt.subplots(figsize=(10, 3.6))
    position, ticks = 0, []
    for name, methods in workloads.items():
        base = methods["megatron"][0]["energy_j"]
        ticks.append((position + (len(methods) - 1) / 2, name))
        for method, points in methods.items():
            still, all_energy = points[0]["static_j"] / base, points[0]["energy_j"] / base
            plot.bar(position, still, 0.9, color="#93a1b5")
            plot.bar(position, all_energy - still, 0.9, bottom=still, color=METHODS[method])
            position += 1
        position += 1
    plot.set_xticks([t for t, _ in ticks], [n for _, n in ticks], rotation=30, ha="right", fontsize=6)
    plot.set_ylabel("energy of the fastest point\n(Megatron-LM = 1; grey: static)")
    plot.grid(axis="y", alpha=0.25)
    save(figure, path)


def main():
    workloads = shown(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    folder = pathlib.Path(sys.argv[2])
    frontiers(workloads, folder / "evaluation-frontiers.svg")
    split(workloads, folder / "evaluation-split.svg")


if __name__ == "__main__":
    main()
