# Shared by the suites. KAREUS is the program, KAREUS_SOURCE_DIR the checkout.
setup() {
  work=$(mktemp -d)
  workloads=$KAREUS_SOURCE_DIR/workloads
  cd "$work" || return 1
}

teardown() { rm -rf "$work"; }

# expect STATUS COMMAND...: runs the command, checks its exit status, leaves stdout in $out and stderr in $err.
expect() {
  local wanted=$1 status=0
  shift
  "$@" >stdout.txt 2>stderr.txt || status=$?
  out=$(cat stdout.txt)
  err=$(cat stderr.txt)
  if [[ $status -ne $wanted ]]; then
    echo "exit status $status instead of $wanted: $*"
    cat stdout.txt stderr.txt
    return 1
  fi
}

# contains TEXT PART
contains() {
  [[ $1 == *"$2"* ]] && return 0
  echo "'$2' is not in:"
  echo "$1"
  return 1
}
