load helpers

@test "plan writes a frontier, a report and a summary; select picks from it" {
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run
  contains "$out" "Kareus, fastest"
  contains "$out" "report: run/report.html"
  contains "$err" "hypervolume"
  for file in workload.toml models/qwen3-1.7b.json measurements.db frontier.json report.html; do [[ -s run/$file ]]; done
  [[ -z $(find run -name '*.tmp') ]]

  expect 0 "$KAREUS" select run --deadline 1.05x -o plan.json
  contains "$out" "per iteration"
  python3 -c "import json; p = json.load(open('plan.json')); assert p['format'] == 'kareus-plan', p['format']"
  expect 0 "$KAREUS" select run --max-throughput --json
  fastest=$(echo "$out" | python3 -c "import json,sys; print(json.load(sys.stdin)['time_s'])")
  expect 0 "$KAREUS" select run --min-energy --json
  slowest=$(echo "$out" | python3 -c "import json,sys; print(json.load(sys.stdin)['time_s'])")
  python3 -c "assert $fastest < $slowest"

  expect 4 "$KAREUS" select run --deadline 10ms
  contains "$err" "fastest"
  expect 4 "$KAREUS" select run --energy-budget 1J
  expect 2 "$KAREUS" select run --deadline soon
  expect 2 "$KAREUS" select run
  expect 2 "$KAREUS" select run --deadline 5s --min-energy

  cp run/frontier.json good.json
  head -c 5000 good.json > run/frontier.json
  expect 3 "$KAREUS" select run --min-energy
  contains "$err" "truncated"
  sed 's/"version": *1/"version": 99/' good.json > run/frontier.json
  expect 3 "$KAREUS" select run --min-energy
  contains "$err" "99"
  cp good.json run/frontier.json

  cp run/report.html report.html
  expect 0 "$KAREUS" report run
  cmp report.html run/report.html
}

@test "a second plan measures nothing again and writes the same bytes" {
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" -o run --threads 2
  cp run/frontier.json first.json
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" -o run --threads 1
  cmp first.json run/frontier.json
  reused=$(echo "$err" | sed -n 's/.*measured (\([0-9]*\) reused).*/\1/p' | tail -1)
  done=$(echo "$err" | sed -n 's/^\([0-9]*\)\/.*/\1/p' | tail -1)
  [[ $reused -eq $done ]]
}

@test "one and two threads give the same bytes, another seed does not" {
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-cp2tp4-mbs8-seq4096.toml" -o one --threads 1
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-cp2tp4-mbs8-seq4096.toml" -o two --threads 2
  cmp one/frontier.json two/frontier.json
  cmp one/report.html two/report.html
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-cp2tp4-mbs8-seq4096.toml" -o other --seed 1
  ! cmp -s one/frontier.json other/frontier.json
}

@test "a run killed at any kind of call goes on where it was and ends with the same bytes" {
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-cp2tp4-mbs8-seq4096.toml" -o whole
  for count in 1 7 200 7000; do
    # The fault program is kareus plan on a device that kills the process with SIGKILL at the n-th call.
    expect 137 "$KAREUS_BIN_DIR/plan_killed" "$workloads/llama3.2-3b-cp2tp4-mbs8-seq4096.toml" killed $count
    [[ ! -e killed/frontier.json ]]
  done
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-cp2tp4-mbs8-seq4096.toml" -o killed
  cmp whole/frontier.json killed/frontier.json
}

@test "the published protocol is one option away, and has no interval" {
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" --protocol published --dry-run --json
  published=$(echo "$out" | python3 -c "import json,sys; print(json.load(sys.stdin)['device_time_s'])")
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" --dry-run --json
  adaptive=$(echo "$out" | python3 -c "import json,sys; print(json.load(sys.stdin)['device_time_s'])")
  python3 -c "assert $published > 3 * $adaptive"
  expect 2 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" --protocol published --energy-interval 1 -o run
  contains "$err" "fixed window"
  expect 2 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" --protocol quick -o run
  expect 2 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" --energy-interval 0 -o run
}

@test "an interrupt keeps what was measured and says how to go on" {
  "$KAREUS" plan "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" -o run --threads 1 2>err.txt &
  pid=$!
  until [[ -s run/measurements.db ]]; do sleep 0.01; done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  if [[ $status -eq 0 ]]; then skip "the plan was finished before the signal arrived"; fi
  [[ $status -eq 6 ]]
  contains "$(cat err.txt)" "run the same command again"
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" -o run
}

@test "a run can be planned again from its exported measurements" {
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run
  expect 0 "$KAREUS" export run -o table.csv
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" --replay table.csv --static-power 84 -o replayed
  contains "$out" "Kareus, fastest"
}
