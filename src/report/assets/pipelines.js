'use strict';

// Pipelines above each other on one time scale, each with its power underneath, on one scale too.
const pipelines = (() => {
  const drawn = new Map();

  function replace(canvas, label, make) {
    drawn.get(canvas)?.destroy();
    canvas.setAttribute('aria-label', label);
    drawn.set(canvas, make());
  }

  // The most that any of the stretches takes, rounded up to what axes are labelled with.
  function powerTop(stretches) {
    const most = Math.max(...stretches.map(([, , kW]) => kW));
    const step = 10 ** Math.floor(Math.log10(most)) / 2;
    return Math.ceil(most / step) * step;
  }

  // Rows of {name, series, point, gantt, power}: a point of a series and the ids of its two canvases. A row whose stages
  // wait for each other for ever has nothing to draw and is hidden.
  function draw(rows) {
    const shown = rows.map((row) => {
      const analysis = model.analyse(row.series, row.point);
      const stretches = analysis.times ? timelines.pipelinePower(row.series, analysis) : [];
      return {...row, analysis, stretches};
    });
    const end = Math.max(...shown.map(({analysis}) => analysis.times?.end ?? 0));
    const top = powerTop(shown.flatMap(({stretches}) => stretches));
    for (const {name, series, gantt, power, analysis, stretches} of shown) {
      const [bars, watts] = [gantt, power].map((id) => document.getElementById(id));
      bars.parentElement.hidden = watts.parentElement.hidden = !analysis.times;
      if (!analysis.times) continue;
      bars.parentElement.style.height = charts.ganttHeight(series) + 'px';
      const label = `Pipeline of ${name}: ${series.stages.length} stages, ${text.seconds(analysis.times.end)}`;
      replace(bars, label, () => charts.gantt(bars, series, analysis, end));
      replace(
          watts, `Power of all GPUs over the iteration of ${name}`, () => timelines.power(watts, stretches, end, top));
    }
  }

  function drawClockLegend() {
    const [slow, fast] = charts.allClocks;
    document.getElementById('clock-low').textContent = `${slow} MHz`;
    document.getElementById('clock-high').textContent = `${fast} MHz`;
    document.getElementById('clock-ramp').style.background = charts.rampGradient();
  }

  return {draw, drawClockLegend};
})();
