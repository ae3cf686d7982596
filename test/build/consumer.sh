#!/bin/sh
# A project with tensorplay as its subproject: builds and runs, whatever kind of library it chooses; what the README and the phrase book
# show is what is there; edits of the library rebuild what they must; the project is told to agree on the C++ standard.
#
# One project and one build folder for all of it: to build the library is what takes time.
. "$(dirname "$0")/scratch.sh"
consumer lib modules

compile() { quiet $meson compile -C "$build" "$@"; }

# The consumer with the static library.
add_static_program() {
  cat >> "$work/consumer/meson.build" << 'MESON'
executable(
  'static',
  'main.cpp',
  dependencies: dependency('tensorplay').partial_dependency(compile_args: true, link_args: true, sources: true),
  link_with: subproject('tensorplay').get_variable('tensorplay_lib').get_static_lib(),
)
MESON
}

. "$(dirname "$0")/readme.sh"
. "$(dirname "$0")/rebuild.sh"

add_documented_programs
add_size_program
add_static_program
# plain is the build type of those who make packages: no flag of Meson's own
quiet $meson setup -Dbuildtype=plain -Ddefault_library=both "$build" "$work/consumer"
compile
runs consumer
run_documented_programs

library=$build/subprojects/tensorplay/lib/libtensorplay
[ -e "$library.so" ] && [ -e "$library.a" ] || fail 'default_library=both does not make both libraries'
quiet grep libtensorplay.so "$build/consumer"
refused grep libtensorplay.so "$build/static"
runs static
quiet $meson introspect --targets "$build"
[ "$(grep -o '"type": "executable"' "$log" | wc -l)" = 6 ] || fail 'the subproject builds programs'
quiet $meson introspect --tests --benchmarks "$build"
unlogged '"cmd"'

edit_and_rebuild

quiet $meson configure "$build" -Dcpp_std=c++23
refused $meson compile -C "$build" size
logged 'C\+\+23.*(PCH|AST|precompiled|module) file|language dialect differs'
