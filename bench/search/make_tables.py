#!/usr/bin/env python3
"""Makes tables.tar.xz, measured tables for comparing searches, from the files that others published:

    make_tables.py FOLDER

where FOLDER holds `zeus/summary_power_*.csv`, `kernel-tuner/` and `kareus-artifact/` as README.md names them.
"""

import csv
import io
import json
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
#: Power of a GPU that is ready and does nothing, in watts: ours to choose, since the sources do not measure it.
ZEUS_STATIC_POWER_W = {"a40": 30, "p100": 30, "rtx6000": 25, "v100": 40}


def description(static_power, time, energy, numeric=(), categorical=(), clock=None, kind="total", failures=()):
    lines = ['format = "kareus-table"', "version = 1", f"static_power_w = {static_power}"]
    if numeric:
        lines.append(f"numeric = {json.dumps(list(numeric))}")
    if clock:
        lines.append(f'clock = "{clock}"')
    if failures:
        lines.append(f"failure_texts = {json.dumps(list(failures))}")
    for name in categorical:
        lines += ["", "[[categorical]]", f'name = "{name}"', f'columns = ["{name}"]']
    for name, measurement in (("time", time), ("energy", energy)):
        lines += ["", f"[{name}]", f"columns = {json.dumps(measurement['columns'])}"]
        if "factor" in measurement:
            lines.append(f"factor = {measurement['factor']}")
    if kind != "total":
        lines.append(f'kind = "{kind}"')
    return "\n".join(lines) + "\n"


def table(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def zeus(folder):
    """Batch size x optimizer x power limit: time and energy of an epoch."""
    for path in sorted((folder / "zeus").glob("summary_power_*.csv")):
        gpu = path.stem.removeprefix("summary_power_")
        workloads = {}
        for row in csv.DictReader(path.open()):
            time, power = float(row["time_per_epoch"]), float(row["average_power"])
            workloads.setdefault((row["dataset"], row["network"]), []).append(
                {"batch_size": row["batch_size"], "optimizer": row["optimizer"], "power_limit": row["power_limit"],
                 "time_s": repr(time), "energy_j": repr(time * power)})
        for (dataset, network), rows in workloads.items():
            categorical = ["optimizer"] if len({row["optimizer"] for row in rows}) > 1 else []
            yield f"zeus.{gpu}.{dataset}.{network}", table(rows), description(
                ZEUS_STATIC_POWER_W[gpu], {"columns": ["time_s"]}, {"columns": ["energy_j"]},
                ["batch_size", "power_limit"], categorical)


def kernel_tuner(folder):
    """Time and energy of a kernel against the clock, or against the block size."""
    for name, static_power in (("kt_synthetic_fp32_A100", 55), ("kt_synthetic_fp32_A4000", 15),
                               ("kt_vector_add_time_energy_RTX4000Ada", 15)):
        cache = json.loads((folder / "kernel-tuner" / f"{name}.json").read_text())["cache"]
        rows = []
        for entry in cache.values():
            if not isinstance(entry["time"], (int, float)):
                continue
            energy = entry.get("ps_energy") or entry["nvml_power"] * entry["time"] * 1e-3
            rows.append({"block_size_x": entry["block_size_x"], "nvml_gr_clock": entry["nvml_gr_clock"],
                         "time_ms": repr(entry["time"]), "energy_j": repr(energy)})
        moving = [key for key in ("block_size_x", "nvml_gr_clock") if len({row[key] for row in rows}) > 1]
        yield f"kernel_tuner.{name.removeprefix('kt_')}", table(rows), description(
            static_power, {"columns": ["time_ms"], "factor": 1e-3}, {"columns": ["energy_j"]}, moving,
            clock="nvml_gr_clock" if "nvml_gr_clock" in moving else None)


def convolution(folder):
    """4362 configurations on two GPUs, 161 of which fail: the times on the two are the objectives."""
    path = folder / "kernel-tuner" / "benchmark_hub_convolution_A100_A4000.csv"
    features = ["block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "read_only", "use_padding", "use_shmem"]
    rows = []
    for row in csv.DictReader(path.open()):
        ok = row["a100_status"] == "ok" and row["a4000_status"] == "ok"
        rows.append({key: row[key] for key in features} |
                    {"a100_ms": row["a100_ms"] if ok else "failed", "a4000_ms": row["a4000_ms"] if ok else "failed"})
    yield "convolution.a100_a4000", table(rows), description(
        0, {"columns": ["a100_ms"]}, {"columns": ["a4000_ms"]}, features, kind="dynamic", failures=["failed"])


def sweeps(folder):
    """The published system's attention partition at one locked clock; the unlocked sweep is in tests/data."""
    path = folder / "kareus-artifact" / "a100_attn_tp2_sweep_1200mhz_even_sms.csv"
    template = (HERE.parents[1] / "tests" / "data" / "a100-attn-tp2-sweep.toml").read_text()
    yield "sweep.a100_1200mhz", path.read_text(), template


def main():
    folder = pathlib.Path(sys.argv[1])
    with tarfile.open(HERE / "tables.tar.xz", "w:xz", preset=9) as archive:
        for maker in (zeus, kernel_tuner, convolution, sweeps):
            for name, rows, text in maker(folder):
                for suffix, content in ((".csv", rows), (".toml", text)):
                    data = content.encode()
                    entry = tarfile.TarInfo(name + suffix)
                    entry.size = len(data)
                    archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
