#!/bin/sh
# A project with tensorplay as its subproject: builds and runs, whatever kind of library it chooses; what the README and the phrase book
# show is what is there; edits of the library rebuild what they must; the project is told to agree on the C++ standard.
#
# One project and one build folder for all of it: to build the library is what takes time. So with g++ it is in C++23, which with clang++
# has a library of its own, and a project, standard.sh.
. "$(dirname "$0")/scratch.sh"
consumer lib modules

compile() { quiet $meson compile -C "$build" "$@"; }
works() { (cd "$build" && quiet ./consumer); }

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

# The program of test/standard.
add_standard_program() {
  cp "$source/test/standard/main.cpp" "$work/consumer/standard.cpp"
  echo "executable('standard', 'standard.cpp', dependencies: dependency('tensorplay'))" >> "$work/consumer/meson.build"
}
run_standard_program() {
  (cd "$build" && quiet ./standard)
  logged format
  logged zip
}

case $CXX in
  *clang*) standard=c++20 other=c++23 ;;
  *) standard=c++23 other=c++20 ;;
esac

. "$(dirname "$0")/readme.sh"
. "$(dirname "$0")/rebuild.sh"

add_documented_programs
add_size_program
add_static_program
[ $standard = c++20 ] || add_standard_program
# plain is the build type of those who make packages: no flag of Meson's own
quiet $meson setup -Dbuildtype=plain -Ddefault_library=both -Dcpp_std=$standard -Dtensorplay:cpp_std=$standard "$build" "$work/consumer"
compile
works
run_documented_programs
[ $standard = c++20 ] || run_standard_program

library=$build/subprojects/tensorplay/lib/libtensorplay
[ -e "$library.so" ] && [ -e "$library.a" ] || fail 'default_library=both does not make both libraries'
quiet grep libtensorplay.so "$build/consumer"
refused grep libtensorplay.so "$build/static"
(cd "$build" && quiet ./static)
quiet $meson introspect --targets "$build"
[ "$(grep -o '"type": "executable"' "$log" | wc -l)" = "$(grep -c '^executable' "$work/consumer/meson.build")" ] || fail 'the subproject builds programs'
quiet $meson introspect --tests --benchmarks "$build"
unlogged '"cmd"'

edit_and_rebuild

quiet $meson configure "$build" -Dcpp_std=$other
refused $meson compile -C "$build" size
logged 'C\+\+23.*(PCH|AST|precompiled|module) file|language dialect differs'
