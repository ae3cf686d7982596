#!/bin/sh
# What the README shows is what is there: its consumer files are test/consumer, its C++ compiles and its first example runs.
. "$(dirname "$0")/scratch.sh"

# block LANGUAGE NUMBER: the text of that code block of the README.
block() {
  awk -v fence="^\`\`\`$1\$" -v wanted="$2" '
    $0 ~ fence { inside = ++found == wanted; next }
    /^```/ { inside = 0 }
    inside' "$source/README.md"
}

block meson 1 | quiet diff - "$source/test/consumer/meson.build"
block cpp 3 | quiet diff - "$source/test/consumer/main.cpp"

consumer
block cpp 1 > "$work/consumer/main.cpp"
{
  echo '#include <cstdint>'
  echo '#include <span>' # what the README asks of who uses a span
  echo 'import tensorplay.functional;'
  echo 'namespace tp = tensorplay;'
  echo 'void forms() {'
  block cpp 2 | sed 's/auto pixel/[[maybe_unused]] auto pixel/'
  echo '}'
} > "$work/consumer/forms.cpp"
sed -i "s/'main.cpp'/'main.cpp', 'forms.cpp'/" "$work/consumer/meson.build"
quiet $meson setup "$build" "$work/consumer"
quiet $meson compile -C "$build"
(cd "$build" && quiet ./consumer)
