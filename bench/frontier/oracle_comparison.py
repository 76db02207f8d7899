"""The solver against HiGHS (tests/oracle/lp_oracle.py) at 16 deadlines per input."""

import json
import sys
import time

import cost_functions
import machine

sys.path.insert(0, str(machine.ROOT / "tests" / "oracle"))

DEADLINES = 16


def worker(path, solve_fn):
    """Runs in the Python that has scipy; prints JSON."""
    import lp_oracle
    import scipy

    functions = cost_functions.read(path)
    answer = machine.run_json([solve_fn, path, "--unit", functions.unit_s, "--deadlines", DEADLINES, "--order"])
    program = lp_oracle.Program(functions, answer["order"])
    before = time.process_time()
    gaps = []
    for seconds, energy, _ in answer["points"]:
        expected = program.least_energy(seconds / functions.unit_s)
        if expected is None:
            raise SystemExit(f"{path}: {seconds} s is impossible for the linear program")
        gaps.append(abs(energy - expected) / abs(expected))
    json.dump({"input": functions.name, "variables": len(program.cost), "rows": len(program.limits),
               "deadlines": DEADLINES, "relative_gap": max(gaps), "cpu_s": time.process_time() - before,
               "our_cpu_s": answer["solve_cpu_ns"][0] / 1e9, "scipy": scipy.__version__}, sys.stdout)


def compare(path, python, solve_fn):
    return machine.run_json([python, "-B", __file__, path, solve_fn])


if __name__ == "__main__":
    worker(sys.argv[1], sys.argv[2])
