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

  # A primary unit: its time alone, then its text.
  touch "$tensorplay/modules/functional/functional.cppm"
  compile size
  logged 'Compiling.*size\.cpp'
  settled size
  echo 'namespace tensorplay { struct edited; }' >> "$tensorplay/modules/functional/functional.cppm"
  compile size
  logged 'Compiling.*size\.cpp'
  settled size

  # From here on a static library: what follows builds all of it anyway.
  quiet $meson configure "$build" -Dtensorplay:default_library=static

  # Two partitions, far below the importers and close to them, get another layout; importers and library agree on it.
  sed -i '/^class storage {/a\  double edited_ = 0;' "$tensorplay/modules/storage/handle.cppm"
  sed -i '/^struct from_file_options {/a\  double edited = 0;' "$tensorplay/modules/functional/options.cppm"
  compile consumer size
  logged 'Compiling.*main\.cpp'
  settled consumer size
  works
  after=$(size)
  [ "$after" = $((before + 16)) ] || fail "two doubles more, and the importer sees $before bytes before and $after after"

  # An implementation unit.
  echo 'namespace tensorplay { struct edited; }' >> "$tensorplay/lib/functional/from_file.cpp"
  compile consumer size
  logged 'Compiling.*from_file\.cpp'
  unlogged 'Compiling.*(main|size)\.cpp'
  settled consumer size
  works
}
