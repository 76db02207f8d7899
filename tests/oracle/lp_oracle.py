"""The time-energy trade-off of a pipeline as a linear program, solved by HiGHS: slow, and written without a look at the
solver that it judges. Precedences and convex hulls are made here from their definitions; only the order comes from
outside.

Variables: the begin of every instruction, and per instruction one variable per segment of its hull, which says how much
of the segment is used up, from the slowest point on. The hull's slopes ascend, so an optimum uses them in order.
All times are in the units of the cost functions' file, which keeps every coefficient near one.
"""

import itertools

import numpy
import scipy.optimize
import scipy.sparse


def hull(points):
    """Lower left hull of (duration, energy), slowest first."""
    result = []
    for point in sorted(points, key=lambda p: (p[1], p[0])):
        if result and point[0] >= result[-1][0]:
            continue
        while len(result) > 1:
            (x0, y0), (x1, y1) = result[-2:]
            if (y1 - y0) * (x1 - point[0]) < (point[1] - y1) * (x0 - x1):
                break
            result.pop()
        result.append(point)
    return result


def parse_order(order):
    """Per stage, (kind, microbatch, chunk), from names such as F3 or B12.1."""
    def operation(name):
        microbatch, _, chunk = name[1:].partition(".")
        return name[0], int(microbatch), int(chunk or 0)

    return [[operation(name) for name in stage] for stage in order]


def precedences(orders):
    """Pairs of (stage, kind, microbatch, chunk): what must end before what begins, and whether a transfer is between."""
    stages = len(orders)
    present = {(stage, *operation) for stage, order in enumerate(orders) for operation in order}
    chunks = 1 + max(chunk for *_, chunk in present)
    pairs = []
    for stage, order in enumerate(orders):
        pairs += [((stage, *a), (stage, *b), False) for a, b in itertools.pairwise(order)]
    for stage, kind, microbatch, chunk in present:
        here = (stage, kind, microbatch, chunk)
        # The model's layers in order: all stages of chunk 0, then all stages of chunk 1, ...
        depth = chunk * stages + stage
        if kind == "F":
            if depth + 1 < chunks * stages:
                pairs.append((here, ((depth + 1) % stages, "F", microbatch, (depth + 1) // stages), True))
            backwards = [(stage, backward, microbatch, chunk) for backward in "BI"]
            pairs += [(here, after, False) for after in backwards if after in present]
        if kind in "BI" and depth > 0:
            pairs.append((here, ((depth - 1) % stages, kind, microbatch, (depth - 1) // stages), True))
        if kind == "I":
            pairs.append((here, (stage, "W", microbatch, chunk), False))
    return pairs


#: What part of a backward's time and energy its halves have (solve_fn.cpp).
PARTS = {"I": 0.625, "W": 0.375}


def hulls_of(functions):
    """Hulls by stage and kind."""
    result = {}
    for stage, (forward, backward) in enumerate(zip(functions.forward, functions.backward)):
        result[stage, "F"] = result[stage, "R"] = hull(forward)
        result[stage, "B"] = hull(backward)
        for kind, part in PARTS.items():
            result[stage, kind] = [(x * part, y * part) for x, y in result[stage, "B"]]
    return result


class Program:
    """`functions` as read from a .fn file, `order` as in a JSON file of orders. `transfer` and `tail` (after a stage's
    last instruction) in the file's units."""

    def __init__(self, functions, order, transfer=0.0, tail=0.0):
        orders = parse_order(order)
        self.nodes = {}
        for stage, operations in enumerate(orders):
            for operation in operations:
                self.nodes[stage, *operation] = len(self.nodes)
        hulls = hulls_of(functions)
        self.hulls = [hulls[stage, kind] for stage, kind, *_ in self.nodes]
        lags = [(self.nodes[before], self.nodes[after], transfer if moves else 0.0)
                for before, after, moves in precedences(orders)]
        self._build(lags, [(self.nodes[stage, *operations[-1]], tail) for stage, operations in enumerate(orders)])

    def _build(self, lags, tails):
        count = len(self.nodes)
        self.cost, self.bounds, columns_of = [0.0] * count, [(0, None)] * count, []
        for points in self.hulls:
            columns_of.append(range(len(self.cost), len(self.cost) + len(points) - 1))
            for (x0, y0), (x1, y1) in itertools.pairwise(points):
                self.cost.append((y1 - y0) / (x0 - x1))
                self.bounds.append((0, x0 - x1))
        self.cheapest = sum(points[0][1] for points in self.hulls)
        rows, columns, values, self.limits = [], [], [], []

        def add_row(node, after, lag):
            """begin(node) + duration(node) + lag <= begin(after), or the deadline."""
            row = len(self.limits)
            for column, value in [(node, 1.0)] + ([(after, -1.0)] if after is not None else []):
                rows.append(row), columns.append(column), values.append(value)
            for column in columns_of[node]:
                rows.append(row), columns.append(column), values.append(-1.0)
            self.limits.append(-self.hulls[node][0][0] - lag)

        for before, after, lag in lags:
            add_row(before, after, lag)
        self.deadline_rows = range(len(self.limits), len(self.limits) + len(tails))
        for node, tail in tails:
            add_row(node, None, tail)
        self.matrix = scipy.sparse.csr_matrix((values, (rows, columns)), (len(self.limits), len(self.cost)))

    def least_energy(self, deadline):
        """Joules, or None when the deadline cannot be met."""
        limits = numpy.array(self.limits)
        limits[list(self.deadline_rows)] += deadline
        result = scipy.optimize.linprog(self.cost, A_ub=self.matrix, b_ub=limits, bounds=self.bounds, method="highs",
                                        options={"primal_feasibility_tolerance": 1e-10,
                                                 "dual_feasibility_tolerance": 1e-10})
        if result.status == 2:
            return None
        if result.status != 0:
            raise RuntimeError(f"HiGHS: {result.message}")
        return self.cheapest + result.fun
