"""Compares curves of solve_fn with a linear program at evenly spaced deadlines. Exit code 1 when one differs.

Usage: check_curve.py SOLVE_FN FILE.fn|random:FIRST-LAST [--stages S] [--microbatches M] [--schedule NAME]
                      [--chunks N] [--transfer UNITS] [--tail UNITS] [--deadlines N] [--mislead]
--mislead gives the program a slightly longer tail: then the curves must differ, or this check sees nothing.
"""

import argparse
import dataclasses
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "frontier"))
import cost_functions
import lp_oracle

RELATIVE_GAP = 1e-9
#: A deadline shorter than the fastest iteration by this part must be impossible for the program too.
TOO_EARLY = 1e-6


def write_random(seed, folder):
    """Options all over the place: not convex, not sorted, some dominated, energies of either sign."""
    chance = random.Random(seed)
    path = pathlib.Path(folder) / f"random{seed}_u1ms.fn"
    stages, microbatches = chance.randint(2, 4), chance.randint(1, 6)
    lines = [f"{stages} {microbatches}"]
    for _ in range(2 * stages):
        options = [(chance.randint(5, 60), round(chance.uniform(-5, 50), 6)) for _ in range(chance.randint(1, 9))]
        lines.append(" ".join([str(len(options))] + [f"{x} {y}" for x, y in options]))
    path.write_text("\n".join(lines) + "\n")
    return path


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("solve_fn")
    parser.add_argument("file")
    parser.add_argument("--stages", type=int)
    parser.add_argument("--microbatches", type=int)
    parser.add_argument("--schedule", default="1f1b")
    parser.add_argument("--chunks", type=int, default=1)
    parser.add_argument("--transfer", type=float, default=0)
    parser.add_argument("--tail", type=float, default=0)
    parser.add_argument("--deadlines", type=int, default=16)
    parser.add_argument("--mislead", action="store_true")
    return parser.parse_args()


def restrict(functions, stages, microbatches):
    stages = stages or functions.stages
    return dataclasses.replace(functions, microbatches=microbatches or functions.microbatches,
                               forward=functions.forward[:stages], backward=functions.backward[:stages])


def solve(arguments, path, functions):
    unit = functions.unit_s
    command = [arguments.solve_fn, path, "--unit", unit, "--stages", functions.stages, "--microbatches",
               functions.microbatches, "--schedule", arguments.schedule, "--chunks", arguments.chunks, "--order",
               "--transfer", arguments.transfer * unit, "--gradient-reduction", arguments.tail * unit / 2,
               "--optimizer-step", arguments.tail * unit / 2, "--deadlines", arguments.deadlines, "--certify", 1000000]
    return json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True).stdout)


def inputs(arguments, folder):
    if not arguments.file.startswith("random:"):
        return [arguments.file]
    first, last = map(int, arguments.file.removeprefix("random:").split("-"))
    return [write_random(seed, folder) for seed in range(first, last + 1)]


def compare(arguments, path):
    # The restriction keeps the first stages, in both programs.
    functions = cost_functions.read(path)
    functions = restrict(functions, min(arguments.stages or functions.stages, functions.stages), arguments.microbatches)
    answer = solve(arguments, path, functions)
    tail = arguments.tail + (1e-3 if arguments.mislead else 0)
    program = lp_oracle.Program(functions, answer["order"], arguments.transfer, tail)

    failures, largest = [], 0.0
    for time, energy, _ in answer["points"]:
        expected = program.least_energy(time / functions.unit_s)
        if expected is None:
            failures.append(f"impossible at {time} s says the program, {energy} J says the curve")
            continue
        gap = abs(energy - expected) / max(1.0, abs(expected))
        largest = max(largest, gap)
        if not gap <= RELATIVE_GAP:
            failures.append(f"at {time} s {energy} J, the program {expected} J: relative gap {gap:.2g}")
    if program.least_energy(answer["fastest_s"] / functions.unit_s * (1 - TOO_EARLY)) is not None:
        failures.append(f"the curve ends at {answer['fastest_s']} s, but the program is faster")
    certificates = answer["certificates"]
    if not certificates["checked"] == certificates["optimal"] == answer["breakpoint_count"]:
        failures.append(f"{certificates} of {answer['breakpoint_count']} breakpoints")
    print(f"{functions.stages} stages, {functions.microbatches} microbatches, {arguments.deadlines} deadlines, "
          f"{answer['breakpoint_count']} breakpoints: largest relative gap {largest:.2g}")
    return failures


def main():
    arguments = parse()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in inputs(arguments, folder):
            for failure in compare(arguments, path):
                print(f"{pathlib.Path(path).stem}: {failure}", file=sys.stderr)
                failures += 1
    expected = bool(failures) if arguments.mislead else not failures
    sys.exit(0 if expected else 1)


if __name__ == "__main__":
    main()
