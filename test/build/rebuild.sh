# Sourced by consumer.sh: editing an interface recompiles its importers, editing an implementation does not, and the build after either
# has nothing to do.

# A second importer, which needs no library: it tells the sizes of two exported classes.
add_size_program() {
  cat > "$work/consumer/size.cpp" << 'CPP'
import tensorplay.functional;
int main() { return sizeof(tensorplay::storage) + sizeof(tensorplay::from_file_options); }
CPP
  cat >> "$work/consumer/meson.build" << 'MESON'
interface = dependency('tensorplay').partial_dependency(compile_args: true, sources: true)
executable('size', 'size.cpp', dependencies: interface)
MESON
}
size() { if "$build/size"; then echo 0; else echo $?; fi; }

settled() {
  compile "$@"
  logged 'no work to do'
}

edit_and_rebuild() {
  tensorplay=$work/consumer/subprojects/tensorplay
  settled
  before=$(size)

  # An implementation unit.
  echo 'namespace tensorplay { struct edited; }' >> "$tensorplay/lib/functional/from_file.cpp"
  compile consumer size
  logged 'Compiling.*from_file\.cpp'
  unlogged 'Compiling.*(main|size)\.cpp'
  settled consumer size
  runs consumer

  # A primary unit: its time alone, then its text.
  touch "$tensorplay/modules/functional/functional.cppm"
  compile size
  logged 'Compiling.*size\.cpp'
  settled size
  echo 'namespace tensorplay { struct edited; }' >> "$tensorplay/modules/functional/functional.cppm"
  compile size
  logged 'Compiling.*size\.cpp'
  settled size

  # Two partitions, far below the importers and close to them, get another layout: every importer sees it.
  sed -i '/^class storage {/a\  double edited_ = 0;' "$tensorplay/modules/storage/handle.cppm"
  sed -i '/^struct from_file_options {/a\  double edited = 0;' "$tensorplay/modules/functional/options.cppm"
  compile size
  settled size
  after=$(size)
  [ "$after" = $((before + 16)) ] || fail "two doubles more, and the importer sees $before bytes before and $after after"

  # What another build would compile: the consumer and all of the library.
  compile --ninja-args=-n consumer
  logged 'Compiling.*consumer.*main\.cpp'
  wanted=$(find "$tensorplay/lib" -name '*.cpp' | wc -l)
  found=$(grep -c 'Compiling.*tensorplay/lib/' "$log")
  [ "$found" = "$wanted" ] || fail "$wanted units of the library import what was edited, $found would be compiled"
}
