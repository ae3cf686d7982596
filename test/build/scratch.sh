# Sourced by the scripts beside it, which are called with SOURCE COMPILER MESON: a scratch folder, and commands that are quiet unless they fail.
set -eu
source=$1
export CXX="$2"
meson=$3
work=$(mktemp -d)
log=$work/log
build=$work/build
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
  cat "$log" >&2
  echo "FAIL: $*" >&2
  exit 1
}

# quiet COMMAND: must succeed; its output goes to the log.
quiet() { "$@" > "$log" 2>&1 || fail "this should succeed: $*"; }

# runs PROGRAM: one of the build's; must succeed, its output goes to the log.
runs() { (cd "$build" && quiet "./$1"); }

# refused COMMAND: must fail.
refused() { ! "$@" > "$log" 2>&1 || fail "this should fail: $*"; }

# logged PATTERN, unlogged PATTERN: what the log of the last command must hold, and must not.
logged() { grep -Eq -- "$1" "$log" || fail "no '$1' in the log"; }
unlogged() { ! grep -Eq -- "$1" "$log" || fail "'$1' in the log"; }

# tree FOLDER [NAME...]: makes FOLDER look like the source; the entries named are copies to edit, all others links.
tree() {
  mkdir -p "$1"
  for entry in "$source"/*; do
    ln -s "$entry" "$1/"
  done
  for name in "$@"; do
    [ "$name" = "$1" ] || { rm "$1/$name"; cp -r "$source/$name" "$1/"; }
  done
}

# consumer [NAME...]: puts test/consumer into $work/consumer, with tensorplay as its subproject.
consumer() {
  cp -r "$source/test/consumer" "$work/consumer"
  tree "$work/consumer/subprojects/tensorplay" "$@"
}
