# Downloads the executable of any program's release. Variables: $release_url, $sha256.

# fetch_release PROGRAM KEY EXECUTABLE DIRECTORY [NAMED_BY]: downloads the release that the configuration's KEY names, compares
# its hash and unpacks it into DIRECTORY. Sets $found to the executable there, and $actual to the download's hash.
fetch_release() {
  local key=$2 executable=$3 archive=$4/release files=$4/files file why again="What was installed before is untouched. Run $(pulumi_up) again."
  if ! why=$(download "$archive" "$4/wget.log"); then
    fail "the $1 could not be downloaded from $release_url ($key.url)" "found: $why" "$again"
  fi
  actual=$(sha256sum "$archive" | cut -d' ' -f1)
  assert_hash release "$key.sha256" "$actual" "$(stat -c %s "$archive")"
  mkdir "$files"
  case $(head -c 4 "$archive" | od -An -tx1 | tr -d ' \n') in
    504b*) unzip -oqq "$archive" -d "$files" ;;
    1f8b*) tar -xzf "$archive" -C "$files" ;;
    *) mv "$archive" "$files/$executable" ;;
  esac > "$4/unpack.log" 2>&1 || fail "the release from $release_url is damaged" "found: $(head -n 1 "$4/unpack.log")" "Run $(pulumi_up) again."
  # In the official archive the executable's name has the platform at its end.
  case $(uname -m) in aarch64) file=$executable-linux-arm64 ;; *) file=$executable-linux-amd64 ;; esac
  found=$(find "$files" -type f \( -name "$executable" -o -name "$file" \) | sort | head -n 1)
  [ -n "$found" ] || fail "the release holds no $executable" "found: $(cd "$files" && find . -type f | cut -c3- | head -n 10 | tr '\n' ' ')" "needed: $executable or $file${5:+ ($5)}" \
    "What was installed before is untouched. Is it another asset of that release, or another name? $(config_set "$key.url" URL)"
  chmod 755 "$found"
}

# release_says FILE: prints the version that the program itself tells; nothing if it tells none.
release_says() { release_words "$1" | grep -oE 'v[0-9]+\.[0-9]+\.[0-9]+[a-z]?' | head -n 1 || true; }

# Prints the program's answer to `version`. A build without that command would start to work, so it gets no network, an empty
# home and ten seconds.
release_words() {
  local home
  home=$(mktemp -d)
  (cd "$home" && unshare -n timeout 10 env -i HOME="$home" PATH="$PATH" "$1" version < /dev/null 2>&1) || true
  rm -rf "$home"
}
