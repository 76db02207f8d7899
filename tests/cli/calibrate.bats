load helpers

calibration=$KAREUS_SOURCE_DIR/data/calibration

@test "calibrate makes a device file of the project from its data" {
  expect 0 "$KAREUS" calibrate "$calibration/a100-pcie-80gb/start.toml" --data "$calibration/a100-pcie-80gb" -o pcie.toml
  contains "$out" "held out"
  diff pcie.toml "$KAREUS_SOURCE_DIR/devices/a100-pcie-80gb.toml"
}

@test "calibrate prints values and errors as JSON" {
  expect 0 "$KAREUS" calibrate "$calibration/a100-pcie-80gb/start.toml" --data "$calibration/a100-pcie-80gb" --json
  python3 -c 'import json, sys; r = json.load(sys.stdin); assert r["values"] and r["errors"]' <<<"$out"
}

@test "calibrate needs something to calibrate to" {
  expect 2 "$KAREUS" calibrate a100-sxm4-40gb
  contains "$err" "--data DIR"
}

@test "calibrate refuses data of another device" {
  expect 3 "$KAREUS" calibrate a40 --data "$calibration/a100-pcie-80gb"
  contains "$err" "was measured on a100-pcie-80gb"
}

@test "calibrate says when a sweep has too few points" {
  mkdir few
  cp "$calibration"/a100-pcie-80gb/{calibration.toml,stream.csv} few/
  head -3 "$calibration/a100-pcie-80gb/pi.csv" > few/pi.csv
  expect 3 "$KAREUS" calibrate a100-pcie-80gb --data few
  contains "$err" "a fit needs at least"
}

@test "calibrate --end-to-end needs a sequential and an overlapped run" {
  sed 's/nanobatching-perseus/megatron/' "$calibration/a100-sxm4-40gb/end-to-end.toml" > run.toml
  expect 3 "$KAREUS" calibrate a100-sxm4-40gb --end-to-end run.toml
  contains "$err" "no run overlaps"
}

@test "validate of a device without data says what to do" {
  expect 3 "$KAREUS" validate a40
  contains "$err" "nothing was measured or published of a40"
}
