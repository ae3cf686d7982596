#!/bin/sh
# Where the system has no Boost headers, the archive of boost-headers.wrap and its overlay stand in; every wrap says what to fetch.
. "$(dirname "$0")/scratch.sh"

tree "$work/source"
wraps=$work/source/subprojects
rm "$wraps"
mkdir -p "$wraps/packagecache"
cp -r "$source"/subprojects/*.wrap "$source/subprojects/packagefiles" "$wraps"
for wrap in "$wraps"/*.wrap; do
  for line in 'directory = [^/]+' 'source_url = https://.+' 'source_filename = [^/]+' 'source_hash = [0-9a-f]{64}'; do
    grep -Eqx "$line" "$wrap" || fail "no '$line' in $wrap"
  done
done

# The real archive is large and far away. This one has its name, its layout, this system's headers as far as lib/ needs them,
# and no compression, which Python's tarfile does not mind.
includes=$(grep -rh '^#include <boost/' "$source/lib")
headers=$(echo "$includes" | $CXX -std=c++20 -M -x c++ - 2> "$log" | tr ' ' '\n' | grep '/boost/') || exit 77
root=$(echo "$headers" | sed -n 's|/boost/version\.hpp$||p')
wrap=$wraps/boost-headers.wrap
directory=$work/$(sed -n 's/^directory = //p' "$wrap")
archive=$wraps/packagecache/$(sed -n 's/^source_filename = //p' "$wrap")
mkdir "$directory"
(cd "$root" && tar -cf - $(echo "$headers" | sed "s|^$root/||")) | tar -C "$directory" -xf -
tar -C "$work" -cf "$archive" "${directory##*/}"
hash=$(sha256sum "$archive")
sed -i "s/^source_hash = .*/source_hash = ${hash%% *}/" "$wrap"

# The system's include folders without its Boost.
folders=$($CXX -E -v -x c++ /dev/null 2>&1 | sed -n '/^#include </,/^End/s/^ //p')
CXX="$CXX -nostdinc"
for folder in $folders; do
  if [ -e "$folder/boost" ]; then
    mkdir -p "$work/$folder"
    ln -s "$folder"/* "$work/$folder"
    rm "$work/$folder/boost"
    folder=$work/$folder
  fi
  CXX="$CXX -isystem$folder"
done

quiet env BOOST_ROOT="$work" $meson setup --wrap-mode=nodownload -Dtests=disabled -Dexamples=disabled -Dbenchmarks=disabled \
  "$build" "$work/source"
logged 'boost-headers found: YES'

# The flag that the library's units got finds every header.
flag=$(grep -o -- "-isystem[^ ]*/${directory##*/}" "$build/compile_commands.json" | sort -u)
(cd "$build" && echo "$includes" | quiet $CXX -std=c++20 $flag -fsyntax-only -x c++ -)
