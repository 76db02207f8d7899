load helpers

@test "all ten testbed workloads plan, and Kareus is never worse than Megatron-LM + Perseus at its fastest" {
  count=0
  for workload in "$workloads"/llama3.2-3b-*.toml "$workloads"/qwen3-1.7b-*.toml; do
    expect 0 "$KAREUS" plan "$workload" -o run --json --progress none
    echo "$out" | python3 -c "
import json, sys
methods = {m['name']: m for m in json.load(sys.stdin)['methods']}
ours, theirs = methods['Kareus, fastest'], methods['Megatron-LM + Perseus, fastest']
assert ours['time_s'] <= theirs['time_s'] * 1.0005, (ours, theirs)
"
    rm -rf run
    count=$((count + 1))
  done
  [[ $count -eq 10 ]]
}

@test "a 70B emulation setting plans" {
  expect 0 "$KAREUS" plan "$workloads/llama3.3-70b-pp10-tp8-mb16.toml" -o run --json
}

@test "a dry run says what would be measured and measures nothing" {
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-cp2tp4-mbs8-seq4096.toml" --dry-run
  contains "$out" "fwd_qkv_ag"
  contains "$out" "1080"
  expect 0 "$KAREUS" plan "$workloads/llama3.2-3b-cp2tp4-mbs8-seq4096.toml" --dry-run --json
  echo "$out" | python3 -c "import json,sys; assert len(json.load(sys.stdin)['partition_types']) == 12"
}
