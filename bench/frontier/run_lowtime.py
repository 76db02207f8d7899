"""Runs lowtime on one .fn file and writes what it found, and how long that took, as JSON.

Follows lowtime's documented use: its 1F1B schedule, its dependency rules, its resolver that asks about every pair of
instructions. The only thing of ours is a cost model that looks the energy up (in a table of its own, so a look-up costs
no more than evaluating an exponential). Stops after --limit seconds of processor time spent solving; the points found
until then are kept.
"""

import argparse
import itertools
import json
import resource
import sys
import time

import networkx as nx
from lowtime.cost_model import CostModel
from lowtime.graph_utils import DependencyResolver, add_sink_node, add_source_node
from lowtime.operation import CandidateExecutionOptions, ExecutionOption, OperationSpec
from lowtime.perseus.instruction import Backward, Forward, Instruction, backward_dep, forward_dep
from lowtime.perseus.schedule import Synchronous1F1B
from lowtime.solver import PhillipsDessouky

import cost_functions


class Table(CostModel):
    """Energy at every whole duration, linear between the options."""

    def __init__(self, points):
        self.energy = {}
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            for x in range(x0, x1):
                self.energy[x] = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        self.energy[points[-1][0]] = points[-1][1]

    def __call__(self, quant_time):
        return self.energy[quant_time]


def specification(points):
    # A unit time of one makes the quantised durations those of the file.
    options = [ExecutionOption(real_time=float(x), unit_time=1.0, cost=y, knob=x) for x, y in points]
    return OperationSpec(options=CandidateExecutionOptions(options=options), cost_model=Table(points))


def build_dag(functions):
    dag = nx.DiGraph()
    ids = itertools.count(2)
    instructions = []
    for stage, (forward, backward) in enumerate(zip(functions.forward, functions.backward)):
        specs = {Forward: specification(forward), Backward: specification(backward)}
        chain = []
        for instruction in Synchronous1F1B(functions.stages, functions.microbatches, stage, specs):
            node = next(ids)
            dag.add_node(node, op=instruction)
            chain.append(node)
            instructions.append((node, instruction))
        dag.add_edges_from(itertools.pairwise(chain))
    resolver = DependencyResolver(dependency_rules=[forward_dep, backward_dep], node_type=Instruction)
    for (node1, one), (node2, two) in itertools.product(instructions, instructions):
        if resolver.is_dependent(one, two):
            dag.add_edge(node1, node2)
    add_source_node(dag, 0)
    add_sink_node(dag, 1)
    dag.graph["source_node"], dag.graph["sink_node"] = 0, 1
    return dag


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("functions")
    parser.add_argument("--limit", type=float, default=600)
    arguments = parser.parse_args()
    functions = cost_functions.read(arguments.functions)

    before = time.perf_counter()
    dag = build_dag(functions)
    dag_s = time.perf_counter() - before

    points = []
    finished = True
    before, cpu_before = time.perf_counter(), time.process_time()
    for result in PhillipsDessouky(dag).run():
        points.append((result.quant_time, result.cost))
        if time.process_time() - cpu_before > arguments.limit:
            finished = False
            break
    json.dump({"finished": finished, "dag_s": dag_s, "solve_s": time.perf_counter() - before,
               "solve_cpu_s": time.process_time() - cpu_before, "points": points,
               "peak_rss_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}, sys.stdout)


if __name__ == "__main__":
    main()
