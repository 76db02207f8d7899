"""ZDT1 to ZDT4 and ZDT6 (Zitzler, Deb, Thiele, 2000) and DTLZ2 and DTLZ7 (Deb et al., 2005) with two objectives, on a grid
of 12 x 8 x 6 levels of three variables. Objectives are shifted by one, so that they are positive."""

import itertools
import math

from make_tables import description, table


def zdt(kind, x):
    first, rest = x[0], x[1:]
    if kind == 4:
        rest = [10 * v - 5 for v in rest]
        g = 1 + 10 * len(rest) + sum(v * v - 10 * math.cos(4 * math.pi * v) for v in rest)
    elif kind == 6:
        first = 1 - math.exp(-4 * x[0]) * math.sin(6 * math.pi * x[0]) ** 6
        g = 1 + 9 * (sum(rest) / len(rest)) ** 0.25
    else:
        g = 1 + 9 * sum(rest) / len(rest)
    ratio = first / g
    h = {1: 1 - math.sqrt(ratio), 2: 1 - ratio ** 2, 3: 1 - math.sqrt(ratio) - ratio * math.sin(10 * math.pi * first),
         4: 1 - math.sqrt(ratio), 6: 1 - ratio ** 2}[kind]
    return first, g * h


def dtlz2(x):
    g = sum((v - 0.5) ** 2 for v in x[1:])
    return (1 + g) * math.cos(x[0] * math.pi / 2), (1 + g) * math.sin(x[0] * math.pi / 2)


def dtlz7(x):
    g = 1 + 9 * sum(x[1:]) / len(x[1:])
    return x[0], (1 + g) * (2 - x[0] / (1 + g) * (1 + math.sin(3 * math.pi * x[0])))


def write(folder):
    problems = {f"zdt{kind}": lambda x, kind=kind: zdt(kind, x) for kind in (1, 2, 3, 4, 6)}
    problems |= {"dtlz2": dtlz2, "dtlz7": dtlz7}
    for name, problem in problems.items():
        rows = []
        for x in itertools.product(*([k / (levels - 1) for k in range(levels)] for levels in (12, 8, 6))):
            a, b = problem(x)
            rows.append({"x1": repr(x[0]), "x2": repr(x[1]), "x3": repr(x[2]), "f1": repr(a + 1), "f2": repr(b + 1)})
        (folder / f"analytic.{name}.csv").write_text(table(rows))
        (folder / f"analytic.{name}.toml").write_text(
            description(0, {"columns": ["f1"]}, {"columns": ["f2"]}, ["x1", "x2", "x3"], kind="dynamic"))
