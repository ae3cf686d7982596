# Sourced by consumer.sh: what README.md and docs/ show, made into programs of the consumer's project.

# block FILE LANGUAGE NUMBER: the text of that code block of the file; of all but the first for NUMBER rest.
block() {
  awk -v fence="^\`\`\`$2\$" -v wanted="$3" '
    $0 ~ fence { ++found; inside = wanted == "rest" ? found > 1 : found == wanted; next }
    /^```/ { inside = 0 }
    inside' "$source/$1"
}

# Compilers mention values that only show something.
unused() { sed 's/^\(auto\|bool\|float\|std::span<float>\) /[[maybe_unused]] &/'; }

# page FILE: the program of a page of docs/, whose first block stands in front of main.
page() {
  block "docs/$1" cpp 1
  echo 'int main() {'
  block "docs/$1" cpp rest | unused
  echo '}'
}

add_documented_programs() {
  block README.md meson 1 | quiet diff - "$source/test/consumer/meson.build"
  block README.md cpp 4 | quiet diff - "$source/test/consumer/main.cpp"

  block README.md cpp 1 > "$work/consumer/example.cpp"
  {
    echo '#include <cstdint>'
    echo '#include <span>' # what the README asks of who uses a span
    echo 'import tensorplay.functional;'
    echo 'namespace tp = tensorplay;'
    echo 'void forms() {'
    block README.md cpp 2 | sed 's/auto pixel/[[maybe_unused]] auto pixel/'
    echo '}'
    echo 'void reliably(tp::tensor<float>& mapped) {'
    block README.md cpp 3 | unused
    echo '}'
  } > "$work/consumer/forms.cpp"
  page tensors.md > "$work/consumer/phrases.cpp"
  page reliability.md > "$work/consumer/reliability.cpp"
  cat >> "$work/consumer/meson.build" << 'MESON'
executable('example', 'example.cpp', 'forms.cpp', dependencies: dependency('tensorplay'))
executable('phrases', 'phrases.cpp', dependencies: dependency('tensorplay'))
executable('reliability', 'reliability.cpp', dependencies: dependency('tensorplay'))
MESON
}

run_documented_programs() {
  for program in example phrases reliability; do
    runs $program
  done
}
