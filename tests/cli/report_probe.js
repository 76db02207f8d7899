'use strict';

// Put at the end of a copy of the report by report_browser.py: uses the page as its reader would and leaves what it
// saw, as JSON, in the data-probe attribute of <body>. All of it at once: a headless browser may stop before what comes
// later.
(() => {
  const byId = (id) => document.getElementById(id);
  const seen = {};
  const point = () => Number(document.body.dataset.point);

  const frames = [];
  window.requestAnimationFrame = (draw) => frames.push(draw);
  const nextFrame = () => frames.splice(0).forEach((draw) => draw(0));

  // Coloured pixels inside the axes; grid lines and labels are grey.
  function colouredPixels(canvas) {
    const chart = Chart.getChart(canvas);
    if (!chart) return 0;
    const ratio = chart.currentDevicePixelRatio;
    const {left, top, width, height} = chart.chartArea;
    // Read from a copy: reading the chart's own canvas makes the browser complain on its console.
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext('2d', {willReadFrequently: true});
    context.drawImage(canvas, 0, 0);
    const {data} = context.getImageData(left * ratio, top * ratio, width * ratio, height * ratio);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const spread = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
      if (data[i + 3] > 128 && spread > 40) ++count;
    }
    return count;
  }

  function hover(canvas, datasetIndex, index) {
    const chart = Chart.getChart(canvas);
    const {x, y} = chart.getDatasetMeta(datasetIndex).data[index].getCenterPoint();
    chart.tooltip.setActiveElements([{datasetIndex, index}], {x, y});
    chart.update();
    const box = byId('tooltip');
    const {left, top, right, bottom} = box.getBoundingClientRect();
    const {clientWidth, clientHeight} = document.documentElement;
    if (box.hidden || left < 0 || top < 0 || right > clientWidth || bottom > clientHeight)
      return 'the tooltip is not in view';
    return [...box.children].map((line) => line.textContent).join('\n');
  }

  const change = (id, value, event) => {
    byId(id).value = value;
    byId(id).dispatchEvent(new Event(event, {bubbles: true}));
  };
  const press = (key) => byId('frontier-chart').dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));

  const kept = [];
  window.Blob = function(parts) {
    kept.push(parts.join(''));
  };
  URL.createObjectURL = () => '#kept';
  URL.revokeObjectURL = () => {};
  HTMLAnchorElement.prototype.click = () => {};
  function downloaded(id) {
    kept.length = 0;
    byId(id).click();
    return kept.length === 1 ? kept[0] : null;
  }
  // Area under a stepped line whose values hold up to their times.
  const areaUnder = (id) => Chart.getChart(id).data.datasets[0].data.reduce(
      (sum, {x, y}, i, all) => i === 0 ? 0 : sum + y * (x - all[i - 1].x), 0);
  const barsEnd = () =>
      Math.max(...Chart.getChart('gantt-chart').data.datasets.flatMap(({data}) => data.map(({x}) => x[1])));

  function usePoints() {
    const last = model.kareus.points.length - 1;
    seen.startPoint = point();
    seen.pixels = Object.fromEntries(['frontier-chart', 'gantt-chart'].map((id) => [id, colouredPixels(byId(id))]));
    if (!byId('baseline-gantt').hidden)
      seen.pixels['baseline-gantt-chart'] = colouredPixels(byId('baseline-gantt-chart'));
    seen.pixels['power-chart'] = colouredPixels(byId('power-chart'));
    seen.kilojoules = areaUnder('power-chart');
    seen.powerHover = hover('power-chart', 0, 1);
    seen.bars = Chart.getChart('gantt-chart').data.datasets.map(({data}) => data.length);
    seen.end = barsEnd();
    seen.frontierHover = hover('frontier-chart', 0, point());
    seen.ganttHover = hover('gantt-chart', 1, 0);
    press('Home');
    seen.afterHome = point();
    press('ArrowRight');
    seen.afterRight = point();
    press('End');
    seen.afterEnd = point();
    change('point-slider', 0, 'input');
    seen.afterSlider = point();
    const middle = Math.floor(last / 2);
    change('deadline-input', model.kareus.points[middle].time_s * (1 + 1e-9), 'input');
    seen.afterDeadline = [middle, point()];
    change('deadline-input', model.kareus.points[0].time_s / 2, 'input');
    seen.tooShort = byId('deadline-note').textContent;
    byId('points-table').tBodies[0].rows[last].click();
    seen.afterRow = [last, point()];
    nextFrame();
    seen.endAfterRow = barsEnd();
    seen.currentRows = document.querySelectorAll('#points-table [aria-current=true]').length;
    seen.csv = downloaded('points-csv');
    seen.json = downloaded('points-json');
  }

  function useTrace() {
    byId('trace-point').selectedIndex = byId('trace-point').options.length - 1;
    byId('trace-point').dispatchEvent(new Event('change'));
    return {
      tracePixels: ['kernels-chart', 'kernel-power-chart'].map((id) => colouredPixels(byId(id))),
      boxes: Chart.getChart('kernels-chart').data.datasets.map(
          ({label, data: [left, right], box}) => [label, left.x, right.x, box.top - box.bottom]),
      traceMillijoules: areaUnder('kernel-power-chart'),
      traceHover: hover('kernels-chart', 0, 0),
    };
  }

  function usePartitions() {
    seen.partitions = [];
    for (let i = 0; i < byId('partition-type').options.length; ++i) {
      byId('partition-type').selectedIndex = i;
      byId('partition-type').dispatchEvent(new Event('change'));
      seen.partitions.push({
        type: byId('partition-type').options[i].textContent,
        pixels: colouredPixels(byId('partition-chart')),
        passes: [...byId('pass-table').tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
        hover: hover('partition-chart', 0, 0),
        csv: downloaded('partition-csv'),
        traces: byId('trace-point').options.length,
        ...(byId('trace').hidden ? {} : useTrace()),
      });
    }
    change('partition-energy', 'dynamic', 'change');
    seen.dynamicTitle = Chart.getChart('partition-chart').options.scales.y.title.text;
  }

  try {
    if (model.kareus.points.length > 0) usePoints();
    if (model.data.partitions.length > 0) usePartitions();
    // Both themes are drawn by the same code; printing is the other way to draw the charts again.
    window.dispatchEvent(new Event('beforeprint'));
    window.dispatchEvent(new Event('afterprint'));
    seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  } catch (error) {
    seen.failure = String(error.stack);
  }
  document.body.dataset.probe = JSON.stringify(seen);
})();
