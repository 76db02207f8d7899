"""Both solvers on the same cost functions, and the command line on the profiles that these came from."""

import json
import os
import statistics
import tarfile

import cost_functions
import machine

HERE = machine.ROOT / "bench" / "frontier"
#: Small enough to take lowtime seconds.
QUICK = ("exp_s2_m8_u10ms", "pwl_s2_m8_u5ms", "exp_s4_m8_u10ms", "pwl_s4_m8_u5ms", "exp_s2_m8_u1ms", "pwl_s2_m8_u1ms")


def inputs(quick):
    """Files of cost functions, those that take longest last."""
    def size(path):
        functions = cost_functions.read(path)
        return functions.stages**2 * functions.microbatches**2 / functions.unit_s

    files = sorted((HERE / "functions").glob("*.fn"), key=size)
    return [path for path in files if not quick or path.stem in QUICK]


def run_lowtime(python, path, limit_s, saved, reuse):
    """What run_lowtime.py reports; None when it may not run and has no saved answer. The answer is kept in `saved`, with
    the machine's load before and after."""
    file = saved / f"{path.stem}.json"
    if reuse and file.exists():
        return json.loads(file.read_text())
    if limit_s <= 0:
        return None
    answer = {"load": [machine.load()]}
    answer |= machine.run_json([python, HERE / "run_lowtime.py", path, "--limit", limit_s])
    answer["load"].append(machine.load())
    answer["limit_s"] = limit_s
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(answer))
    os.replace(unfinished, file)
    return answer


def repeats(path):
    return 5 if cost_functions.read(path).microbatches <= 32 else 1


def run_solver(solve_fn, path, times):
    return machine.run_json(
        [solve_fn, path, "--unit", cost_functions.read(path).unit_s, "--repeats", repeats(path), "--certify", 100,
         "--times"], "\n".join(map(repr, times)))


def largest_gap(reference, ours):
    """Joules, over the times of `reference`."""
    gaps = [abs(energy - expected) for (_, energy, _), (_, expected) in zip(ours, reference, strict=True)]
    return max(gaps) if gaps else None


def run_command_line(kareus, path, folder):
    """`kareus frontier` from the profile to the curve, fit included; None where the program has no such command."""
    if kareus is None:
        return None
    name = path.stem
    with tarfile.open(HERE / "inputs.tar.xz") as archive:
        (folder / f"{name}.json").write_bytes(archive.extractfile(f"inputs/{name}.json").read())
    command = [kareus, "frontier", folder / f"{name}.json", "--json"]
    if name.startswith("exp"):
        command += ["--cost-model", "exponential"]
    try:
        result = machine.measure(command)
    except machine.Failed as error:
        return {"error": str(error)}
    return {key: result[key] for key in ("wall_s", "cpu_s")}


def compare(path, tools, limit_s, build, reuse):
    functions = cost_functions.read(path)
    lowtime = run_lowtime(tools["python"], path, limit_s, build / "lowtime", reuse)
    reference = lowtime["points"] if lowtime else []
    load = machine.load()
    ours = run_solver(tools["solve_fn"], path, [units * functions.unit_s for units, _ in reference])
    row = {"input": path.stem, "stages": functions.stages, "microbatches": functions.microbatches,
           "instructions": ours["instructions"], "breakpoints": ours["breakpoint_count"],
           "certificates": ours["certificates"]["checked"], "optimal": ours["certificates"]["optimal"],
           "cpu_s": statistics.median(ours["solve_cpu_ns"]) / 1e9,
           "wall_s": statistics.median(ours["solve_wall_ns"]) / 1e9,
           "dag_s": ours["dag_cpu_ns"][0] / 1e9, "peak_rss_kb": ours["peak_rss_kb"], "load": load,
           "command_line": run_command_line(tools["kareus"], path, build)}
    if lowtime:
        row |= {"gap_j": largest_gap(reference, ours["points"]),
                "lowtime": {key: value for key, value in lowtime.items() if key != "points"},
                "lowtime_points": len(reference),
                "lowtime_points_in_all": round((ours["slowest_s"] - ours["fastest_s"]) / functions.unit_s) + 1}
    return row
