"""The pictures of docs/frontier.md. Runs in the Python that has matplotlib: plots.py RESULTS.json FOLDER"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams |= {"svg.hashsalt": "kareus", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
                        "axes.spines.right": False, "legend.frameon": False}
import matplotlib.pyplot as plt

COLOURS = {"coarse": "#1b6ca8", "fine": "#d1603d"}


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def growth(measured, path):
    figure, axes = plt.subplots(2, 2, figsize=(7.6, 5.2), sharex="col")
    titles = {"stages": "64 microbatches", "microbatches": "8 stages"}
    for column, (along, rows) in enumerate(measured.items()):
        quantities = (("cpu_s", 1, "time (s)"), ("peak_rss_kb", 1 / 1024, "peak memory (MB)"))
        for row, (key, scale, label) in enumerate(quantities):
            plot = axes[row][column]
            for kind, colour in COLOURS.items():
                points = [(r[along], r[key] * scale) for r in rows if r["kind"] == kind]
                plot.plot(*zip(*points), "o-", color=colour, markersize=4, linewidth=1.4, label=kind)
            plot.set_xscale("log", base=2)
            plot.set_yscale("log")
            plot.set_xticks([r[along] for r in rows if r["kind"] == "coarse"],
                            [str(r[along]) for r in rows if r["kind"] == "coarse"])
            plot.minorticks_off()
            plot.grid(alpha=0.25)
            plot.set_ylabel(label)
            if row == 0:
                plot.set_title(titles[along])
            else:
                plot.set_xlabel(along)
    axes[0][0].legend()
    save(figure, path)


def curve(example, path):
    watts = example["static_power_w"]
    times = [p[0] for p in example["breakpoints"]]
    effective = [p[1] / 1000 for p in example["breakpoints"]]
    total = [e + watts * t / 1000 for t, e in zip(times, effective)]
    best = min(range(len(total)), key=total.__getitem__)
    figure, plot = plt.subplots(figsize=(5.6, 3.6))
    plot.plot(times, effective, color="#1b6ca8", linewidth=1.4, label="effective energy")
    plot.plot(times, total, color="#888", linewidth=1, linestyle=":")
    plot.plot(times[best:], total[best:], color="#d1603d", linewidth=1.8, label="total energy")
    plot.plot(times[best], total[best], "o", color="#d1603d", markersize=5)
    plot.annotate(f"slope = stages x static power\n= {watts:g} W", (times[best], total[best]), xytext=(0, 16),
                  textcoords="offset points", ha="center")
    plot.set_xlabel("iteration time (s)")
    plot.set_ylabel("energy (kJ)")
    plot.grid(alpha=0.25)
    plot.legend()
    save(figure, path)


def main():
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    if results["growth"]:
        growth(results["growth"], folder / "frontier-growth.svg")
    curve(results["example"], folder / "frontier-curve.svg")


if __name__ == "__main__":
    main()
