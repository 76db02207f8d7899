'use strict';

// What the page shows and how it answers. Everything from the data goes into the document as text.
(() => {
  const {data, kareus} = model;
  const megatron = model.findSeries('megatron');
  const perseus = model.findSeries('megatron-perseus');
  const hasPoints = kareus.points.length > 0;
  const view = {point: 0, deadline: 0, charts: {}};
  const byId = (id) => document.getElementById(id);

  function element(tag, content, className) {
    const node = document.createElement(tag);
    if (content !== undefined) node.textContent = content;
    if (className) node.className = className;
    return node;
  }

  function row(cells, tag = 'td') {
    const line = element('tr');
    line.append(...cells.map((cell) => (cell instanceof Node ? cell : element(tag, cell))));
    return line;
  }

  const energyOf = (point, series = kareus) => text.kilojoules(model.jobEnergy(series, point.energy_j));

  // ---- top of the page

  function keyCard(label, values, detail, point) {
    const card = element(point === undefined ? 'div' : 'button', undefined, 'key');
    const list = element('span', undefined, 'key-values');
    for (const {number, unit, good} of values) {
      const value = element('span', number, 'key-value' + (good === undefined ? '' : good ? ' good' : ' bad'));
      value.append(element('small', unit));
      list.append(value);
    }
    card.append(element('span', label, 'key-label'), list, element('span', detail, 'key-detail'));
    if (point !== undefined) {
      card.type = 'button';
      card.title = `Show point ${point}`;
      card.addEventListener('click', () => choosePoint(point));
    }
    return card;
  }

  const change = (fraction, unit) => ({number: text.signedPercent(fraction), unit, good: fraction <= 0});
  const saving = (fraction, saved, lost) =>
      ({number: text.percent(Math.abs(fraction)), unit: fraction >= 0 ? saved : lost, good: fraction >= 0});
  const absent = (label, why) => keyCard(label, [{number: '–', unit: ''}], why);

  function fastestCard({fastest}) {
    const label = 'Fastest point against Megatron-LM';
    if (!fastest) return absent(label, 'No Megatron-LM baseline in this run.');
    const [ours, theirs] = [kareus.points[fastest.point], megatron.points[0]];
    return keyCard(
        label, [change(fastest.time_change, 'time'), change(fastest.energy_change, 'energy')],
        `${text.seconds(ours.time_s)} instead of ${text.seconds(theirs.time_s)}, ` +
            `${energyOf(ours)} instead of ${energyOf(theirs, megatron)}`,
        fastest.point);
  }

  function equalTimeCard({equal_time: equal}) {
    const label = 'At the fastest time of Megatron-LM + Perseus';
    if (!equal)
      return absent(label, perseus ? 'No point is that fast.' : 'No Megatron-LM + Perseus baseline in this run.');
    const [ours, theirs] = [kareus.points[equal.point], perseus.points[equal.baseline_point]];
    return keyCard(
        label, [saving(equal.saved, 'energy saved', 'more energy')],
        `${energyOf(ours)} instead of ${energyOf(theirs, perseus)} within ${text.seconds(theirs.time_s)}`, equal.point);
  }

  function equalEnergyCard({equal_energy: equal}) {
    const label = 'At the least energy of Megatron-LM + Perseus';
    if (!equal)
      return absent(label, perseus ? 'No point uses so little.' : 'No Megatron-LM + Perseus baseline in this run.');
    const [ours, theirs] = [kareus.points[equal.point], perseus.points[equal.baseline_point]];
    return keyCard(
        label, [saving(equal.saved, 'time saved', 'more time')],
        `${text.seconds(ours.time_s)} instead of ${text.seconds(theirs.time_s)} within ${energyOf(theirs, perseus)}`,
        equal.point);
  }

  function listInto(id, pairs) {
    byId(id).replaceChildren(...pairs.map(([label, value]) => {
      const pair = element('div');
      pair.append(element('dt', label), element('dd', value));
      return pair;
    }));
  }

  function drawTop() {
    listInto('facts', data.facts);
    byId('keys').replaceChildren(
        ...[fastestCard, equalTimeCard, equalEnergyCard].map((card) => card(data.key_numbers)));
    const {stages, gpus_per_stage: gpus, pipelines} = kareus;
    byId('frontier-note').textContent = `Energy is of ${stages.length * gpus * pipelines} GPUs: ${stages.length} ` +
        `pipeline stages × ${gpus} GPUs × ${pipelines} data-parallel pipelines.`;
    const origin = kareus.provenance;
    listInto('provenance', [
      ['Kareus', origin.tool_version], ['workload', origin.workload], ['workload hash', origin.workload_hash],
      ['device', origin.device], ['seed', origin.seed]
    ]);
  }

  // ---- chosen point

  function numberRows(point) {
    const {forward, backward} = model.analyse(kareus, view.point);
    const {stages} = kareus;
    const energy = (joules) => text.kilojoules(model.jobEnergy(kareus, joules));
    const rows = [
      ['Time', text.seconds(point.time_s)], ['Energy', energy(point.energy_j)],
      ['Static energy', energy(point.static_j), 'static'], ['Dynamic energy', energy(point.dynamic_j), 'dynamic'],
      ['Mean power of a GPU', text.number(point.energy_j / point.time_s / stages.length, 1) + ' W'],
      ['Above the lower bound', text.percent(files.gapOf(point), 2)],
      [
        'Cost of speed', text.number(model.jobEnergy(kareus, point.watts_per_second_saved) / 1e3, 2) + ' kJ per s saved'
      ],
      ['Forward clocks', text.clocks(forward.clocks) + ' MHz'],
      ['Backward clocks', text.clocks(backward.clocks) + ' MHz']
    ];
    if (megatron) {
      const reference = megatron.points[0];
      const ratio = model.jobEnergy(kareus, point.energy_j) / model.jobEnergy(megatron, reference.energy_j);
      rows.splice(1, 0, ['Time against Megatron-LM', text.signedPercent(point.time_s / reference.time_s - 1)]);
      rows.splice(3, 0, ['Energy against Megatron-LM', text.signedPercent(ratio - 1)]);
    }
    return rows;
  }

  function criticalBlock(name, summary) {
    const [first, ...more] = text.critical(name, summary);
    const block = element('div', undefined, 'kind');
    const list = element('ul');
    list.append(...more.map((line) => element('li', line)));
    block.append(element('p', first), list);
    return block;
  }

  function drawChosen() {
    const point = kareus.points[view.point];
    const analysis = model.analyse(kareus, view.point);
    byId('chosen-heading').textContent = `Point ${view.point} of 0–${kareus.points.length - 1}`;
    byId('split-static').style.flexGrow = point.static_j;
    byId('split-dynamic').style.flexGrow = point.dynamic_j;
    byId('chosen-numbers').replaceChildren(...numberRows(point).flatMap(([label, value, part]) => {
      const term = element('dt');
      if (part) term.append(element('span', undefined, 'dot ' + part));
      term.append(label);
      return [term, element('dd', value)];
    }));
    byId('critical')
        .replaceChildren(criticalBlock('Forward', analysis.forward), criticalBlock('Backward', analysis.backward));
    byId('command').textContent = `kareus select RUN --deadline ${model.deadlineText(kareus, view.point)}`;
    byId('point-slider').value = view.point;
    byId('point-slider')
        .setAttribute('aria-valuetext', `point ${view.point}, ${text.seconds(point.time_s)}, ${energyOf(point)}`);
    byId('point-output').textContent = `${view.point} of 0–${kareus.points.length - 1}`;
    byId('frontier-chart')
        .setAttribute(
            'aria-label',
            `Time and energy of ${kareus.points.length} points of Kareus and of the ` +
                `baselines. Chosen: point ${view.point}, ${text.seconds(point.time_s)}, ${energyOf(point)}.`);
    markRow();
    document.body.dataset.point = String(view.point);
  }

  function markRow() {
    const table = byId('points-table');
    const list = table.parentElement;
    for (const line of table.tBodies[0].rows) {
      if (Number(line.dataset.point) !== view.point) {
        line.removeAttribute('aria-current');
        continue;
      }
      line.setAttribute('aria-current', 'true');
      // Scroll the list alone; scrollIntoView would move the page away from what the reader is using.
      const top = line.offsetTop - table.tHead.offsetHeight;
      const bottom = line.offsetTop + line.offsetHeight - list.clientHeight;
      list.scrollTop = Math.max(Math.min(list.scrollTop, top), bottom);
    }
  }

  function drawDeadline() {
    byId('deadline-slider').value = view.deadline;
    byId('deadline-slider').setAttribute('aria-valuetext', text.seconds(view.deadline));
    if (document.activeElement !== byId('deadline-input')) byId('deadline-input').value = view.deadline;
    const within = model.cheapestWithin(kareus, view.deadline);
    const fastest = Math.min(...kareus.points.map((point) => point.time_s));
    byId('deadline-note').textContent = within < 0 ?
        `No point is that fast: the fastest takes ${text.seconds(fastest)}.` :
        `The cheapest point within ${view.deadline} s is point ${within}: ` +
            `${text.seconds(kareus.points[within].time_s)}, ${energyOf(kareus.points[within])}.`;
  }

  function choosePoint(index) {
    if (!hasPoints) return;
    view.point = Math.max(0, Math.min(kareus.points.length - 1, index));
    view.deadline = Number(model.deadlineText(kareus, view.point));
    drawChoice();
  }

  function chooseDeadline(seconds) {
    if (!Number.isFinite(seconds) || seconds < 0) return;
    view.deadline = seconds;
    const index = model.cheapestWithin(kareus, seconds);
    if (index >= 0) view.point = index;
    drawChoice();
  }

  function drawChoice() {
    drawChosen();
    drawDeadline();
    const parameters = new URLSearchParams(location.hash.slice(1));
    parameters.delete('deadline');
    parameters.set('point', view.point);
    history.replaceState(null, '', '#' + parameters);
    if (!view.charts.frontier) return;  // the first drawing of the charts follows
    charts.markFrontier(view.charts.frontier, view.point, view.deadline);
    // At most once a frame: a slider may move faster than a large pipeline draws.
    view.ganttFrame ??= requestAnimationFrame(() => {
      view.ganttFrame = undefined;
      drawGantts();
    });
  }

  // ---- pipeline

  function ganttHeading(id, series, index, label) {
    const point = series.points[index];
    const heading = byId(id);
    heading.textContent = label;
    heading.append(element('span', `${text.seconds(point.time_s)}, ${energyOf(point, series)}`));
  }

  function drawGantts() {
    const ours = {
      name: kareus.name,
      series: kareus,
      point: view.point,
      gantt: 'gantt-chart',
      power: 'power-chart',
    };
    const rows = [ours];
    ganttHeading('gantt-heading', kareus, view.point, `Kareus, point ${view.point}`);
    byId('baseline-gantt').hidden = !megatron;
    if (megatron) {
      rows.unshift({
        name: megatron.name,
        series: megatron,
        point: 0,
        gantt: 'baseline-gantt-chart',
        power: 'baseline-power-chart',
      });
      ganttHeading('baseline-gantt-heading', megatron, 0, megatron.name);
    }
    pipelines.draw(rows);
    byId('gantt-note').textContent = ganttNote(model.analyse(kareus, view.point).times, kareus.points[view.point]);
  }

  // The chart follows the rules of the pipeline alone; say so when the frontier's own time holds more than they do.
  function ganttNote(times, point) {
    if (!times) return 'The stages of this order wait for each other, so it has no starts to draw.';
    const scale = 'All charts have the same time scale. Hover a bar for its schedule. Power is of all GPUs: the mean ' +
        'of each instruction while it runs, static power of stages that wait.';
    const rest = point.time_s - times.end;
    return Math.abs(rest) <= 1e-3 * point.time_s ?
        scale :
        `${scale} The bars end at ${text.seconds(times.end)}; the point's time of ${
            text.seconds(point.time_s)} counts more than they show.`;
  }

  // ---- table of the points

  function drawPointsTable() {
    const energies = kareus.points.map((point) => model.jobEnergy(kareus, point.energy_j) / 1e3);
    const digits = text.digitsFor(Math.max(...energies), 5);
    const timeDigits = text.digitsFor(Math.max(...kareus.points.map((point) => point.time_s)), 5);
    const kilojoules = (joules) => text.number(model.jobEnergy(kareus, joules) / 1e3, digits);
    byId('points-table').tBodies[0].replaceChildren(...kareus.points.map((point, index) => {
      const button = element('button', String(index));
      button.type = 'button';
      button.setAttribute('aria-label', `Choose point ${index}`);
      const cell = element('td');
      cell.append(button);
      const line = row([
        cell, text.number(point.time_s, timeDigits), kilojoules(point.energy_j), kilojoules(point.static_j),
        kilojoules(point.dynamic_j), text.number(files.gapOf(point) * 100, 2), kilojoules(point.watts_per_second_saved),
        ...files.clocksOf(index).map(text.clocks)
      ]);
      line.dataset.point = String(index);
      line.addEventListener('click', () => choosePoint(index));
      return line;
    }));
  }

  async function copyCommand() {
    const button = byId('copy-command');
    try {
      await navigator.clipboard.writeText(byId('command').textContent);
      button.textContent = 'Copied';
    } catch {
      // A page opened as a file may not be allowed to: select the text, so that the keyboard's copy takes it.
      getSelection().selectAllChildren(byId('command'));
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  }

  // ---- partitions

  const shownPartition = () => data.partitions[byId('partition-type').selectedIndex];

  function drawPartition() {
    const partition = shownPartition();
    const canvas = byId('partition-chart');
    const dynamic = byId('partition-energy').value === 'dynamic';
    byId('partition-heading').textContent = partition.type;
    canvas.setAttribute(
        'aria-label', `Time and energy of ${partition.points.length} measured configurations of ${partition.type}`);
    view.charts.partition?.destroy();
    view.charts.partition = charts.partition(canvas, partition, dynamic);

    const total = partition.points.length;
    const onFrontier = partition.points.filter((point) => point[7]).length;
    byId('pass-table').tBodies[0].replaceChildren(...charts.passesOf(partition).map(([index, name]) => {
      const found = partition.points.filter((point) => point[6] === index);
      return row([charts.passName(name), String(found.length), String(found.filter((point) => point[7]).length)]);
    }));
    byId('pass-table').tFoot.replaceChildren(row(['all', String(total), String(onFrontier)]));
    byId('partition-note').textContent =
        `${text.number(total, 0)} of ${text.number(partition.space_size, 0)} configurations were measured` +
        (partition.space_size > 0 ? ` (${text.percent(total / partition.space_size)}).` : '.') +
        ' Outlined points are on the frontier of time and total energy, or of time and dynamic energy.';
  }

  // Configurations that the device told the timeline of, fastest first: [[point, trace]].
  const tracesOf = (partition) => partition.traces.map(([index, trace]) => [partition.points[index], trace])
                                      .sort(([a], [b]) => a[3] - b[3]);

  function offerTraces() {
    const partition = shownPartition();
    byId('trace').hidden = partition.traces.length === 0;
    byId('trace-point')
        .replaceChildren(...tracesOf(partition).map(
            ([[clock, sms, slot, time, energy]]) => element(
                'option',
                `${clock} MHz, ${sms} SM, ${text.slot(partition.slots[slot])}: ${text.number(time * 1e3, 3)} ms, ${
                    text.number(energy, 2)} J`)));
  }

  function drawTrace() {
    const partition = shownPartition();
    const traces = tracesOf(partition);
    if (traces.length === 0) return;
    const [, trace] = traces[byId('trace-point').selectedIndex];
    // One time scale for all between the fastest and the one of least energy, so that they can be compared.
    const endOf = (one) => (one.at(-1)[0] + one.at(-1)[1]) * 1e3;
    const [, cheapest] = traces.reduce((best, entry) => (entry[0][4] < best[0][4] ? entry : best));
    const end = Math.max(endOf(trace), endOf(cheapest));
    byId('trace-heading').textContent = byId('trace-point').selectedOptions[0].textContent;
    byId('kernels-chart').setAttribute('aria-label', `Kernels of one execution of ${partition.type} and their SMs`);
    byId('kernel-power-chart').setAttribute('aria-label', `Power of one GPU during one execution of ${partition.type}`);
    view.charts.kernels?.destroy();
    view.charts.kernels = timelines.kernels(byId('kernels-chart'), partition, trace, end);
    view.charts.kernelPower?.destroy();
    view.charts.kernelPower = timelines.kernelPower(byId('kernel-power-chart'), trace, end);
  }

  function choosePartition() {
    offerTraces();
    drawPartition();
    drawTrace();
  }

  // ---- whole page

  function drawCharts() {
    charts.applyTheme();
    if (hasPoints) {
      view.charts.frontier?.destroy();
      view.charts.frontier = charts.frontier(byId('frontier-chart'), choosePoint);
      charts.markFrontier(view.charts.frontier, view.point, view.deadline);
      drawGantts();
    }
    if (data.partitions.length > 0) {
      drawPartition();
      drawTrace();
    }
  }

  function stepPoint(event) {
    const steps = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity};
    if (!(event.key in steps)) return;
    event.preventDefault();
    choosePoint(view.point + steps[event.key]);
  }

  function listenToPoints() {
    byId('point-slider').addEventListener('input', (event) => choosePoint(Number(event.target.value)));
    byId('deadline-slider')
        .addEventListener(
            'input',
            (event) => chooseDeadline(Number(Number(event.target.value).toFixed(text.digitsFor(view.deadline)))));
    byId('deadline-input').addEventListener('input', (event) => chooseDeadline(event.target.valueAsNumber));
    byId('deadline-input').addEventListener('blur', drawDeadline);
    byId('frontier-chart').addEventListener('keydown', stepPoint);
    byId('copy-command').addEventListener('click', copyCommand);
    byId('points-csv')
        .addEventListener('click', () => files.download('frontier.csv', 'text/csv', files.csv(files.pointRecords())));
    byId('points-json')
        .addEventListener(
            'click', () => files.download('frontier-points.json', 'application/json', files.pointsJson()));
    window.addEventListener('hashchange', followAddress);
  }

  // `#point=3` chooses a point, `#deadline=4.5` the cheapest within 4.5 s.
  function followAddress() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const number = (name) => (parameters.has(name) ? Number(parameters.get(name)) : NaN);
    if (Number.isInteger(number('point')))
      choosePoint(number('point'));
    else if (Number.isFinite(number('deadline')))
      chooseDeadline(number('deadline'));
    else
      choosePoint(view.point);
  }

  function listenToPage() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawCharts);
    const forPrint = (printing) => () => {
      document.documentElement.classList.toggle('printing', printing);
      drawCharts();
    };
    window.addEventListener('beforeprint', forPrint(true));
    window.addEventListener('afterprint', forPrint(false));
    window.addEventListener('scroll', () => {
      byId('tooltip').hidden = true;
    }, {passive: true});
    byId('partition-type').addEventListener('change', choosePartition);
    byId('trace-point').addEventListener('change', drawTrace);
    byId('partition-energy').addEventListener('change', drawPartition);
    byId('partition-csv')
        .addEventListener(
            'click',
            () => files.download('partition.csv', 'text/csv', files.csv(files.partitionRecords(shownPartition()))));
  }

  function preparePoints() {
    const [low, high] = model.spanOf(kareus.points.map((point) => point.time_s));
    byId('point-slider').max = kareus.points.length - 1;
    Object.assign(
        byId('deadline-slider'), {min: low, max: Number(model.deadlineText(kareus, kareus.points.length - 1)) || high});
    pipelines.drawClockLegend();
    drawPointsTable();
  }

  drawTop();
  document.querySelectorAll('.needs-points').forEach((part) => {
    part.hidden = !hasPoints;
  });
  byId('no-points').hidden = hasPoints;
  byId('partitions').hidden = data.partitions.length === 0;
  byId('partition-type').append(...data.partitions.map((partition) => element('option', partition.type)));
  listenToPage();
  if (hasPoints) {
    preparePoints();
    listenToPoints();
  }
  if (hasPoints) followAddress();
  if (data.partitions.length > 0) offerTraces();
  drawCharts();
  document.body.dataset.ready = 'true';
})();
