load helpers

# Measurements as text, in the order they were made.
dump() {
  python3 -c "
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute('SELECT * FROM measurements ORDER BY id'): print(*row, sep='|')
" "$1"
}

# A device with three clocks, so that a whole run is short.
small_testbed() {
  mkdir -p devices models
  cp "$workloads/models/qwen3-1.7b.json" models/
  cp "$workloads/qwen3-1.7b-tp8-mbs8-seq4096.toml" small.toml
  sed 's/^searched_step_mhz = { value = 30,/searched_step_mhz = { value = 255,/' \
    "$KAREUS_SOURCE_DIR/devices/a100-sxm4-40gb.toml" > devices/a100-sxm4-40gb.toml
  grep -q 'searched_step_mhz = { value = 255' devices/a100-sxm4-40gb.toml
}

@test "a run killed at 50 random points loses and repeats nothing and ends with the same bytes" {
  small_testbed
  expect 0 "$KAREUS" plan small.toml -o whole --threads 1
  dump whole/measurements.db > whole.txt
  [[ $(wc -l < whole.txt) -gt 100 ]]
  state=20240601
  killed=0
  before=0
  while ((killed < 50)); do
    state=$(((state * 1103515245 + 12345) % 2147483648))
    # The fault program is kareus plan on a device that kills the process with SIGKILL at the n-th call.
    expect 137 "$KAREUS_BIN_DIR/plan_killed" small.toml killed $((state / 65536 % 400 + 1))
    killed=$((killed + 1))
    [[ ! -e killed/frontier.json ]]
    [[ -s killed/measurements.db ]] || continue
    # What was measured before is what the uninterrupted run measured, in its order, and never less than at the last kill.
    dump killed/measurements.db > killed.txt
    head -n "$(wc -l < killed.txt)" whole.txt | cmp - killed.txt
    [[ $(wc -l < killed.txt) -ge $before ]]
    before=$(wc -l < killed.txt)
  done
  [[ $before -gt 50 ]]
  expect 0 "$KAREUS" plan small.toml -o killed --threads 1
  dump killed/measurements.db | cmp - whole.txt
  cmp whole/frontier.json killed/frontier.json
  cmp whole/report.html killed/report.html
}
