"""Time and memory of the solver against the number of stages and of microbatches."""

import statistics

import machine

STAGES = (2, 4, 8, 16, 32)
MICROBATCHES = (8, 16, 32, 64, 128, 256, 512)
#: Profiles of sixteen stages: coarse (rounded to 10 ms, exponential) and as measured (1 ms, hull of the options).
FILES = {"coarse": ("exp_s16_m128_u10ms", 0.01), "fine": ("pwl_s16_m128_u1ms", 0.001)}

#: Pipelines too long to follow the whole curve: this many certified points from the steady state.
LONG = ((8, 4096), (16, 4096), (64, 4096))
LONG_POINTS = 100


def cost_file(kind):
    name, unit = FILES[kind]
    return machine.ROOT / "bench" / "frontier" / "functions" / f"{name}.fn", unit


def point(solve_fn, kind, stages, microbatches):
    path, unit = cost_file(kind)
    load = machine.load()
    answer = machine.run_json([solve_fn, path, "--unit", unit, "--stages", stages, "--microbatches", microbatches,
                               "--certify", 20])
    if answer["certificates"]["optimal"] != answer["certificates"]["checked"]:
        raise SystemExit(f"{stages} x {microbatches}: a point is not certified")
    return {"kind": kind, "stages": stages, "microbatches": microbatches, "instructions": answer["instructions"],
            "breakpoints": answer["breakpoint_count"], "cpu_s": statistics.median(answer["solve_cpu_ns"]) / 1e9,
            "wall_s": statistics.median(answer["solve_wall_ns"]) / 1e9, "peak_rss_kb": answer["peak_rss_kb"], "load": load}


def measure(solve_fn, report):
    rows = {"stages": [], "microbatches": []}
    for kind in FILES:
        for stages in STAGES:
            rows["stages"].append(point(solve_fn, kind, stages, 64))
            report(rows["stages"][-1])
        for microbatches in MICROBATCHES:
            rows["microbatches"].append(point(solve_fn, kind, 8, microbatches))
            report(rows["microbatches"][-1])
    return rows


def measure_long(solve_long, report):
    rows = []
    for kind in FILES:
        for stages, microbatches in LONG:
            path, unit = cost_file(kind)
            load = machine.load()
            answer = machine.run_json([solve_long, path, unit, stages, microbatches, LONG_POINTS])
            rows.append({"kind": kind, "stages": stages, "microbatches": microbatches, "load": load,
                         "points": len(answer["points"]), "cpu_s": answer["cpu_ns"] / 1e9}
                        | {key: answer[key] for key in ("optimal", "from_steady_state", "solved_microbatches",
                                                        "peak_rss_kb")})
            report(rows[-1])
    return rows
