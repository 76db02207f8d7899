#!/usr/bin/env python3
"""Opens a Kareus report in headless Chromium, without network, and checks what it shows and how it answers.

usage: report_browser.py REPORT.html [REPORT.html ...]

What is expected is worked out here from the data inside the page, so that any report can be checked.
Exits with 1 and a message on the first page that is not as it should be, also when there is no Chromium.
"""

import csv
import io
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

PROBE = pathlib.Path(__file__).with_name("report_probe.js")
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


class Wrong(Exception):
    """Something on the page is not as it should be."""


def expect(condition, message):
    if not condition:
        raise Wrong(message)


def same(actual, expected, what):
    expect(actual == expected, f"{what}: expected {expected!r}, found {actual!r}")


def close(actual, expected, what, tolerance=1e-5):
    expect(math.isclose(actual, expected, rel_tol=tolerance), f"{what}: expected {expected}, found {actual}")


# ---- the browser


class Browser:
    def __init__(self):
        self.program = shutil.which("chromium") or shutil.which("chromium-browser")
        if self.program is None:
            raise Wrong("there is no chromium on this machine; install Debian's package chromium")

    def run(self, address, *options):
        with tempfile.TemporaryDirectory(prefix="kareus-browser-") as profile:
            command = [
                self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", "--enable-logging=stderr",
                "--virtual-time-budget=5000", *options, address,
            ]
            done = subprocess.run(command, capture_output=True, cwd=profile, timeout=120, check=False)
            log = done.stderr.decode("utf-8", "replace")
            expect(done.returncode == 0, f"chromium failed with {done.returncode}: {log[-2000:]}")
            messages = [line for line in log.splitlines() if ":CONSOLE" in line]
            expect(not messages, "messages on the browser's console:\n" + "\n".join(messages))
            return done.stdout.decode("utf-8", "replace")

    def dom(self, path, fragment="", width=1440):
        return Page(self.run(path.as_uri() + fragment, f"--window-size={width},1800", "--dump-dom"))

    def screenshot_size(self, path):
        with tempfile.TemporaryDirectory(prefix="kareus-shot-") as folder:
            shot = pathlib.Path(folder) / "page.png"
            self.run(path.as_uri(), "--window-size=1440,1800", f"--screenshot={shot}")
            expect(shot.is_file(), "no screenshot was taken")
            return shot.stat().st_size


class Page(HTMLParser):
    """Tags, the attributes of <body>, the text of elements with an id, and table rows of a dumped document."""

    VOID = {"meta", "link", "input", "br", "img", "hr"}

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.body, self.rows, self.texts, self.by_id = [], {}, {}, [], {}
        self.open = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        if tag == "body":
            self.body = attributes
        if tag == "tr" and self._inside("tbody"):
            table = self._inside("table")
            self.rows.setdefault(table[1].get("id"), []).append(attributes)
        if "id" in attributes:
            self.by_id[attributes["id"]] = ""
        if tag not in self.VOID:
            self.open.append((tag, attributes))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self._inside("script") or self._inside("style"):
            return
        self.texts.append(data)
        for _, attributes in self.open:
            if "id" in attributes:
                self.by_id[attributes["id"]] += data

    def _inside(self, tag):
        return next((entry for entry in reversed(self.open) if entry[0] == tag), None)


# ---- what the data says


def expand(encoded):
    indices = []
    for entry in encoded:
        indices.extend([indices[-1]] * -entry if entry < 0 else [entry])
    return indices


def durations(series, point):
    """Seconds of every instruction, per stage in execution order."""
    stages = []
    for stage, order in enumerate(series["order"]):
        options = series["option_sets"][series["stage_options"][stage]]
        indices = iter(expand(point["choices"][stage]))
        forward = {i: options["forward"][next(indices)][0] for i, code in enumerate(order) if code >= 0}
        backward = {i: options["backward"][next(indices)][0] for i, code in enumerate(order) if code < 0}
        stages.append([forward[i] if i in forward else backward[i] for i in range(len(order))])
    return stages


def end_of_pipeline(series, point):
    """Longest path through the instructions, by memoised recursion over what each waits for."""
    times = durations(series, point)
    place = {(s, code): i for s, order in enumerate(series["order"]) for i, code in enumerate(order)}
    ends = {}
    todo = [(s, len(order) - 1) for s, order in enumerate(series["order"]) if order]
    while todo:
        s, i = todo[-1]
        code = series["order"][s][i]
        neighbour = s - 1 if code >= 0 else s + 1
        waits = [(s, i - 1)] if i > 0 else []
        if (neighbour, code) in place:
            waits.append((neighbour, place[neighbour, code]))
        missing = [key for key in waits if key not in ends]
        if missing:
            todo.extend(missing)
            continue
        ends[s, i] = max((ends[key] for key in waits), default=0.0) + times[s][i]
        todo.pop()
    return max(ends.values())


def outside_texts(data):
    yield data["title"]
    for label, value in data["facts"]:
        yield label
        yield value
    origin = data["series"][0]["provenance"]
    yield from (origin[key] for key in ("tool_version", "workload", "workload_hash", "device"))
    yield from (partition["type"] for partition in data["partitions"])


# ---- checks


def check_document(page, source, data):
    same(page.body.get("data-errors"), "0", "errors in the page: " + page.by_id.get("failure-message", ""))
    same(page.body.get("data-ready"), "true", "data-ready")
    same(page.tags.count("script"), len(re.findall(r"<script[ >]", source)), "script elements")
    for tag in ("img", "iframe", "object", "embed", "link", "b", "i", "u"):
        same(page.tags.count(tag), 0, f"elements <{tag}>")
    texts = [re.sub(r"\r\n?", "\n", text) for text in page.texts]
    for text in outside_texts(data):
        expect(not text.strip() or any(text in found for found in texts), f"{text!r} is not on the page as text")
    same(len(page.rows.get("points-table", [])), len(data["series"][0]["points"]), "rows of the table of points")


def check_chosen(page, data, index):
    same(page.body.get("data-point"), str(index), "chosen point")
    current = [row for row in page.rows["points-table"] if row.get("aria-current") == "true"]
    same([row["data-point"] for row in current], [str(index)], "marked row")
    points = data["series"][0]["points"]
    deadline = float(page.by_id["command"].rsplit(" ", 1)[1])
    within = [i for i, point in enumerate(points) if point["time_s"] <= deadline]
    expect(within, f"the command's deadline {deadline} admits no point")
    best = min(within, key=lambda i: points[i]["energy_j"])
    same(points[best]["energy_j"], min(points[i]["energy_j"] for i in within), "energy within the command's deadline")
    same(best, index, "point that the command selects")
    expect(page.by_id["chosen-heading"].startswith(f"Point {index} of "), "the heading does not name the point")


def check_points(seen, data, index):
    kareus = data["series"][0]
    points, last = kareus["points"], len(kareus["points"]) - 1
    same(seen["startPoint"], index, "point chosen by the address")
    for canvas, count in seen["pixels"].items():
        expect(count > 150, f"{canvas} is blank ({count} coloured pixels)")
    codes = [code for order in kareus["order"] for code in order]
    same(seen["bars"], [sum(c >= 0 for c in codes), sum(c < 0 for c in codes)], "bars of forwards and backwards")
    end = end_of_pipeline(kareus, points[index])
    if math.isclose(end, points[index]["time_s"], rel_tol=1e-4):
        close(seen["kilojoules"] * 1e3, points[index]["energy_j"] * kareus["energy_scale"], "area under the power", 1e-3)
    expect("kW" in seen["powerHover"], f"hovering the power does not tell it: {seen['powerHover']}")
    close(seen["end"], end_of_pipeline(kareus, points[index]), "end of the pipeline")
    close(seen["endAfterRow"], end_of_pipeline(kareus, points[last]), "end of the pipeline of the last point")
    for word in ("time", "energy", "static", "dynamic", "MHz", "critical"):
        expect(word in seen["frontierHover"], f"hovering a point does not tell {word!r}: {seen['frontierHover']}")
    for word in ("Stage 0", "backward of microbatch", "start", "duration", "energy", "clock"):
        expect(word in seen["ganttHover"], f"hovering a bar does not tell {word!r}: {seen['ganttHover']}")
    expect(" SM, " in seen["ganttHover"] or "sequential" in seen["ganttHover"], "hovering a bar tells no schedule")
    same(seen["afterHome"], 0, "point after Home")
    same(seen["afterRight"], min(1, last), "point after Home and ArrowRight")
    same(seen["afterEnd"], last, "point after End")
    same(seen["afterSlider"], 0, "point after moving the slider to 0")
    same(*seen["afterDeadline"][::-1], "point after entering a deadline")
    expect("No point is that fast" in seen["tooShort"], f"an impossible deadline says {seen['tooShort']!r}")
    same(*seen["afterRow"][::-1], "point after clicking the last row")
    same(seen["currentRows"], 1, "marked rows")


def check_files(seen, data):
    kareus = data["series"][0]
    rows = list(csv.DictReader(io.StringIO(seen["csv"])))
    records = json.loads(seen["json"])["points"]
    same(len(rows), len(kareus["points"]), "lines of the CSV file")
    same(len(records), len(kareus["points"]), "points of the JSON file")
    scale = kareus["gpus_per_stage"] * kareus["pipelines"]
    for row, record, point in zip(rows, records, kareus["points"]):
        for entry in (row, record):
            close(float(entry["time_s"]), point["time_s"], "time in a downloaded file", 1e-12)
            close(float(entry["energy_j"]), point["energy_j"] * scale, "energy in a downloaded file", 1e-12)
            close(float(entry["static_energy_j"]) + float(entry["dynamic_energy_j"]), float(entry["energy_j"]),
                  "static and dynamic energy of a downloaded file", 1e-6)


def check_trace(shown, partition):
    """The timeline of the slowest of the configurations that have one."""
    name = partition["type"]
    same(shown["traces"], len(partition["traces"]), f"timelines of {name} to select")
    if not partition["traces"]:
        return
    _, trace = sorted(partition["traces"], key=lambda entry: partition["points"][entry[0]][3])[-1]
    for pixels in shown["tracePixels"]:
        expect(pixels > 100, f"the timeline of {name} is blank ({pixels} coloured pixels)")
    ran = [partition["kernels"][kernel] for _, _, kernel, *_ in trace if kernel >= 0]
    same({label for label, *_ in shown["boxes"]} - {"communication"}, set(ran), f"kernels drawn of {name}")
    for label, start, end, sms in shown["boxes"]:
        column = 4 if label == "communication" else 3
        during = [interval for interval in trace if start - 1e-4 <= interval[0] * 1e3 < end - 1e-4]
        expect(during and all(interval[column] == sms for interval in during), f"SMs of {label} in {name}: {sms}")
    close(shown["traceMillijoules"], sum(1e3 * duration * watts for _, duration, _, _, _, watts, _ in trace),
          f"area under the power of {name}", 1e-3)
    expect("SMs" in shown["traceHover"], f"hovering a kernel does not tell its SMs: {shown['traceHover']}")


def check_partitions(seen, data):
    same(len(seen["partitions"]), len(data["partitions"]), "partition types to select")
    for shown, partition in zip(seen["partitions"], data["partitions"]):
        name = partition["type"]
        same(shown["type"], name, "type of the selector")
        expect(shown["pixels"] > 100, f"the chart of {name} is blank ({shown['pixels']} coloured pixels)")
        passes = {row[0]: (int(row[1]), int(row[2])) for row in shown["passes"]}
        for index, found_by in enumerate(partition["passes"]):
            points = [point for point in partition["points"] if point[6] == index]
            same(passes.get(found_by.replace("_", " ")), (len(points), sum(point[7] for point in points)),
                 f"counts of pass {found_by} of {name}")
        for word in ("clock", "SM", "Found by pass"):
            expect(word in shown["hover"], f"hovering a configuration does not tell {word!r}")
        check_trace(shown, partition)
        rows = list(csv.DictReader(io.StringIO(shown["csv"], newline="")))
        same([row["launch_slot"] for row in rows], [partition["slots"][point[2]] for point in partition["points"]],
             f"launch slots in the CSV file of {name}")
    same(seen["dynamicTitle"], "Dynamic energy on one GPU (J)", "energy axis after the choice of dynamic energy")


def with_probe(source, folder):
    copy = pathlib.Path(folder) / "probed.html"
    head, tail = source.rsplit("</body>", 1)
    copy.write_text(f"{head}<script>\n{PROBE.read_text('utf-8')}\n</script>\n</body>{tail}", "utf-8", newline="")
    return copy


def check_report(browser, path):
    source = path.read_bytes().decode("utf-8", "replace")
    expect(len(source) < 2_000_000, f"the page has {len(source)} bytes")
    match = DATA.search(source)
    expect(match, "there is no data in the page")
    data = json.loads(match.group(1))
    points = data["series"][0]["points"]
    index = min(3, len(points) - 1)
    page = browser.dom(path, f"#point={index}")
    check_document(page, source, data)
    if points:
        check_chosen(page, data, index)
        check_chosen(browser.dom(path, f"#deadline={points[-1]['time_s'] * 1.5}"), data, len(points) - 1)
    expect(browser.screenshot_size(path) > 20_000, "the screenshot is blank")
    with tempfile.TemporaryDirectory(prefix="kareus-probe-") as folder:
        probed = with_probe(source, folder)
        for width in (1440, 600):
            answer = browser.dom(probed, f"#point={index}", width)
            same(answer.body.get("data-errors"), "0", "errors: " + answer.by_id.get("failure-message", ""))
            expect("data-probe" in answer.body, "the probe did not finish")
            seen = json.loads(answer.body["data-probe"])
            same(seen.get("failure"), None, "the page broke while it was used")
            same(seen["overflow"], 0, f"pixels that the page is too wide at {width}")
            if points:
                check_points(seen, data, index)
                check_files(seen, data)
            if data["partitions"]:
                check_partitions(seen, data)


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    path = None
    try:
        browser = Browser()
        for path in map(pathlib.Path, arguments):
            check_report(browser, path.resolve(strict=True))
            print(f"{path}: as it should be")
    except (Wrong, OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"{path or 'report_browser'}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
