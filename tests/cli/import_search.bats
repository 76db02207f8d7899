load helpers

@test "published plans of both formats are imported and re-timed" {
  plans=$KAREUS_SOURCE_DIR/tests/data/published-plans
  expect 0 "$KAREUS" import "$plans"/kareus_llama3.2-3b_tp8_mbs8_seq4096/freqs_pipeline_02495.py \
    --schedules "$plans"/kareus_llama3.2-3b_tp8_mbs8_seq4096/scheds_pipeline_02495.py \
    --workload "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" -o plan.json
  contains "$out" "published: 4.353 s"
  python3 -c "import json; p = json.load(open('plan.json')); assert 3 < p['time_s'] < 5, p['time_s']"
  expect 0 "$KAREUS" import "$plans"/kareus_qwen3-1.7b_cp2tp4_mbs16_seq4096_legacy/freqs_pipeline_02901.py \
    --schedules "$plans"/kareus_qwen3-1.7b_cp2tp4_mbs16_seq4096_legacy/scheds_pipeline_02901.py \
    --workload "$workloads/qwen3-1.7b-cp2tp4-mbs16-seq4096.toml"
  contains "$out" "published:"
  expect 0 "$KAREUS" import "$plans"/perseus_llama3.2-3b_tp8_mbs8_seq4096/freqs_pipeline_01900.py \
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
  expect 3 "$KAREUS" import "$plans"/kareus_llama3.2-3b_tp8_mbs8_seq4096/freqs_pipeline_02495.py \
    --schedules "$plans"/kareus_llama3.2-3b_tp8_mbs8_seq4096/scheds_pipeline_02495.py \
    --workload "$workloads/qwen3-1.7b-cp2tp4-mbs16-seq4096.toml"
}

@test "the measured sweep's front is found within the published budget" {
  data=$KAREUS_SOURCE_DIR/tests/data
  expect 0 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml"
  contains "$out" "hypervolume"
  for seed in 0 1 2; do
    expect 0 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml" --seed $seed --json
    echo "$out" | python3 -c "
import json, sys
r = json.load(sys.stdin)
assert r['evaluations'] <= 224 and r['hypervolume_ratio'] >= 0.95, (r['evaluations'], r['hypervolume_ratio'])
"
  done
  expect 0 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml" --strategy random --budget 100 --json
  expect 3 "$KAREUS" search "$data/absent.csv" --space "$data/a100-attn-tp2-sweep.toml"
  expect 2 "$KAREUS" search "$data/a100-attn-tp2-sweep.csv" --space "$data/a100-attn-tp2-sweep.toml" --strategy magic
}
