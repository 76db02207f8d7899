"""Processes measured from outside, and what the machine was doing meanwhile."""

import json
import os
import pathlib
import platform
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def describe():
    return {"processor": processor(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version()}


def load():
    """Processes that wanted to run, mean of the last minute."""
    return round(os.getloadavg()[0], 1)


class Failed(Exception):
    pass


def measure(command, text_in=""):
    """Runs a command; its standard output, wall and CPU seconds. Raises Failed with its complaint."""
    scratch = tempfile.TemporaryFile
    with scratch("w+") as source, scratch("w+") as out, scratch("w+") as err:
        source.write(text_in)
        source.seek(0)
        before = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdin=source, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - before
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        if process.returncode != 0:
            raise Failed(f"{pathlib.Path(str(command[0])).name}: exit code {process.returncode}: {err.read().strip()}")
        return {"out": out.read(), "wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime}


def run_json(command, text_in=""):
    return json.loads(measure(command, text_in)["out"])
