"""Derives the tables of data/calibration from the published files: medians of repeats, one row a configuration."""
import csv, json, statistics, sys
from pathlib import Path

# A window (start, end) of the published sweep in the operators of calibration.toml. Its sixteen windows tell that indices
# 2 and 5 stand for nothing that takes time, and that the operator after `end` still runs beside the communication.
LAUNCH = {0: 0, 2: 1, 3: 1, 5: 3, 6: 3}
JOIN = {1: 1, 2: 2, 4: 3, 5: 4, 6: 5}


def sweep(source, clock):
    for row in csv.reader(open(source)):
        if not row[0].lstrip("-").isdigit() or row[3] != "1024":
            continue
        start, end = int(row[0]), int(row[1])
        time = statistics.median(float(row[4 + 4 * i]) for i in range(3))
        energy = statistics.median(float(row[5 + 4 * i]) for i in range(3)) / 2
        window = ["none", "none"] if start < 0 else [LAUNCH[start], JOIN[end]]
        yield [clock, *window, row[2], f"{time:.6g}", f"{energy:.5g}"]


def main():
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    folder = out / "a100-sxm4-40gb"
    with open(folder / "attention-tp2.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["clock_mhz", "launched_with", "joined_before", "sm_count", "time_s", "energy_j"])
        table.writerows(sweep(source / "kareus-artifact/a100_attn_tp2_sweep_unlocked.csv", 1410))
        table.writerows(sweep(source / "kareus-artifact/a100_attn_tp2_sweep_1200mhz_even_sms.csv", 1200))
    with open(folder / "collectives.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kind", "ranks", "message_bytes", "time_s"])
        for line in open(source / "collectives/mscclpp_perf_ndmv4.jsonl"):
            row = json.loads(line)
            if row["ranks"] == 8 and row["size"] >= 1 << 24 and row["name"] in ("allreduce", "allgather"):
                table.writerow([row["name"].replace("all", "all_"), 8, row["size"], f"{row['time'] * 1e-6:.6g}"])
    pcie = out / "a100-pcie-80gb"
    pcie.mkdir(exist_ok=True)
    rows = list(csv.DictReader(open(source / "power-sweeps/a100_pcie80_clock_x_powercap.csv")))
    for bench, name in (("babelstream", "stream"), ("pi-solver", "pi")):
        with open(pcie / f"{name}.csv", "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["clock_mhz", "cap_w", "time_s", "power_w"])
            for row in rows:
                if row["bench"] == bench:
                    table.writerow([row["freq_mhz"], row["power_cap_w"], row["time_s"], row["avg_power_w"]])


main()
