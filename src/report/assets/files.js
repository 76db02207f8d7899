'use strict';

// The numbers of the page as records, and the files that it lets readers keep.
const files = (() => {
  const {data, kareus} = model;

  const gapOf = (point) => point.energy_j / point.bound_j - 1;

  const clocksOf = (index) => {
    const {forward, backward} = model.analyse(kareus, index);
    return [forward.clocks, backward.clocks];
  };

  function pointRecords() {
    return kareus.points.map((point, index) => {
      const job = (joules) => model.jobEnergy(kareus, joules);
      const [forward, backward] = clocksOf(index);
      return {
        point: index,
        time_s: point.time_s,
        energy_j: job(point.energy_j),
        static_energy_j: job(point.static_j),
        dynamic_energy_j: job(point.dynamic_j),
        bound_j: job(point.bound_j),
        gap_percent: gapOf(point) * 100,
        watts_per_second_saved: job(point.watts_per_second_saved),
        forward_clock_min_mhz: forward[0],
        forward_clock_max_mhz: forward[1],
        backward_clock_min_mhz: backward[0],
        backward_clock_max_mhz: backward[1]
      };
    });
  }

  function partitionRecords(partition) {
    return partition.points.map(([clock, sms, slot, time, energy, dynamicEnergy, pass, onFrontier]) => ({
                                  clock_mhz: clock,
                                  sm_count: sms,
                                  launch_slot: partition.slots[slot],
                                  time_s: time,
                                  energy_j: energy,
                                  dynamic_energy_j: dynamicEnergy,
                                  found_by: partition.passes[pass],
                                  on_frontier: onFrontier
                                }));
  }

  function csv(records) {
    const cell = (value) => {
      const content = String(value);
      return /[",\r\n]/.test(content) ? `"${content.replaceAll('"', '""')}"` : content;
    };
    if (records.length === 0) return '';
    const lines = [Object.keys(records[0]), ...records.map((record) => Object.values(record))];
    return lines.map((line) => line.map(cell).join(',') + '\r\n').join('');
  }

  const pointsJson = () => JSON.stringify(
                               {
                                 title: data.title,
                                 provenance: kareus.provenance,
                                 energy_of: 'all GPUs, one iteration',
                                 points: pointRecords()
                               },
                               null, 2) +
      '\n';

  function download(name, type, content) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  return {gapOf, clocksOf, pointRecords, partitionRecords, csv, pointsJson, download};
})();
