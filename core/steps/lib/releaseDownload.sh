# Downloads the release of any program. Variables: $release_url, $sha256.

# fetch_release PROGRAM KEY EXECUTABLE DIRECTORY [NAMED_BY]: downloads the release that the configuration's KEY names, compares
# its hash and unpacks it into DIRECTORY/files. Sets $found to the executable there, $actual and $bytes to the download's hash and
# size, and $elapsed_ms to its duration.
fetch_release() {
  local key=$2 executable=$3 archive=$4/release files=$4/files file why log room began again
  again="What was installed before is untouched. Run $(pulumi_up) again."
  # In memory, so that on a full disk it still says what went wrong.
  log=$(mktemp /dev/shm/pillar-host-wget.XXXXXX)
  began=$(date +%s%N)
  why=$(download "$archive" "$log") || why="found: $why"
  elapsed_ms=$((($(date +%s%N) - began) / 1000000 + 1))
  rm "$log"
  room=$(df -Ph "$4" | awk 'NR == 2 { print "found: " $4 " free on " $6 }')
  [ -z "$why" ] || fail "the $1 could not be downloaded from $release_url ($key.url)" "$why" "$room" "$again"
  bytes=$(stat -c %s "$archive")
  actual=$(sha256sum "$archive" | cut -d' ' -f1)
  assert_hash release "$key.sha256" "$actual" "$bytes"
  why=$(unpack "$archive" "$files" "$executable") || case $? in
    2) fail "$release_url ($key.url) serves no release" "found: $bytes bytes that begin with: $(head -c 60 "$archive" | tr -cd '[:print:]')" \
      "needed: a zip or tar.gz archive for linux, or the program. Open the address in a browser: it is perhaps a page about the release" "$again" ;;
    *) fail "the release from $release_url could not be unpacked" "found: $why" "$room" "$again" ;;
  esac
  # In the official archive the executable's name has the platform at its end.
  case $(uname -m) in aarch64) file=$executable-linux-arm64 ;; *) file=$executable-linux-amd64 ;; esac
  found=$(find "$files" -type f \( -name "$executable" -o -name "$file" \) | sort | head -n 1)
  [ -n "$found" ] || fail "the release holds no $executable" "found: $(cd "$files" && find . -type f | cut -c3- | head -n 10 | tr '\n' ' ')" "needed: $executable or $file${5:+ ($5)}" \
    "What was installed before is untouched. Is it another asset of that release, or another name? $(config_set "$key.url" URL)"
  chmod 755 "$found"
  why=$(never_starts "$found")
  [ -z "$why" ] || fail "the $1 of $release_url can't start on this host" "found: $why" "needed: a release for $(uname -m) and this distribution ($key.url), or what it lacks. $again"
}

# never_starts FILE: prints why the kernel or the loader would not start a program, without starting it.
never_starts() {
  if [[ $(head -c 4 "$1" | tr -d '\0') != *ELF ]]; then return 0; fi
  if [ "$(od -An -tx1 -j 18 -N 2 "$1" 2>&1)" != "$(od -An -tx1 -j 18 -N 2 "$BASH")" ]; then say "a program for another processor" && return; fi
  ldd "$1" 2>&1 | sed -n '/not found/s/^[[:space:]]*//p' | head -n 3 || true
}

# release_says FILE: prints the version that the program itself tells; nothing if it tells none.
release_says() { release_words "$1" | grep -oE 'v[0-9]+\.[0-9]+\.[0-9]+[a-z]?' | head -n 1 || true; }

# Prints the program's answer to `version`; false if the program was not started, or crashed. A build without that command would
# start to work: no network, ten seconds.
release_words() {
  local home code=0
  home=$(mktemp -d)
  (cd "$home" && unshare -n timeout 10 env -i HOME="$home" PATH="$PATH" "$1" version < /dev/null 2>&1) || code=$?
  rm -rf "$home"
  [ "$code" -lt 126 ]
}
