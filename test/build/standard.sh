#!/bin/sh
# The library and importers in C++23 build and run, one of which includes no header; with clang on libc++ where that is there, for it has
# the parts that libstdc++ lacks.
. "$(dirname "$0")/scratch.sh"

cp -r "$source/test/standard" "$work/standard"
cp "$source/test/consumer/main.cpp" "$work/standard/consumer.cpp"
tree "$work/standard/subprojects/tensorplay"

# Builds and runs; the log is that of the program with headers.
works() {
  quiet $meson setup -Dbuildtype=plain "$build" "$work/standard"
  quiet $meson compile -C "$build"
  runs consumer
  runs standard
}

echo '#include <mdspan>' > "$work/probe.cpp"
case $CXX in
  *clang*)
    if $CXX -std=c++23 -stdlib=libc++ -fsyntax-only "$work/probe.cpp" 2> "$log"; then
      CXX="$CXX -stdlib=libc++"
      works
      logged format
      logged mdspan
    else
      works # the libstdc++ of Debian 12 has neither
    fi
    ;;
  *)
    works
    logged format
    logged zip
    ;;
esac
