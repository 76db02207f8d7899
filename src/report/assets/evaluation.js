'use strict';

// The page of an evaluation. Everything from the data goes into the document as text.
(() => {
  const {data} = model;
  const byId = (id) => document.getElementById(id);
  const drawn = [];

  function element(tag, content) {
    const node = document.createElement(tag);
    if (content !== undefined) node.textContent = content;
    return node;
  }

  function drawFacts() {
    for (const [label, value] of data.facts) {
      const entry = element('div');
      entry.append(element('dt', label), element('dd', value));
      byId('facts').append(entry);
    }
  }

  function drawTable({heading, header, rows}) {
    const section = element('section');
    const line = (cells, tag) => {
      const row = element('tr');
      row.append(...cells.map((cell) => element(tag, cell)));
      return row;
    };
    const [table, head, body, scroll] = ['table', 'thead', 'tbody', 'div'].map((tag) => element(tag));
    head.append(line(header, 'th'));
    body.append(...rows.map((cells) => line(cells, 'td')));
    table.append(head, body);
    scroll.className = 'scroll';
    scroll.append(table);
    section.append(element('h2', heading), scroll);
    byId('tables').append(section);
  }

  const shown = () => data.frontiers.filter(
      ({workload, level}) => workload === byId('workload').value && level === byId('level').value);

  function frontierDataset(frontier) {
    const single = frontier.points.length === 1;
    const own = charts.seriesColour(frontier);
    return {
      label: frontier.method,
      data: frontier.points.map(([time, energy]) => ({x: time, y: energy})),
      showLine: !single,
      stepped: 'before',
      borderColor: own,
      backgroundColor: own,
      borderWidth: 2,
      pointStyle: single ? 'rectRot' : 'circle',
      pointRadius: single ? 7 : 3,
    };
  }

  const label = ({dataset, parsed}) => `${dataset.label}: ${text.seconds(parsed.x)}, ${parsed.y.toPrecision(5)} J`;

  function draw() {
    while (drawn.length > 0) drawn.pop().destroy();
    const frontiers = shown();
    drawn.push(new Chart(byId('frontier-chart'), {
      type: 'scatter',
      data: {datasets: frontiers.map(frontierDataset)},
      options: {
        scales: {
          x: {title: charts.axisTitle('Iteration time (s)'), grace: '3%'},
          y: {title: charts.axisTitle('Energy of an iteration, one GPU of each stage (J)'), grace: '5%'},
        },
        plugins: {legend: charts.frontierLegend(), tooltip: {callbacks: {label}}},
      },
    }));
    const part = (name, value) =>
        ({label: name, backgroundColor: charts.colour(name), data: frontiers.map(({points: [first]}) => value(first))});
    drawn.push(new Chart(byId('split-chart'), {
      type: 'bar',
      data: {
        labels: frontiers.map(({method}) => method),
        datasets: [part('static', ([, , still]) => still), part('dynamic', ([, energy, still]) => energy - still)],
      },
      options: {
        scales: {x: {stacked: true}, y: {stacked: true, title: charts.axisTitle('Energy (J)')}},
      },
    }));
  }

  function heading(id, {method, series}, point) {
    const {time_s, energy_j} = data.series[series].points[point];
    byId(id).textContent = method;
    byId(id).append(element('span', `${text.seconds(time_s)}, ${energy_j.toPrecision(5)} J of one GPU of each stage`));
  }

  // The chosen method's pipeline below that of `megatron`, or of its own fastest point where there is none.
  function drawPipelines() {
    const frontiers = shown().filter(({series}) => series !== undefined);
    const chosen = frontiers.find(({method}) => method === byId('method').value);
    byId('pipeline').hidden = chosen === undefined;
    if (!chosen) return;
    const before = frontiers.find(({method}) => method === 'megatron') ?? chosen;
    const rows = [[before, 0, 'baseline-gantt', 'baseline-power'], [chosen, endOf(chosen), 'gantt', 'power']];
    rows.forEach(([frontier, point, gantt]) => heading(`${gantt}-heading`, frontier, point));
    pipelines.draw(rows.map(([{method, series}, point, gantt, power]) => ({
                              name: method,
                              series: data.series[series],
                              point,
                              gantt: `${gantt}-chart`,
                              power: `${power}-chart`,
                            })));
  }

  const endOf = ({series}) => (byId('end').selectedIndex === 0 ? 0 : data.series[series].points.length - 1);

  function drawAll() {
    draw();
    drawPipelines();
  }

  function offer(id, values, drawAgain) {
    byId(id).append(...[...new Set(values)].map((value) => element('option', value)));
    byId(id).addEventListener('change', drawAgain);
  }

  charts.applyTheme();
  drawFacts();
  offer('workload', data.frontiers.map(({workload}) => workload), drawAll);
  offer('level', data.frontiers.map(({level}) => level), drawAll);
  const methods = data.frontiers.filter(({series}) => series !== undefined).map(({method}) => method);
  offer('method', methods, drawPipelines);
  if (methods.includes('kareus')) byId('method').value = 'kareus';
  offer('end', [], drawPipelines);
  if (methods.length > 0) pipelines.drawClockLegend();
  data.tables.forEach(drawTable);
  drawAll();
  document.body.dataset.ready = 'true';
})();
