"""BoTorch, Optuna and pymoo on a table, as they come, from the first points of our own search; JSON on standard output:

    peers.py TABLE SPACE PEER BUDGET FIRST_POINTS
    peers.py TABLE SPACE --batch KNOWN

FIRST_POINTS is a file with a list of {"seed": ..., "first": [candidate, ...]}. The table is read by the same
description as the C++ side; numeric features are scaled to [0, 1], categories are one-hot for BoTorch and named for the
others. The second form is the time of one batch of 32 of BoTorch, after a small one that loads what it needs; KNOWN is
the list of candidates that it knows.
"""

import csv
import json
import os
import statistics
import sys
import time
import tomllib
import warnings

os.environ["OMP_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")


class Table:
    def __init__(self, path, description):
        with open(description, "rb") as file:
            about = tomllib.load(file)
        failures = set(about.get("failure_texts", [])) | {""}
        numeric = about.get("numeric", [])
        categorical = about.get("categorical", [])
        static_power = about["static_power_w"]

        def value(row, measurement):
            texts = [row[column] for column in measurement["columns"]]
            numbers = [float(text) * measurement.get("factor", 1) for text in texts if text not in failures]
            if not numbers:
                return None
            mean = measurement.get("aggregate", "median") == "mean"
            return statistics.fmean(numbers) if mean else statistics.median(numbers)

        self.keys, self.points = [], []
        for row in csv.DictReader(open(path, newline="")):
            time_s, energy_j = value(row, about["time"]), value(row, about["energy"])
            key = tuple(float(row[name]) for name in numeric)
            key += tuple(",".join(row[column] for column in feature["columns"]) for feature in categorical)
            if about["energy"].get("kind", "total") == "dynamic" and energy_j is not None and time_s is not None:
                energy_j += static_power * time_s
            self.keys.append(key)
            self.points.append(None if time_s is None or energy_j is None else (time_s, energy_j))
        self.numeric = len(numeric)
        self.levels = [sorted({key[j] for key in self.keys}) for j in range(len(self.keys[0]))]
        self.index = {key: i for i, key in enumerate(self.keys)}

    def rows(self):
        """Features for models: numbers in [0, 1], one-hot categories."""
        result = []
        for key in self.keys:
            row = []
            for j, levels in enumerate(self.levels):
                if j < self.numeric:
                    span = levels[-1] - levels[0]
                    row.append((key[j] - levels[0]) / span if span else 0.0)
                else:
                    row += [float(key[j] == level) for level in levels]
            result.append(row)
        return result


def front(points):
    result = []
    for point in sorted(points):
        if not result or point[1] < result[-1][1]:
            result.append(point)
    return result


def volume(points, reference):
    total, ceiling = 0.0, reference[1]
    for t, e in front(points):
        if t < reference[0] and e < ceiling:
            total += (reference[0] - t) * (ceiling - e)
            ceiling = e
    return total


def reporting_reference(points):
    best = front(points)

    def beyond(values):
        span = max(values) - min(values)
        return max(values) + (0.1 * span if span else 0.1 * abs(max(values)) or 0.1)
    return beyond([t for t, _ in best]), beyond([e for _, e in best])


def botorch_peer(table, budget, first, seed, batch=4):
    import torch
    from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf_discrete
    from gpytorch.mlls import SumMarginalLogLikelihood
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    x = torch.tensor(table.rows(), dtype=torch.double)
    order = list(first)
    while len(order) < budget and len(order) < len(table.keys):
        known = [i for i in order if table.points[i] is not None]
        y = -torch.tensor([table.points[i] for i in known], dtype=torch.double).log()
        models = [SingleTaskGP(x[known], y[:, [k]], outcome_transform=Standardize(1)) for k in range(2)]
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        best = [(-float(a), -float(b)) for a, b in y]
        reference = reporting_reference(best)
        acquisition = qLogNoisyExpectedHypervolumeImprovement(
            model, ref_point=[-reference[0], -reference[1]], X_baseline=x[known], prune_baseline=True)
        left = [i for i in range(len(table.keys)) if i not in set(order)]
        count = min(batch, budget - len(order), len(left))
        chosen, _ = optimize_acqf_discrete(acquisition, q=count, choices=x[left], unique=True, max_batch_size=256)
        for row in chosen:
            match = next(i for i in left if i not in order and bool((x[i] == row).all()))
            order.append(match)
    return order


def optuna_peer(table, budget, first, seed, sampler):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {"optuna_tpe": lambda: optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=0),
                "optuna_gp": lambda: optuna.samplers.GPSampler(seed=seed, n_startup_trials=0)}
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=samplers[sampler]())
    space = {f"x{j}": optuna.distributions.CategoricalDistribution(levels) if j >= table.numeric
             else optuna.distributions.IntDistribution(0, len(levels) - 1) for j, levels in enumerate(table.levels)}
    for i in first:
        study.enqueue_trial({f"x{j}": table.keys[i][j] if j >= table.numeric else levels.index(table.keys[i][j])
                             for j, levels in enumerate(table.levels)})
    order, tries = [], 0
    while len(order) < min(budget, len(table.keys)) and tries < 6 * budget:
        tries += 1
        trial = study.ask(space)
        key = tuple(trial.params[f"x{j}"] if j >= table.numeric else levels[trial.params[f"x{j}"]]
                    for j, levels in enumerate(table.levels))
        i = table.index.get(key)
        if i is None or table.points[i] is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, [table.points[i][0], table.points[i][1]])
        if i is not None and i not in order:  # what it asks twice costs it nothing
            order.append(i)
    return order


def pymoo_peer(table, budget, first, seed):
    import numpy
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import Problem
    from pymoo.operators.crossover.sbx import SBX
    from pymoo.operators.mutation.pm import PM
    from pymoo.operators.repair.rounding import RoundingRepair
    order = []

    class Grid(Problem):
        def __init__(self):
            super().__init__(n_var=len(table.levels), n_obj=2, vtype=int, xl=numpy.zeros(len(table.levels)),
                             xu=numpy.array([len(levels) - 1 for levels in table.levels]))

        def _evaluate(self, x, out, *args, **kwargs):
            values = []
            for row in x:
                i = table.index.get(tuple(levels[int(k)] for levels, k in zip(table.levels, row)))
                point = None if i is None else table.points[i]
                if i is not None and i not in order:
                    order.append(i)
                values.append([1e30, 1e30] if point is None else list(point))
            out["F"] = numpy.array(values)
    start = numpy.array([[levels.index(table.keys[i][j]) for j, levels in enumerate(table.levels)] for i in first])
    algorithm = NSGA2(pop_size=len(first), sampling=start, crossover=SBX(prob=0.9, eta=15, vtype=float, repair=RoundingRepair()),
                      mutation=PM(eta=20, vtype=float, repair=RoundingRepair()), eliminate_duplicates=True)
    algorithm.setup(Grid(), termination=("n_gen", 20 * budget), seed=seed, verbose=False)
    generations = 0
    while algorithm.has_next() and len(order) < min(budget, len(table.keys)) and generations < 2 * budget:
        algorithm.next()
        generations += 1
    return order[:budget]


def time_batch(path, description, known):
    table, known = Table(path, description), json.loads(known)
    botorch_peer(table, len(known) + 1, known, 1)
    begin, begin_cpu = time.perf_counter(), time.process_time()
    botorch_peer(table, len(known) + 32, known, 1, batch=32)
    print(json.dumps({"wall_s": time.perf_counter() - begin, "cpu_s": time.process_time() - begin_cpu}))


def main():
    if sys.argv[3] == "--batch":
        return time_batch(sys.argv[1], sys.argv[2], sys.argv[4])
    path, description, peer, budget, first_file = sys.argv[1:]
    table, budget = Table(path, description), int(budget)
    points = [point for point in table.points if point is not None]
    reference = reporting_reference(points)
    whole = volume(points, reference)
    runs = []
    for given in json.load(open(first_file)):
        begin = time.process_time()
        if peer == "botorch":
            order = botorch_peer(table, budget, given["first"], given["seed"])
        elif peer == "pymoo_nsga2":
            order = pymoo_peer(table, budget, given["first"], given["seed"])
        else:
            order = optuna_peer(table, budget, given["first"], given["seed"], peer)
        seconds = time.process_time() - begin
        ratios, found = [], []
        for i in order:
            if table.points[i] is not None:
                found.append(table.points[i])
            ratios.append(volume(found, reference) / whole)
        at = [ratios[min(max(1, int(budget * share)), len(ratios)) - 1] for share in (0.25, 0.5, 1)]
        first_at = {name: next((k + 1 for k, ratio in enumerate(ratios) if ratio >= wanted), None)
                    for name, wanted in (("to_95", 0.95), ("to_99", 0.99))}
        runs.append({"seed": given["seed"], "evaluations": len(order), "measured": at, "reported": at,
                     "seconds": seconds, **first_at})
    print(json.dumps({"strategy": peer, "configurations": len(table.keys), "runs": runs}))


if __name__ == "__main__":
    main()
