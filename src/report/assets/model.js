'use strict';

// The data of the page and what follows from it: choices, starts, critical instructions. Knows nothing of the page.
const model = (() => {
  const data = JSON.parse(document.getElementById('data').textContent);

  // Instruction of a stage's order as {backward, microbatch}; a backward of microbatch m is written -m - 1.
  const instructionOf = (code) =>
      (code < 0 ? {backward: true, microbatch: -code - 1} : {backward: false, microbatch: code});

  data.series.forEach((series) => {
    series.stages = series.order.map((order) => order.map(instructionOf));
    series.cache = new Map();
  });

  // Option index of every instruction in execution order. The data groups them by kind and writes a run of one index
  // as the index and minus the number of repetitions.
  function expand(list) {
    const indices = [];
    for (const entry of list) {
      const count = entry < 0 ? -entry : 1;
      const index = entry < 0 ? indices[indices.length - 1] : entry;
      for (let i = 0; i < count; ++i) indices.push(index);
    }
    return indices;
  }

  function optionsOf(series, pointIndex) {
    return series.points[pointIndex].choices.map((list, stage) => {
      const indices = expand(list);
      const sets = series.option_sets[series.stage_options[stage]];
      const forwards = series.stages[stage].filter((instruction) => !instruction.backward).length;
      let forward = 0;
      let backward = forwards;
      return series.stages[stage].map(({backward: isBackward}) => {
        const [time, energy, clock, schedule] =
            isBackward ? sets.backward[indices[backward++]] : sets.forward[indices[forward++]];
        return {time, energy, clock, scheduleIndex: schedule, schedule: series.schedules[schedule]};
      });
    });
  }

  // What must be over before each instruction starts: the one before it on its stage, the same microbatch's forward on
  // the stage before, and its backward on the stage after (on the last stage, its own forward).
  function predecessorsOf(series) {
    if (series.predecessors) return series.predecessors;
    const at = series.stages.map((order) => {
      const places = {forward: new Map(), backward: new Map()};
      order.forEach(({backward, microbatch}, i) => places[backward ? 'backward' : 'forward'].set(microbatch, i));
      return places;
    });
    const last = series.stages.length - 1;
    series.predecessors = series.stages.map((order, stage) => order.map(({backward, microbatch}, i) => {
      const list = i > 0 ? [[stage, i - 1]] : [];
      const [from, kind] = !backward ? [stage - 1, 'forward'] :
          stage < last               ? [stage + 1, 'backward'] :
                                       [stage, 'forward'];
      const other = at[from]?.[kind].get(microbatch);
      if (other !== undefined) list.push([from, other]);
      return list;
    }));
    return series.predecessors;
  }

  // Earliest starts, the end of the pipeline and which instructions have no slack. An order in which stages wait for
  // each other for ever gives null.
  function timing(series, options) {
    const predecessors = predecessorsOf(series);
    const start = options.map((stage) => new Array(stage.length));
    const sequence = [];
    const next = options.map(() => 0);
    const total = options.reduce((sum, stage) => sum + stage.length, 0);
    for (let before = -1; sequence.length < total && sequence.length !== before;) {
      before = sequence.length;
      for (let s = 0; s < options.length; ++s) {
        while (next[s] < options[s].length && predecessors[s][next[s]].every(([p, i]) => start[p][i] !== undefined)) {
          const ends = predecessors[s][next[s]].map(([p, i]) => start[p][i] + options[p][i].time);
          start[s][next[s]] = Math.max(0, ...ends);
          sequence.push([s, next[s]++]);
        }
      }
    }
    if (sequence.length < total) return null;
    const end = Math.max(0, ...options.map((stage, s) => stage.length ? start[s].at(-1) + stage.at(-1).time : 0));
    return {start, end, critical: criticalOf(predecessors, options, start, end, sequence)};
  }

  function criticalOf(predecessors, options, start, end, sequence) {
    const latestEnd = options.map((stage) => new Array(stage.length).fill(end));
    for (let k = sequence.length - 1; k >= 0; --k) {
      const [s, i] = sequence[k];
      const latestStart = latestEnd[s][i] - options[s][i].time;
      for (const [p, j] of predecessors[s][i]) latestEnd[p][j] = Math.min(latestEnd[p][j], latestStart);
    }
    const tolerance = 1e-6 * end;  // times are written with seven digits
    return options.map(
        (stage, s) => stage.map((option, i) => latestEnd[s][i] - start[s][i] - option.time <= tolerance));
  }

  const spanOf = (values) =>
      values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);

  // Of one kind of instruction: how many there are and are critical, the clocks of both, and the schedule that most of
  // the critical ones have.
  function kindSummary(series, options, times, backward) {
    const summary = {total: 0, critical: 0, clocks: [], criticalClocks: [], common: null, commonCount: 0};
    const counts = new Map();
    series.stages.forEach((order, s) => order.forEach((instruction, i) => {
      if (instruction.backward !== backward) return;
      const option = options[s][i];
      summary.total += 1;
      summary.clocks.push(option.clock);
      if (!times || !times.critical[s][i]) return;
      summary.critical += 1;
      summary.criticalClocks.push(option.clock);
      const key = option.clock + ' ' + option.scheduleIndex;
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, {count, option});
    }));
    for (const {count, option} of counts.values()) {
      if (count > summary.commonCount) Object.assign(summary, {common: option, commonCount: count});
    }
    summary.clocks = spanOf(summary.clocks);
    summary.criticalClocks = spanOf(summary.criticalClocks);
    return summary;
  }

  // Everything about one point: {options, times, forward, backward}, computed when first asked for.
  function analyse(series, pointIndex) {
    if (!series.cache.has(pointIndex)) {
      const options = optionsOf(series, pointIndex);
      const times = timing(series, options);
      series.cache.set(pointIndex, {
        options,
        times,
        forward: kindSummary(series, options, times, false),
        backward: kindSummary(series, options, times, true),
      });
    }
    return series.cache.get(pointIndex);
  }

  // Cheapest point within the deadline, or -1.
  function cheapestWithin(series, deadline) {
    let best = -1;
    series.points.forEach((point, i) => {
      if (point.time_s <= deadline && (best < 0 || point.energy_j < series.points[best].energy_j)) best = i;
    });
    return best;
  }

  // The shortest decimal number of seconds that admits point `index` and none that is slower.
  function deadlineText(series, index) {
    const time = series.points[index].time_s;
    const slower = Math.min(Infinity, ...series.points.map((point) => point.time_s).filter((t) => t > time));
    for (let digits = 3; digits <= 12; ++digits) {
      const text = (Math.ceil(time * 10 ** digits) / 10 ** digits).toFixed(digits);
      if (Number(text) >= time && Number(text) < slower) return text;
    }
    return String(time);
  }

  const jobEnergy = (series, joules) => joules * series.energy_scale;
  const findSeries = (method) => data.series.find((series) => series.method === method && series.points.length > 0);

  return {data, kareus: data.series[0], analyse, cheapestWithin, deadlineText, jobEnergy, findSeries, spanOf};
})();

// Numbers and schedules as readers see them.
const text = (() => {
  // Digits after the point that give values up to `largest` that many significant ones.
  const digitsFor = (largest, significant = 4) =>
      Math.max(0, Math.min(6, significant - Math.ceil(Math.log10(Math.max(Math.abs(largest), 1e-9) * 1.0000001))));
  const number = (value, digits) => Number.isFinite(value) ?
      value.toLocaleString('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits})
          .replace('-', '\u2212') :
      '–';
  const seconds = (value) => number(value, digitsFor(value)) + ' s';
  const kilojoules = (joules) => number(joules / 1e3, digitsFor(joules / 1e3)) + ' kJ';
  const percent = (fraction, digits = 1) => number(fraction * 100, digits) + ' %';
  const signedPercent = (fraction) => (fraction > 0 ? '+' : '') + percent(fraction);
  const clocks = ([low, high]) => !Number.isFinite(low) ? '–' : low === high ? `${low}` : `${low}–${high}`;
  const slot = (name) => name === 'none' ? 'after all compute' : 'launched at ' + name;
  const config = ([type, sms, slotName]) => `${type}: ${sms} SM, ${slot(slotName)}`;

  // A schedule as lines: sequential, or one line for each partition type.
  function schedule([sequential, partitions, recomputed]) {
    if (sequential) return ['sequential, no overlap'];
    return partitions.map(config).concat(recomputed.map((entry) => config(entry) + ' (recomputed)'));
  }

  // The critical instructions of one kind as a first line and the lines of their most frequent schedule.
  function critical(name, summary) {
    if (summary.critical === 0) return [`${name}: none of ${summary.total} critical`];
    const first = `${name}: ${summary.critical} of ${summary.total} critical, ${clocks(summary.criticalClocks)} MHz`;
    const which = summary.commonCount === summary.critical ? 'all' : `${summary.commonCount}`;
    return [
      first, `${which} at ${summary.common.clock} MHz` + (summary.common.schedule[0] ? ', sequential' : ':')
    ].concat(summary.common.schedule[0] ? [] : schedule(summary.common.schedule));
  }

  return {number, digitsFor, seconds, kilojoules, percent, signedPercent, clocks, slot, schedule, critical};
})();
