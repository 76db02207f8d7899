"""The .fn files: what one forward and one backward of every stage cost, by duration in whole units of time."""

import dataclasses
import pathlib
import re


@dataclasses.dataclass(frozen=True)
class CostFunctions:
    """`forward[s]` and `backward[s]`: (duration in units, effective energy in joules), by ascending duration."""

    name: str
    unit_s: float
    microbatches: int
    forward: list
    backward: list

    @property
    def stages(self):
        return len(self.forward)


def unit_of(name):
    """Seconds per unit, from the end of a file's name: _u5ms."""
    return int(re.search(r"_u(\d+)ms$", name).group(1)) / 1000


def read(path):
    path = pathlib.Path(path)
    words = path.read_text().split()
    stages, microbatches = int(words[0]), int(words[1])
    functions, at = [], 2
    for _ in range(2 * stages):
        count = int(words[at])
        values = words[at + 1 : at + 1 + 2 * count]
        at += 1 + 2 * count
        functions.append([(int(x), float(y)) for x, y in zip(values[::2], values[1::2])])
    if at != len(words):
        raise ValueError(f"{path}: {len(words) - at} words too many")
    return CostFunctions(path.stem, unit_of(path.stem), microbatches, functions[:stages], functions[stages:])
