#!/bin/sh
# Set-up with a compiler that is too old, or another one, stops with one sentence that says what is wanted and what was found.
. "$(dirname "$0")/scratch.sh"

refuses() {
  refused env CXX="$1" $meson setup "$build" "$source"
  logged "ERROR: .*tensorplay needs clang\+\+ 19 or newer or g\+\+ 14 or newer, found $2\."
  [ "$(grep -c ERROR "$log")" = 1 ] || fail 'more than one error'
}

# pretender FIRST_LINES [GCC_MAJOR]: the compiler under test, under another name.
pretender() {
  cat > "$work/pretender" << SCRIPT
#!/bin/sh
case "\$*" in
  --version) echo '$1' ;;
  *-dM*) printf '#define __GNUC__ %s\n#define __GNUC_MINOR__ 2\n#define __GNUC_PATCHLEVEL__ 0\n' ${2:-4} ;;
  *) exec $CXX "\$@" ;;
esac
SCRIPT
  chmod +x "$work/pretender"
}

pretender 'g++ 12.2.0 Copyright (C) 2022 Free Software Foundation, Inc.' 12
refuses "$work/pretender" 'gcc 12\.2\.0'
pretender 'clang version 18.1.8'
refuses "$work/pretender" 'clang 18\.1\.8'
pretender 'Intel(R) oneAPI DPC++/C++ Compiler 2025.0.0'
refuses "$work/pretender" 'intel-llvm 2025\.0\.0'

# The real thing where there is one, as on Debian 12.
version=$(g++ -dumpfullversion 2> "$log" || echo 14)
if [ "${version%%.*}" -lt 14 ]; then
  refuses g++ "gcc $version"
fi
