#!/usr/bin/env python3
"""Opens the page of an evaluation in headless Chromium, without network, and checks what it draws for every choice.

usage: evaluation_browser.py EVALUATION.html

Exits with 1 and a message when something is not as it should be, also when there is no Chromium.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from report_browser import DATA, Browser, Wrong, close, end_of_pipeline, expect, same

PROBE = """
'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const canvases = ['frontier-chart', 'split-chart', 'baseline-gantt-chart', 'baseline-power-chart', 'gantt-chart', 'power-chart'];
  const values = (id) => [...byId(id).options].map(({value}) => value);
  const choose = (id, value) => {
    byId(id).value = value;
    byId(id).dispatchEvent(new Event('change'));
  };
  const ends = (id) => Math.max(...Chart.getChart(id).data.datasets.flatMap(({data}) => data.map(({x}) => x[1])));
  const seen = [];
  for (const workload of values('workload')) {
    for (const level of values('level')) {
      for (const method of values('method')) {
        for (const point of values('end')) {
          choose('workload', workload);
          choose('level', level);
          choose('method', method);
          choose('end', point);
          const hidden = byId('pipeline').hidden;
          seen.push({
            workload, level, method, point, hidden,
            frontiers: Chart.getChart('frontier-chart').data.datasets.map(({label}) => label),
            charts: canvases.map((id) => Chart.getChart(id) !== undefined),
            heading: byId('gantt-heading').textContent,
            before: hidden ? 0 : ends('baseline-gantt-chart'),
            end: hidden ? 0 : ends('gantt-chart'),
          });
        }
      }
    }
  }
  const overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  document.body.dataset.probe = JSON.stringify({seen, overflow});
})();
"""


def check(browser, path):
    source = path.read_text("utf-8")
    data = json.loads(DATA.search(source).group(1))
    head, tail = source.rsplit("</body>", 1)
    with tempfile.TemporaryDirectory(prefix="kareus-probe-") as folder:
        probed = pathlib.Path(folder) / "probed.html"
        probed.write_text(f"{head}<script>{PROBE}</script></body>{tail}", "utf-8")
        for width in (1440, 600):
            page = browser.dom(probed, width=width)
            same(page.body.get("data-errors"), "0", "errors: " + page.by_id.get("failure-message", ""))
            same(page.body.get("data-ready"), "true", "data-ready")
            expect("data-probe" in page.body, "the probe did not finish")
            probe = json.loads(page.body["data-probe"])
            same(probe["overflow"], 0, f"pixels that the page is too wide at {width}")
            expect(probe["seen"], "there is nothing to choose")
            for seen in probe["seen"]:
                check_choice(data, seen)
    expect(browser.screenshot_size(path) > 20_000, "the screenshot is blank")


def check_choice(data, seen):
    frontiers = [one for one in data["frontiers"] if (one["workload"], one["level"]) == (seen["workload"], seen["level"])]
    same(seen["frontiers"], [one["method"] for one in frontiers], "frontiers of the chosen workload and level")
    drawn = {one["method"]: data["series"][one["series"]] for one in frontiers if "series" in one}
    same(seen["hidden"], seen["method"] not in drawn, f"no pipelines of {seen['workload']}")
    if seen["hidden"]:
        return
    same(seen["charts"], [True] * 6, "charts that are drawn")
    series = drawn[seen["method"]]
    point = series["points"][0 if seen["point"] == "fastest" else -1]
    close(seen["end"], end_of_pipeline(series, point), "end of the pipeline")
    before = drawn.get("megatron", series)
    close(seen["before"], end_of_pipeline(before, before["points"][0]), "end of the pipeline before")
    expect(seen["heading"].startswith(seen["method"]), f"the heading names no method: {seen['heading']}")


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        check(Browser(), pathlib.Path(arguments[0]).resolve(strict=True))
    except (Wrong, OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
