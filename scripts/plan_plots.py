"""Pictures of one plan: its pipeline beside Megatron-LM's, and what runs when in a partition.

Runs in a Python that has matplotlib: plan_plots.py RUN FOLDER, where RUN holds report.html and the timelines
megatron.csv, fastest.csv and equal-time.csv of `kareus emulate --timeline`.
"""

import csv
import json
import pathlib
import re
import sys

from evaluation_plots import plt, save

RAMP = [(52, 64, 158), (122, 72, 170), (190, 76, 136), (232, 118, 84), (247, 186, 66)]  # as in the report
KERNELS = ["#2f6fb5", "#3f9b78", "#8a63b8", "#c08a2e", "#5a8fa8", "#a05a7c", "#6b7a2f", "#4a5568"]
COMMUNICATION = "#d9590a"
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def clock_colour(clock, clocks):
    low, high = min(clocks), max(clocks)
    at = (clock - low) / (high - low) * (len(RAMP) - 1) if high > low else len(RAMP) - 1
    i = min(int(at), len(RAMP) - 2)
    return tuple((a + (b - a) * (at - i)) / 255 for a, b in zip(RAMP[i], RAMP[i + 1]))


def timeline(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: value if key in ("instruction", "microbatch") else float(value) for key, value in row.items()}
                for row in csv.DictReader(file)]


def mean_power(rows, stages):
    """Edges in s and watts between them, mean over one GPU of each stage."""
    changes = {}
    for row in rows:
        watts = (row["working_j"] + row["waiting_j"]) / row["duration_s"] / stages
        for time, change in ((row["start_s"], watts), (row["start_s"] + row["duration_s"], -watts)):
            at = round(time, 6)  # what ends and what begins then were written with nine digits each
            changes[at] = changes.get(at, 0.0) + change
    edges = sorted(changes)
    watts, values = 0.0, []
    for edge in edges[:-1]:
        watts += changes[edge]
        values.append(watts)
    return edges, values


def pipelines(folder, path):
    shown = {"Megatron-LM": "megatron.csv", "Kareus, fastest plan": "fastest.csv",
             "Kareus, least energy within Megatron-LM's time": "equal-time.csv"}
    plans = {name: timeline(folder / file) for name, file in shown.items()}
    clocks = [row["clock_mhz"] for rows in plans.values() for row in rows if row["instruction"] != "wait"]
    end = max(row["start_s"] + row["duration_s"] for rows in plans.values() for row in rows)
    figure, axes = plt.subplots(2 * len(plans), 1, figsize=(10, 8.4), sharex=True,
                                gridspec_kw={"height_ratios": [2, 1.4] * len(plans), "hspace": 0.45})
    top = 0.0
    for (name, rows), gantt, power in zip(plans.items(), axes[::2], axes[1::2]):
        stages = 1 + int(max(row["stage"] for row in rows))
        time = max(row["start_s"] + row["duration_s"] for row in rows)
        energy = sum(row["working_j"] + row["waiting_j"] for row in rows)
        for row in rows:
            if row["instruction"] == "wait":
                continue
            colour = clock_colour(row["clock_mhz"], clocks)
            backward = row["instruction"] == "backward"
            gantt.barh(row["stage"], row["duration_s"], 0.8 if backward else 0.5, row["start_s"], color=colour,
                       edgecolor="white", linewidth=0.4)
            if row["duration_s"] > 0.02 * end:
                light = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 0.55
                gantt.text(row["start_s"] + row["duration_s"] / 2, row["stage"],
                           ("B" if backward else "F") + row["microbatch"], ha="center", va="center", fontsize=6,
                           color="#18202c" if light else "white")
        gantt.set_yticks(range(stages), [f"stage {stage}" for stage in range(stages)])
        gantt.set_ylim(stages - 0.4, -0.6)
        gantt.set_title(f"{name}: {time:.2f} s, {energy:.0f} J of one GPU of each stage", fontsize=8, loc="left")
        edges, watts = mean_power(rows, stages)
        power.stairs(watts, edges, fill=True, color="#0a66c2", alpha=0.75)
        power.set_ylabel("W per GPU")
        power.grid(axis="y", alpha=0.25)
        top = max(top, *watts)
    for power in axes[1::2]:
        power.set_ylim(0, 1.05 * top)
    axes[-1].set_xlim(0, end)
    axes[-1].set_xlabel("time since the start of the iteration (s)")
    colours = plt.matplotlib.colors.LinearSegmentedColormap.from_list(
        "clock", [tuple(part / 255 for part in colour) for colour in RAMP])
    scale = plt.cm.ScalarMappable(plt.Normalize(min(clocks), max(clocks)), colours)
    figure.colorbar(scale, ax=axes, label="clock (MHz)", fraction=0.025, pad=0.01)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def configuration(partition, point):
    clock, sms, slot = point[:3]
    slot = partition["slots"][slot]
    return f"{clock} MHz, {sms} SMs, " + ("after all compute" if slot == "none" else f"launched at {slot}")


def boxes(trace, kernel_of, sms_of):
    """Stretches of one kernel on one number of SMs: kernel, start and end in ms, SMs."""
    found = []
    for interval in trace:
        kernel, sms = kernel_of(interval), sms_of(interval)
        start, end = interval[0] * 1e3, (interval[0] + interval[1]) * 1e3
        if found and found[-1][0] == kernel and found[-1][3] == sms:
            found[-1][2] = end
        else:
            found.append([kernel, start, end, sms])
    return [box for box in found if box[0] >= 0]


def partition_timeline(report, path):
    data = json.loads(DATA.search(report.read_text("utf-8")).group(1))
    partition = max(data["partitions"], key=lambda one: len(one["kernels"]))
    traced = sorted(((partition["points"][index], trace) for index, trace in partition["traces"]), key=lambda e: e[0][3])
    shown = [traced[0], min(traced, key=lambda entry: entry[0][4])]
    end = max(trace[-1][0] + trace[-1][1] for _, trace in shown) * 1e3
    total = max(interval[3] + interval[4] for _, trace in shown for interval in trace)
    top = max(interval[5] for _, trace in shown for interval in trace)
    figure, axes = plt.subplots(4, 1, figsize=(10, 6), sharex=True, gridspec_kw={"height_ratios": [2, 1.2] * 2})
    for (point, trace), which, kernels, power in zip(shown, ("fastest", "least energy"), axes[::2], axes[1::2]):
        drawn = [(partition["kernels"][kernel], start, stop, 0, sms, KERNELS[kernel % len(KERNELS)])
                 for kernel, start, stop, sms in boxes(trace, lambda i: i[2], lambda i: i[3])]
        drawn += [("communication", start, stop, total - sms, sms, COMMUNICATION)
                  for _, start, stop, sms in boxes(trace, lambda i: 0 if i[4] > 0 else -1, lambda i: i[4])]
        for name, start, stop, bottom, sms, colour in drawn:
            kernels.bar(start, sms, stop - start, bottom, align="edge", color=colour, edgecolor="white", linewidth=0.5)
            upright = stop - start > 0.009 * len(name) * end
            if upright or (stop - start > 0.014 * end and sms > total / 2):
                kernels.text((start + stop) / 2, bottom + sms / 2, name, ha="center", va="center", fontsize=6,
                             color="white", rotation=0 if upright else 90)
        kernels.set_ylim(0, total)
        kernels.set_ylabel("SMs")
        kernels.set_title(f"{partition['type']}, {which} configuration found: {configuration(partition, point)}; "
                          f"measured {point[3] * 1e3:.2f} ms, {point[4]:.2f} J", fontsize=8, loc="left")
        power.stairs([interval[5] for interval in trace],
                     [interval[0] * 1e3 for interval in trace] + [(trace[-1][0] + trace[-1][1]) * 1e3],
                     fill=True, color="#0a66c2", alpha=0.75)
        power.set_ylim(0, 1.05 * top)
        power.set_ylabel("W")
        power.grid(axis="y", alpha=0.25)
    axes[-1].set_xlim(0, end)
    axes[-1].set_xlabel("time since the start of the partition (ms)")
    save(figure, path)


def main():
    run, folder = map(pathlib.Path, sys.argv[1:3])
    pipelines(run, folder / "evaluation-pipeline.svg")
    partition_timeline(run / "report.html", folder / "evaluation-partition.svg")


if __name__ == "__main__":
    main()
