load helpers

@test "published plans of both formats are imported and re-timed" {
  plans=$KAREUS_SOURCE_DIR/tests/data/published-plans
  expect 0 "$KAREUS" import "$plans"/slot-names/freqs_pipeline_02495.py \
    --schedules "$plans"/slot-names/scheds_pipeline_02495.py \
    --workload "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" -o plan.json
  contains "$out" "published: 4.353 s"
  python3 -c "import json; p = json.load(open('plan.json')); assert 3 < p['time_s'] < 5, p['time_s']"
  expect 0 "$KAREUS" import "$plans"/legacy-context-parallel/freqs_pipeline_02901.py \
    --schedules "$plans"/legacy-context-parallel/scheds_pipeline_02901.py \
    --workload "$workloads/qwen3-1.7b-cp2tp4-mbs16-seq4096.toml"
  contains "$out" "published:"
  expect 0 "$KAREUS" import "$plans"/clocks-only/freqs_pipeline_01900.py \
    --workload "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml"
  contains "$out" "published: 5.113 s"
}

@test "a plan file is never evaluated" {
  echo '[[("forward", __import__("os").system("touch evaluated"))]]' > evil.py
  expect 3 "$KAREUS" import evil.py --workload "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml"
  contains "$err" "evil.py:1:"
  [[ ! -e evaluated ]]
}

@test "a plan of another workload is refused" {
  plans=$KAREUS_SOURCE_DIR/tests/data/published-plans
  expect 3 "$KAREUS" import "$plans"/slot-names/freqs_pipeline_02495.py \
    --schedules "$plans"/slot-names/scheds_pipeline_02495.py \
    --workload "$workloads/qwen3-1.7b-cp2tp4-mbs16-seq4096.toml"
}

@test "the measured sweep's front is found within the published budget" {
  data=$KAREUS_SOURCE_DIR/tests/data
  expect 0 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml"
  contains "$out" "hypervolume"
  for seed in 0 1 2 3 4; do
    expect 0 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml" --seed $seed --json
    echo "$out" > result-$seed.json
  done
  python3 -c "
import json, statistics
results = [json.load(open(f'result-{seed}.json')) for seed in range(5)]
assert all(r['evaluations'] <= 224 for r in results)
total = statistics.median(r['hypervolume_ratio'] for r in results)
dynamic = statistics.median(r['dynamic_hypervolume_ratio'] for r in results)
assert total >= 0.9 and dynamic >= 0.98, (total, dynamic)
"
  expect 0 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml" --strategy random --budget 100 --json
  expect 3 "$KAREUS" search "$data/absent.csv" --space "$data/a100-attn-tp2-sweep.toml"
  expect 2 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml" --strategy magic
}

@test "a search says what is wrong with its input and ends clearly when everything fails" {
  data=$KAREUS_SOURCE_DIR/tests/data
  sweep=("$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml")
  expect 3 "$KAREUS" search "${sweep[@]}" --failures 100
  contains "$err" "failed"
  sed 's/comm_sm_number/comm_sm/' "$data/a100-attn-tp2-sweep.toml" > unknown.toml
  expect 3 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space unknown.toml
  contains "$err" "comm_sm"
  sed '3s/0\.00[0-9]*/soon/' "$data/a100-attn-tp2-sweep.csv" > text.csv
  expect 3 "$KAREUS" search text.csv --space "$data/a100-attn-tp2-sweep.toml"
  contains "$err" "soon"
  head -2 "$data/a100-attn-tp2-sweep.csv" > one.csv
  expect 0 "$KAREUS" search one.csv --space "$data/a100-attn-tp2-sweep.toml" --json
  contains "$out" "exhausted"
}

@test "noise, outliers and failures neither end a search nor reach its front unseen" {
  data=$KAREUS_SOURCE_DIR/tests/data
  expect 0 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml" \
    --budget 60 --noise 1 --outliers 5 --failures 33 --json
  echo "$out" > noisy.json
  python3 -c "
import json
r = json.load(open('noisy.json'))
assert r['evaluations'] == 60 and r['strategy'] == 'adaptive', r
assert r['front'] and all(p['time_s'] > 0.0024 for p in r['front']), r['front']
"
}
