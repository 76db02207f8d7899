load helpers

@test "every problem of a workload is reported at once, with its place" {
  mkdir models
  cp "$workloads/models/llama3.2-3b.json" models/
  cat > w.toml <<'TOML'
model = "models/llama3.2-3b.json"
device = "a100-sxm4-40gb"
microbatch_size = -8
sequence_length = 4096
microbatchs = 8
activation_checkpointing = true
[parallelism]
tensor = 5
pipeline = 2
TOML
  expect 3 "$KAREUS" plan w.toml -o run
  contains "$err" "w.toml:3:1: 'microbatch_size' must be"
  contains "$err" "w.toml:5:1: unknown key 'microbatchs'"
  contains "$err" "did you mean 'microbatches'?"
  contains "$err" "w.toml:8:1"
  [[ ! -e run ]]
}

@test "an unknown device, a model that is none and an absent file are refused by name" {
  mkdir models
  cp "$workloads/models/llama3.2-3b.json" models/
  sed 's/device *=.*/device = "a100-sxm4-41gb"/' "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" > w.toml
  expect 3 "$KAREUS" plan w.toml -o run
  contains "$err" "did you mean 'a100-sxm4-40gb'?"
  echo '{"a": 1}' > models/llama3.2-3b.json
  expect 3 "$KAREUS" plan w.toml -o run
  contains "$err" "llama3.2-3b.json"
  expect 3 "$KAREUS" plan absent.toml -o run
  contains "$err" "no such file"
  expect 3 "$KAREUS" select absent --min-energy
  [[ ! -e run ]]
}

@test "groups that do not fit a node are refused" {
  mkdir models
  cp "$workloads/models/llama3.2-3b.json" models/
  sed 's/context *=.*/context = 2/' "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" > w.toml
  expect 3 "$KAREUS" plan w.toml -o run
  contains "$err" "16 GPUs of a stage do not divide the 8 GPUs of a node"
}

@test "a microbatch of one is planned sequentially and said so" {
  mkdir models
  cp "$workloads/models/llama3.2-3b.json" models/
  sed 's/microbatch_size *=.*/microbatch_size = 1/' "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" > w.toml
  expect 0 "$KAREUS" plan w.toml -o run
  contains "$err" "sequential execution only"
}

@test "a store of another workload, a foreign file and a torn one are refused and kept" {
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run
  cp run/measurements.db before.db
  expect 3 "$KAREUS" plan "$workloads/llama3.2-3b-tp8-mbs8-seq4096.toml" -o run
  cmp before.db run/measurements.db
  expect 3 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run --seed 5
  cmp before.db run/measurements.db
  echo "not a database, but long enough to be taken for one" > run/measurements.db
  expect 3 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run
  contains "$(cat run/measurements.db)" "not a database"
}

@test "an output that cannot be written ends with code 5 and leaves nothing half-written" {
  echo x > file
  expect 5 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o file/run
  expect 5 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o /proc/kareus
  # A limit on the size of files stands in for a full disk.
  status=0
  (ulimit -f 64; exec "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run 2>err.txt) || status=$?
  [[ $status -eq 5 ]]
  [[ ! -e run/frontier.json ]]
  expect 0 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run
}

@test "usage errors end with code 2, help with 0" {
  expect 2 "$KAREUS"
  expect 2 "$KAREUS" pln
  expect 2 "$KAREUS" plan
  expect 2 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml"
  expect 2 "$KAREUS" plan "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" -o run --threads 0
  expect 0 "$KAREUS" --help
  for command in plan select report search import export; do
    expect 0 "$KAREUS" $command --help
    contains "$out" "Example:"
  done
  expect 0 "$KAREUS" --version
}
