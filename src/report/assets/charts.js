'use strict';

// The page's charts as Chart.js settings. Colours come from the style sheet, so that both themes and print agree.
const charts = (() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const seriesColours = {
    'kareus': 'kareus',
    'kareus-parked': 'ink',
    'megatron': 'megatron',
    'megatron-perseus': 'perseus',
    'nanobatching': 'nanobatching',
    'nanobatching-perseus': 'nanobatching',
  };
  const seriesColour = (series) => colour(seriesColours[series.method] ?? 'other');

  function applyTheme() {
    Chart.defaults.color = colour('muted');
    Chart.defaults.borderColor = colour('grid');
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = 12.5;
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    Object.assign(Chart.defaults.plugins.tooltip, {enabled: false, external: showTooltip});
  }

  // Chart.js places and words a tooltip; the page shows it, because a canvas would cut off what is larger than the
  // chart.
  function showTooltip({chart, tooltip}) {
    const box = document.getElementById('tooltip');
    box.hidden = tooltip.opacity === 0;
    if (box.hidden) return;
    const line = (part) => (content) => {
      const node = document.createElement('div');
      node.className = part;
      node.textContent = content;
      return node;
    };
    box.replaceChildren(
        ...tooltip.title.map(line('title')), ...tooltip.body.flatMap(({lines}) => lines).map(line('line')),
        ...tooltip.footer.map(line('more')));
    const canvas = chart.canvas.getBoundingClientRect();
    const [x, y, away] = [canvas.left + tooltip.caretX, canvas.top + tooltip.caretY, 14];
    const {width, height} = box.getBoundingClientRect();
    const fitsRight = x + away + width + 8 <= document.documentElement.clientWidth;
    box.style.left = Math.max(8, fitsRight ? x + away : x - away - width) + 'px';
    box.style.top = Math.max(8, Math.min(y - height / 2, document.documentElement.clientHeight - height - 8)) + 'px';
  }

  const axisTitle = (label) => ({display: true, text: label, color: colour('ink'), font: {weight: '600'}});

  // ---- iteration frontier

  const xy = (series) => (point) => ({x: point.time_s, y: model.jobEnergy(series, point.energy_j) / 1e3});

  function seriesDataset(series) {
    const single = series.points.length === 1;
    const style = series.method === 'kareus' ? 'circle' : single ? 'rectRot' : 'triangle';
    const own = seriesColour(series);
    return {
      label: series.name,
      data: series.points.map(xy(series)),
      series,
      showLine: !single,
      stepped: 'before',
      borderColor: own,
      backgroundColor: own,
      borderWidth: 2,
      pointStyle: style,
      pointRadius: single      ? 7 :
          style === 'triangle' ? 5 :
                                 4,
      pointHoverRadius: single ? 9 : 7,
      pointHitRadius: 8,
      pointBorderWidth: 0,
      order: 2,
    };
  }

  function frontierTooltip(series, index) {
    const point = series.points[index];
    const analysis = model.analyse(series, index);
    const energy = (joules) => text.kilojoules(model.jobEnergy(series, joules));
    return {
      title: series.points.length > 1 ? `${series.name}, point ${index}` : series.name,
      body: [
        `time ${text.seconds(point.time_s)}`, `energy ${energy(point.energy_j)}`,
        `static ${energy(point.static_j)}, dynamic ${energy(point.dynamic_j)}`,
        `forward clocks ${text.clocks(analysis.forward.clocks)} MHz`,
        `backward clocks ${text.clocks(analysis.backward.clocks)} MHz`
      ],
      footer: [...text.critical('forward', analysis.forward), ...text.critical('backward', analysis.backward)],
    };
  }

  function frontierLegend() {
    return {
      position: 'top',
      align: 'start',
      onClick: () => {},
      labels: {
        usePointStyle: true,
        boxHeight: 8,
        padding: 18,
        color: colour('ink'),
        filter: (item, all) => !all.datasets[item.datasetIndex].unlisted,
        sort: (a, b) => a.datasetIndex - b.datasetIndex
      },
    };
  }

  // `onChoose(index)` is called when a point of Kareus is clicked.
  function frontier(canvas, onChoose) {
    const ours = model.kareus;
    const bound = ours.points.map((point) => ({x: point.time_s, y: model.jobEnergy(ours, point.bound_j) / 1e3}));
    const plain = {pointRadius: 0, pointHitRadius: 0, pointHoverRadius: 0, showLine: true};
    const ink = colour('ink');
    const datasets = [
      ...model.data.series.filter((series) => series.points.length > 0).map(seriesDataset),
      {
        ...plain,
        label: 'Lower bound of Kareus',
        data: bound,
        borderColor: colour('bound'),
        backgroundColor: colour('bound'),
        borderWidth: 1,
        pointStyle: 'line',
        order: 3
      },
      {
        ...plain,
        label: 'Deadline',
        data: [],
        borderColor: ink,
        backgroundColor: ink,
        borderWidth: 1,
        borderDash: [5, 4],
        pointStyle: 'line',
        order: 1,
        role: 'deadline'
      },
      {
        label: 'Chosen',
        data: [],
        pointRadius: 9,
        pointHoverRadius: 9,
        pointHitRadius: 0,
        pointStyle: 'circle',
        pointBorderWidth: 2.5,
        borderColor: ink,
        backgroundColor: 'transparent',
        order: 0,
        unlisted: true,
        role: 'chosen'
      },
    ];
    const described = (items) => items.length ? frontierTooltip(items[0].dataset.series, items[0].dataIndex) : {};
    return new Chart(canvas, {
      type: 'scatter',
      data: {datasets},
      options: {
        interaction: {mode: 'nearest', intersect: true},
        onClick: (event, elements) => {
          const hit = elements.find(({datasetIndex}) => datasets[datasetIndex].series === ours);
          if (hit) onChoose(hit.index);
        },
        scales: {
          x: {title: axisTitle('Iteration time (s)'), grace: '3%', ticks: {maxTicksLimit: 12}},
          y: {title: axisTitle('Energy of an iteration, all GPUs (kJ)'), grace: '5%'},
        },
        plugins: {
          legend: frontierLegend(),
          tooltip: {
            filter: (item, index) => item.dataset.series !== undefined && index === 0,
            callbacks: {
              title: (items) => described(items).title,
              label: (item) => described([item]).body,
              footer: (items) => described(items).footer
            },
          },
        },
      },
    });
  }

  function markFrontier(chart, index, deadline) {
    const byRole = (role) => chart.data.datasets.find((dataset) => dataset.role === role);
    const all =
        chart.data.datasets.filter((dataset) => dataset.series).flatMap((dataset) => dataset.data.map(({y}) => y));
    const [low, high] =
        model.spanOf(all.concat(model.kareus.points.map((p) => model.jobEnergy(model.kareus, p.bound_j) / 1e3)));
    byRole('deadline').data = [{x: deadline, y: low}, {x: deadline, y: high}];
    byRole('chosen').data = [xy(model.kareus)(model.kareus.points[index])];
    chart.update();
  }

  // ---- pipeline

  // Low clocks are dark blue and high ones yellow; even in lightness, so that it also reads without colour.
  const ramp = [[52, 64, 158], [122, 72, 170], [190, 76, 136], [232, 118, 84], [247, 186, 66]];
  const allClocks = model.spanOf(model.data.series.flatMap(
      (series) => series.option_sets.flatMap((set) => set.forward.concat(set.backward).map(([, , clock]) => clock))));

  function clockRgb(clock) {
    const [low, high] = allClocks;
    const at = (high > low ? (clock - low) / (high - low) : 1) * (ramp.length - 1);
    const i = Math.min(Math.floor(at), ramp.length - 2);
    return ramp[i].map((value, channel) => Math.round(value + (ramp[i + 1][channel] - value) * (at - i)));
  }
  const clockColour = (clock) => `rgb(${clockRgb(clock).join(' ')})`;
  const rampGradient = () => `linear-gradient(to right, ${ramp.map((rgb) => `rgb(${rgb.join(' ')})`).join(', ')})`;
  const inkOn = ([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#18202c' : '#ffffff');

  // Microbatch numbers on bars that have room for them.
  const barLabels = {
    id: 'barLabels',
    afterDatasetsDraw(chart) {
      const {ctx} = chart;
      ctx.save();
      ctx.font = `600 11px ${Chart.defaults.font.family}`;
      ctx.textAlign = 'center';
      ctx.textBaseline = 'middle';
      chart.data.datasets.forEach((dataset, d) => chart.getDatasetMeta(d).data.forEach((bar, i) => {
        const label = (dataset.backward ? 'B' : 'F') + dataset.data[i].instruction.microbatch;
        const {x, y, base} = bar.getProps(['x', 'y', 'base'], true);
        if (Math.abs(x - base) < ctx.measureText(label).width + 6) return;
        ctx.fillStyle = inkOn(clockRgb(dataset.data[i].option.clock));
        ctx.fillText(label, (x + base) / 2, y + 0.5);
      }));
      ctx.restore();
    },
  };

  function ganttDataset(series, analysis, backward) {
    const bars = [];
    series.stages.forEach((order, stage) => order.forEach((instruction, i) => {
      if (instruction.backward !== backward) return;
      const option = analysis.options[stage][i];
      const start = analysis.times.start[stage][i];
      bars.push({
        x: [start, start + option.time],
        y: 'Stage ' + stage,
        stage,
        start,
        instruction,
        option,
        critical: analysis.times.critical[stage][i]
      });
    }));
    return {
      label: backward ? 'backward' : 'forward',
      backward,
      data: bars,
      backgroundColor: bars.map((bar) => clockColour(bar.option.clock)),
      borderColor: colour('card'),
      borderWidth: bars.length > 600 ? 0.25 : 1,
      borderSkipped: false,
      grouped: false,
      barThickness: backward ? 26 : 15,
      hoverBorderColor: colour('ink'),
      hoverBorderWidth: 1.5,
    };
  }

  function barText({start, instruction, option, critical}) {
    const milliseconds = (seconds) => text.number(seconds * 1e3, text.digitsFor(seconds * 1e3)) + ' ms';
    return [
      `start ${text.seconds(start)}, duration ${milliseconds(option.time)}`,
      `energy ${text.number(option.energy, text.digitsFor(option.energy))} J on each GPU`, `clock ${option.clock} MHz`,
      ...text.schedule(option.schedule), critical ? 'on the critical path' : 'has slack'
    ];
  }

  const ganttHeight = (series) => series.stages.length * 36 + 56;

  // `end` is the right end of the time axis in seconds, the same for charts that are to be compared.
  function gantt(canvas, series, analysis, end) {
    return new Chart(canvas, {
      type: 'bar',
      data: {
        labels: series.stages.map((_, stage) => 'Stage ' + stage),
        datasets: [ganttDataset(series, analysis, false), ganttDataset(series, analysis, true)]
      },
      plugins: [barLabels],
      options: {
        indexAxis: 'y',
        interaction: {mode: 'nearest', intersect: true},
        scales: {
          x: {
            min: 0,
            max: end,
            title: axisTitle('Time since the start of the iteration (s)'),
            ticks: {includeBounds: false, maxTicksLimit: 14}
          },
          y: {
            grid: {display: false},
            ticks: {color: colour('ink'), autoSkip: false},
            afterFit: (scale) => {
              scale.width = 72;
            }
          },
        },
        plugins: {
          legend: {display: false},
          tooltip: {
            filter: (_, index) => index === 0,
            callbacks: {
              title: ([item]) => item &&
                  `Stage ${item.raw.stage}, ${item.raw.instruction.backward ? 'backward' : 'forward'} of microbatch ${
                                     item.raw.instruction.microbatch}`,
              label: (item) => barText(item.raw),
            },
          },
        },
      },
    });
  }

  // ---- partitions

  const passOrder = ['initial', 'total_energy', 'dynamic_energy', 'static_energy', 'uncertainty'];
  const passStyles = [
    ['#7d8899', 'circle'], ['#1b7fd0', 'triangle'], ['#d9590a', 'rect'], ['#0f9d6e', 'rectRot'], ['#c24fa0', 'star']
  ];
  const otherStyle = ['#b08900', 'crossRot'];

  // Passes in the order in which the search runs them, those it does not know last: [[index, name]].
  const passesOf = (partition) =>
      partition.passes.map((name, index) => [index, name])
          .sort(([, a], [, b]) => (passOrder.indexOf(a) + 99) % 99 - (passOrder.indexOf(b) + 99) % 99);
  const passStyle = (name) => passStyles[passOrder.indexOf(name)] ?? otherStyle;
  const passName = (name) => name.replaceAll('_', ' ');

  function passDataset(partition, pass, name, dynamic) {
    const points = partition.points.filter((point) => point[6] === pass)
                       .sort((a, b) => a[7] - b[7])  // those on the frontier are drawn last
                       .map(([clock, sms, slot, time, energy, dynamicEnergy, , onFrontier]) => ({
                              x: time * 1e3,
                              y: dynamic ? dynamicEnergy : energy,
                              clock,
                              sms,
                              slot: partition.slots[slot],
                              energy,
                              dynamicEnergy,
                              onFrontier
                            }));
    const [own, style] = passStyle(name);
    const lines = style === 'star' || style === 'crossRot';  // these have no inside to fill
    return {
      label: passName(name),
      data: points,
      backgroundColor: own,
      pointStyle: style,
      pointHitRadius: 4,
      borderColor: own,
      pointBorderColor: points.map((point) => point.onFrontier ? (lines ? own : colour('ink')) : own),
      pointBorderWidth: points.map(
          (point) => point.onFrontier ? 2 :
              lines                   ? 1.25 :
                                        0),
      pointRadius: points.map((point) => point.onFrontier ? 6 : 4),
      pointHoverRadius: 8,
    };
  }

  function partition(canvas, shown, dynamic) {
    return new Chart(canvas, {
      type: 'scatter',
      data: {datasets: passesOf(shown).map(([index, name]) => passDataset(shown, index, name, dynamic))},
      options: {
        interaction: {mode: 'nearest', intersect: true},
        scales: {
          x: {title: axisTitle('Time of the partition (ms)'), grace: '3%'},
          y: {title: axisTitle(`${dynamic ? 'Dynamic' : 'Total'} energy on one GPU (J)`), grace: '5%'},
        },
        plugins: {
          legend: {
            position: 'top',
            align: 'start',
            labels: {usePointStyle: true, boxHeight: 8, padding: 16, color: colour('ink')}
          },
          tooltip: {
            filter: (_, index) => index === 0,
            callbacks: {
              title: ([item]) => item && `Found by pass ${item.dataset.label}`,
              label: ({raw}) =>
                  [`clock ${raw.clock} MHz, ${raw.sms} SM, ${text.slot(raw.slot)}`,
                   `time ${text.number(raw.x, text.digitsFor(raw.x))} ms`,
                   `energy ${text.number(raw.energy, text.digitsFor(raw.energy))} J, dynamic ${
                       text.number(raw.dynamicEnergy, text.digitsFor(raw.dynamicEnergy))} J`,
                   raw.onFrontier ? 'on the frontier' : 'not on the frontier'],
            },
          },
        },
      },
    });
  }

  return {
    applyTheme,
    colour,
    seriesColour,
    axisTitle,
    frontierLegend,
    frontier,
    markFrontier,
    gantt,
    ganttHeight,
    allClocks,
    rampGradient,
    clockColour,
    partition,
    passesOf,
    passName
  };
})();
