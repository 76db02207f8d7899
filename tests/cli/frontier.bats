load helpers

profiles=$KAREUS_SOURCE_DIR/tests/data/instruction-profiles

@test "the curve of a JSON profile is printed, verified and written" {
  expect 0 "$KAREUS" frontier "$profiles/edge_base.json" --points 5 --verify -o curve.json
  contains "$out" "2.008 s"
  contains "$out" "gap 0"
  contains "$out" "written: curve.json"
  python3 -c "
import json
c = json.load(open('curve.json'))
assert c['format'] == 'kareus-curve' and c['version'] == 1
assert len(c['points']) >= 3 and len(c['curve']) > 100
assert all(p['certificate']['optimal'] and p['energy_j'] >= p['bound_j'] * (1 - 1e-12) for p in c['points'])
"
}

@test "the same input gives the same bytes" {
  "$KAREUS" frontier "$profiles/edge_noisy.json" --points 4 -o a.json
  "$KAREUS" frontier "$profiles/edge_noisy.json" --points 4 -o b.json
  cmp a.json b.json
}

@test "a CSV needs microbatches and static power, and gives the same curve as the JSON" {
  python3 -c "
import json
p = json.load(open('$profiles/edge_base.json'))
keys = ['energy', 'time', 'stage', 'frequency', 'instruction']
print(','.join(keys))
for row in p['profile']: print(','.join(str(row[k]) for k in keys))
" > profile.csv
  expect 2 "$KAREUS" frontier profile.csv --microbatches 4
  contains "$err" "static power"
  expect 2 "$KAREUS" frontier profile.csv --static-power 70
  contains "$err" "microbatches"
  expect 0 "$KAREUS" frontier profile.csv --microbatches 4 --static-power 70 --points 3 --format csv
  csv=$out
  expect 0 "$KAREUS" frontier "$profiles/edge_base.json" --points 3 --format csv
  [[ $csv == "$out" ]]
}

@test "one point by time, energy and straggler" {
  expect 0 "$KAREUS" frontier "$profiles/edge_base.json" --at-time 1.1x
  contains "$out" "stage 1 backward"
  expect 0 "$KAREUS" frontier "$profiles/edge_base.json" --at-energy 800
  expect 0 "$KAREUS" frontier "$profiles/edge_base.json" --at-straggler 3s --json
  python3 -c "import json,sys; p = json.loads(open('stdout.txt').read())['points'][0]; assert abs(p['static_energy_j'] - 420) < 1e-6 and p['time_s'] <= 3"
  expect 4 "$KAREUS" frontier "$profiles/edge_base.json" --at-time 1s
  contains "$err" "the fastest takes"
  expect 4 "$KAREUS" frontier "$profiles/edge_base.json" --at-energy 1J
  expect 2 "$KAREUS" frontier "$profiles/edge_base.json" --at-time 3 --at-energy 800
}

@test "plan files are read back by import" {
  expect 0 "$KAREUS" frontier "$profiles/edge_base.json" --points 3 --format perseus -o plans
  [[ $(ls plans) == $'freqs_pipeline_00000.py\nfreqs_pipeline_00001.py\nfreqs_pipeline_00002.py' ]]
  python3 -c "
import ast
slow, fast = (ast.literal_eval(open(f'plans/freqs_pipeline_0000{i}.py').read()) for i in (0, 2))
assert [len(s) for s in fast] == [8, 8] and fast[1][1][0] == 'backward'
assert sum(c for s in fast for _, c in s) > sum(c for s in slow for _, c in s)
"
  expect 2 "$KAREUS" frontier "$profiles/edge_base.json" --format perseus -o plans
  expect 2 "$KAREUS" frontier "$profiles/edge_base.json" --format perseus
}

@test "schedules by name and by file, fixed times, replicas" {
  for schedule in 1f1b gpipe early-recompute; do
    expect 0 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --schedule $schedule --points 2
  done
  expect 0 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --schedule interleaved --chunks 2 --points 2 --transfer-time 1ms
  expect 3 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --schedule interleaved --chunks 2 --microbatches 3
  expect 3 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --schedule zb-h1
  contains "$err" "weight_gradient"
  expect 3 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --schedule 1f2b
  echo '{"stages": [["F0", "B0"], ["F0", "B0"]]}' > order.json
  expect 0 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --order order.json --points 2
  echo '{"stages": [["B0", "F0"], ["F0", "B0"]]}' > deadlock.json
  expect 3 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --order deadlock.json
  expect 0 "$KAREUS" frontier "$profiles/edge_two_freqs.json" --replicas "$profiles/edge_one_freq.json" --points 2
  contains "$out" "4 stages"
}

@test "bad profiles are refused with every place" {
  expect 3 "$KAREUS" frontier "$profiles/edge_missing_rows.json"
  contains "$err" "stage 1 backward has no rows"
  expect 3 "$KAREUS" frontier "$profiles/zeus_docs_a40_excerpt.csv" --microbatches 4 --static-power 70
  contains "$err" "stages 1 to 2 have no rows"
  expect 3 "$KAREUS" frontier "$profiles/edge_exp_two_freqs.json" --cost-model exponential
  contains "$err" "stage 1 forward"
  printf 'stage,instruction,frequency,time,energy\n0,forward,1740,0,1\n0,bakward,1740,1,nan\n' > bad.csv
  expect 3 "$KAREUS" frontier bad.csv --microbatches 4 --static-power 70
  contains "$err" "bad.csv:2:16"
  contains "$err" "bad.csv:3:3"
  contains "$err" "bad.csv:3:18"
  expect 3 "$KAREUS" frontier absent.csv
  expect 2 "$KAREUS" frontier "$profiles/edge_base.json" --park 210
  expect 2 "$KAREUS" frontier "$profiles/edge_base.json" --park 210 --static-power-at x=y
}
