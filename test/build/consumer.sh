#!/bin/sh
# A project with tensorplay as its subproject: builds and runs, whatever kind of library it chooses; what the README and the phrase book
# show is what is there; edits of the library rebuild what they must; the project is told to agree on the C++ standard.
#
# One project and one build folder for all of it: to build the library is what takes time.
. "$(dirname "$0")/scratch.sh"
consumer lib modules

compile() { quiet $meson compile -C "$build" "$@"; }
works() { (cd "$build" && quiet ./consumer); }

. "$(dirname "$0")/readme.sh"
. "$(dirname "$0")/rebuild.sh"

add_documented_programs
add_size_program
# plain is the build type of those who make packages: no flag of Meson's own
quiet $meson setup -Dbuildtype=plain -Ddefault_library=both "$build" "$work/consumer"
compile
works
run_documented_programs

library=$build/subprojects/tensorplay/lib/libtensorplay
[ -e "$library.so" ] && [ -e "$library.a" ] || fail 'default_library=both does not make both libraries'
quiet grep libtensorplay.so "$build/consumer"
quiet $meson introspect --targets "$build"
[ "$(grep -o '"type": "executable"' "$log" | wc -l)" = 5 ] || fail 'the subproject builds programs'
quiet $meson introspect --tests --benchmarks "$build"
unlogged '"cmd"'

edit_and_rebuild # ends with a static library
refused grep libtensorplay.so "$build/consumer"

quiet $meson configure "$build" -Dcpp_std=c++23
refused $meson compile -C "$build" consumer
logged 'C\+\+23.*(PCH|AST|precompiled|module) file|language dialect differs'
