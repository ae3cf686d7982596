#!/bin/sh
# A project with tensorplay as its subproject builds and runs, whatever kind of library it chooses; it is told to agree on the C++ standard.
. "$(dirname "$0")/scratch.sh"
consumer

works() {
  quiet $meson compile -C "$build"
  (cd "$build" && quiet ./consumer)
}
library=$build/subprojects/tensorplay/lib/libtensorplay

quiet $meson setup -Ddefault_library=both "$build" "$work/consumer"
works
[ -e "$library.so" ] && [ -e "$library.a" ] || fail 'default_library=both does not make both libraries'
quiet $meson introspect --targets "$build"
[ "$(grep -o '"type": "executable"' "$log" | wc -l)" = 1 ] || fail 'the subproject builds programs'
quiet $meson introspect --tests --benchmarks "$build"
unlogged '"cmd"'

quiet $meson configure "$build" -Dtensorplay:default_library=shared
works
quiet grep libtensorplay.so "$build/consumer"

quiet $meson configure "$build" -Dcpp_std=c++23
refused $meson compile -C "$build"
logged 'C\+\+23.*(PCH|AST|precompiled|module) file|language dialect differs'

quiet $meson configure "$build" -Dtensorplay:cpp_std=c++23 -Dtensorplay:default_library=static
works
refused grep libtensorplay.so "$build/consumer"
