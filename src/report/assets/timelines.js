'use strict';

// Charts over time, as Chart.js settings: the power of a pipeline, and the kernels, SMs and power of one partition.
const timelines = (() => {
  const axisWidth = (scale) => {
    scale.width = 72;  // as wide as the pipeline's, so that times stand above each other
  };
  const timeAxis = (title, end) => ({
    type: 'linear',
    min: 0,
    max: end,
    title: charts.axisTitle(title),
    ticks: {includeBounds: false, maxTicksLimit: 14},
  });
  const line = (data, colour) =>
      ({data, stepped: 'after', borderColor: colour, backgroundColor: colour, borderWidth: 1.5, pointRadius: 0});

  // Points of a stepped line through stretches [start, end, value] without gaps.
  const steps = (stretches) => stretches.length === 0 ?
      [] :
      [{x: stretches[0][0], y: stretches[0][2]}, ...stretches.map(([, end, value]) => ({x: end, y: value}))];

  // Power over time as the area under stretches [start, end, value]. `end` and `top` are the right and upper ends of the
  // axes, the same for charts that are to be compared; the largest value counts where no top is given.
  function powerChart(canvas, stretches, {end, top, xTitle, yTitle, of, label}) {
    return new Chart(canvas, {
      type: 'scatter',
      data: {datasets: [{...line(steps(stretches), charts.colour('dynamic')), showLine: true, fill: 'origin'}]},
      options: {
        interaction: {mode: 'nearest', axis: 'x', intersect: false},
        scales: {
          x: timeAxis(xTitle, end),
          y: {min: 0, max: top, title: charts.axisTitle(yTitle), afterFit: axisWidth, ticks: {maxTicksLimit: 5}},
        },
        plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => of, label}}},
      },
    });
  }

  // ---- pipeline

  // Power of all GPUs over time in kW, as stretches: what an instruction takes while it runs, and static power of a stage
  // that waits, at the clock of what it ran before or, before its first instruction, at that one's.
  function pipelinePower(series, analysis) {
    const changes = new Map([[0, 0]]);
    const change = (time, watts) => changes.set(time, (changes.get(time) ?? 0) + watts);
    analysis.options.forEach((stage, s) => stage.forEach(({time, energy, clock}, i) => {
      const start = analysis.times.start[s][i];
      change(start, energy / time - series.waiting_w[stage[Math.max(i - 1, 0)].clock]);
      change(start + time, series.waiting_w[clock] - energy / time);
    }));
    const times = [...changes.keys()].sort((a, b) => a - b);
    const scale = series.gpus_per_stage * series.pipelines / 1e3;
    let watts = analysis.options.reduce((sum, [first]) => sum + series.waiting_w[first.clock], 0);
    return times.slice(0, -1).map((time, i) => {
      watts += changes.get(time);
      return [time, times[i + 1], watts * scale];
    });
  }

  const power = (canvas, stretches, end, top) => powerChart(canvas, stretches, {
    end,
    top,
    xTitle: 'Time since the start of the iteration (s)',
    yTitle: 'Power (kW)',
    of: 'All GPUs',
    label: ({parsed}) => `${text.number(parsed.y, 2)} kW until ${text.seconds(parsed.x)}`,
  });

  // ---- partition

  const kernelColours = ['#2f6fb5', '#3f9b78', '#8a63b8', '#c08a2e', '#5a8fa8', '#a05a7c', '#6b7a2f', '#4a5568'];
  const communicationColour = '#d9590a';

  // What runs without a change of kernel, as {kernel, start, end, sms, communication}; kernel -1 is none.
  function runsOf(trace, ofKernel) {
    const runs = [];
    for (const [start, duration, kernel, sms, communicationSms] of trace) {
      const [name, count] = ofKernel ? [kernel, sms] : [communicationSms > 0 ? 0 : -1, communicationSms];
      const last = runs.at(-1);
      if (last && last.kernel === name && last.sms === count)
        last.end = start + duration;
      else
        runs.push({kernel: name, start, end: start + duration, sms: count});
    }
    return runs.filter(({kernel}) => kernel >= 0);
  }

  // A box of the chart: from `bottom` to `top` SMs.
  function boxDataset(label, {start, end}, bottom, top, colour) {
    return {
      label,
      data: [{x: start * 1e3, y: top}, {x: end * 1e3, y: top}],
      box: {bottom, top},
      showLine: true,
      fill: {value: bottom},
      borderColor: charts.colour('card'),
      backgroundColor: colour,
      borderWidth: 1,
      pointRadius: 0,
      pointHitRadius: 12,
    };
  }

  const boxLabels = {
    id: 'boxLabels',
    afterDatasetsDraw(chart) {
      const {ctx, scales: {x, y}} = chart;
      ctx.save();
      ctx.font = `600 11px ${Chart.defaults.font.family}`;
      ctx.textAlign = 'center';
      ctx.textBaseline = 'middle';
      ctx.fillStyle = '#ffffff';
      for (const {label, data: [left, right], box} of chart.data.datasets) {
        const [from, to] = [x.getPixelForValue(left.x), x.getPixelForValue(right.x)];
        const [low, high] = [y.getPixelForValue(box.bottom), y.getPixelForValue(box.top)];
        const needed = ctx.measureText(label).width + 6;
        const upright = to - from >= needed;
        if (upright ? low - high < 12 : to - from < 13 || low - high < needed) continue;
        ctx.save();
        ctx.translate((from + to) / 2, (low + high) / 2);
        if (!upright) ctx.rotate(-Math.PI / 2);
        ctx.fillText(label, 0, 0);
        ctx.restore();
      }
      ctx.restore();
    },
  };

  // Kernels of one execution: compute from below, communication from above, as high as the SMs that they have.
  function kernels(canvas, partition, trace, end) {
    const total = Math.max(...trace.map(([, , , sms, communicationSms]) => sms + communicationSms));
    const datasets = [
      ...runsOf(trace, true).map(
          (run) => boxDataset(
              partition.kernels[run.kernel], run, 0, run.sms, kernelColours[run.kernel % kernelColours.length])),
      ...runsOf(trace, false).map(
          (run) => boxDataset('communication', run, total - run.sms, total, communicationColour)),
    ];
    return new Chart(canvas, {
      type: 'scatter',
      data: {datasets},
      plugins: [boxLabels],
      options: {
        interaction: {mode: 'nearest', intersect: true},
        scales: {
          x: timeAxis('', end),
          y: {min: 0, max: total, title: charts.axisTitle('SMs'), afterFit: axisWidth, ticks: {maxTicksLimit: 7}},
        },
        plugins: {
          legend: {display: false},
          tooltip: {
            filter: (_, index) => index === 0,
            callbacks: {
              title: ([item]) => item && item.dataset.label,
              label: ({dataset: {data: [left, right], box}}) =>
                  [`${text.number(left.x, 3)} to ${text.number(right.x, 3)} ms`, `${box.top - box.bottom} SMs`],
            },
          },
        },
      },
    });
  }

  function kernelPower(canvas, trace, end) {
    const stretches = trace.map(([start, duration, , , , watts]) => [start * 1e3, (start + duration) * 1e3, watts]);
    const clocks = trace.map(([, , , , , , clock]) => clock);
    return powerChart(canvas, stretches, {
      end,
      xTitle: 'Time since the start of the partition (ms)',
      yTitle: 'Power (W)',
      of: 'One GPU',
      label: ({parsed, dataIndex}) => `${text.number(parsed.y, 0)} W at ${clocks[Math.max(0, dataIndex - 1)]} MHz until ${
          text.number(parsed.x, 3)} ms`,
    });
  }

  return {pipelinePower, power, kernels, kernelPower};
})();
