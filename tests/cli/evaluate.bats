load helpers

workload() { echo "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml"; }

@test "evaluate compares the methods and writes tables, JSON and a page" {
  expect 0 "$KAREUS" evaluate --workloads "$(workload)" --points 6 -o out
  contains "$out" "Measures, calibrated"
  contains "$out" "kareus-published"
  contains "$out" "Published figures beside ours, blind"
  python3 -c 'import json, sys; r = json.load(open("out/evaluation.json")); assert len(r["measures"]) == 14 and r["published"] and r["goals"]'
  contains "$(cat out/evaluation.md)" "## Memory estimate"
  contains "$(cat out/evaluation.html)" "Frontiers of all methods"
  # The ends of every frontier are plans like any other.
  expect 0 "$KAREUS" select "$(echo out/results/*.kareus.calibrated.frontier.json)" --min-energy -o plan.json
  expect 0 "$KAREUS" emulate plan.json --pipelines 1
}

@test "evaluate goes on where it was killed, to the same bytes" {
  expect 0 "$KAREUS" evaluate --workloads "$(workload)" --points 6 -o whole --json
  first=$out
  cp -r whole half
  rm half/results/*.kareus.json half/evaluation.*
  touch -d @0 half/results/*
  expect 0 "$KAREUS" evaluate --workloads "$(workload)" --points 6 -o half --json
  [[ "$out" == "$first" ]]
  diff -r whole half
  # Only what was missing has been made: a result, with a frontier of either level.
  [[ $(find half/results -newermt 2000-01-01 -type f | wc -l) -eq 3 ]]
}

@test "evaluate names a workload of another device" {
  expect 3 "$KAREUS" evaluate --device a40 --workloads "$(workload)"
  contains "$err" "is of a100-sxm4-40gb, not of a40"
}

@test "plan and evaluate warn of a workload that does not fit" {
  cp -r "$workloads/models" .
  sed 's/sequence_length = 4096/sequence_length = 8192/' "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" > large.toml
  expect 0 "$KAREUS" plan large.toml --dry-run
  contains "$err" "may not fit the device"
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" --dry-run
  [[ "$err" != *"may not fit"* ]]
}

@test "emulate carries out a plan" {
  expect 0 "$KAREUS" plan "$(workload)" -o run --points 5 --progress none
  expect 0 "$KAREUS" select run --max-throughput -o plan.json
  expect 0 "$KAREUS" emulate plan.json --switch-ms 0 --constant-static-power --json
  python3 -c 'import json, sys; r = json.load(sys.stdin); assert abs(r["time_s"] / r["planned_time_s"] - 1) < 1e-9 and abs(r["energy_j"] / r["planned_energy_j"] - 1) < 1e-9, r' <<<"$out"
  expect 0 "$KAREUS" emulate plan.json --pipelines 640 --jitter 0.01 --straggler 5:1:1.2 --json
  grouped=$out
  expect 0 "$KAREUS" emulate plan.json --pipelines 640 --jitter 0.01 --straggler 5:1:1.2 --json --full
  python3 - "$grouped" "$out" <<'PY'
import json, sys
a, b = map(json.loads, sys.argv[1:])
assert a["gpus"] == 10240 and a["simulated_pipelines"] == 9 and b["simulated_pipelines"] == 640
assert a["time_s"] == b["time_s"] and abs(a["energy_j"] / b["energy_j"] - 1) < 1e-9
PY
  expect 0 "$KAREUS" emulate plan.json --park 210
  contains "$out" "parked clocks save"
  expect 0 "$KAREUS" emulate plan.json --pipelines 1 --timeline first.csv --json
  python3 - "$out" <<'PY'
import csv, json, sys
whole, rows = json.loads(sys.argv[1]), list(csv.DictReader(open("first.csv")))
joules = sum(float(row["working_j"]) + float(row["waiting_j"]) for row in rows)
assert abs(8 * joules / whole["energy_j"] - 1) < 1e-6
assert sum(row["instruction"] == "backward" for row in rows) == 2 * 8
assert abs(max(float(row["start_s"]) + float(row["duration_s"]) for row in rows) / whole["time_s"] - 1) < 1e-6
PY
}

@test "emulate says what makes no sense" {
  expect 0 "$KAREUS" plan "$(workload)" -o run --points 3 --progress none
  expect 0 "$KAREUS" select run --max-throughput -o plan.json
  expect 2 "$KAREUS" emulate plan.json --straggler 5
  contains "$err" "PIPELINE:STAGE:FACTOR"
  expect 2 "$KAREUS" emulate plan.json --straggler 0:7:0.5 --transfer-ms -1
  contains "$err" "stage 7 of 2"
  contains "$err" "the transfer time must be 0 or more"
  expect 3 "$KAREUS" emulate run/frontier.json
}
