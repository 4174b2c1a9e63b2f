# Procedure A, step 8: downloads and checks the controller's archive, installs its files over older ones, removes the archive.
install_go
target=$controller_dir/$controller_name
# Remove what an earlier run left at a power cut. Only one run works at a time.
rm -rf "$controller_dir/.$controller_name".??????
if [ "$(head -n 1 "$state/controller" 2> /dev/null)" = "$release_marker" ] && [ -x "$target" ]; then
  say "installed before: sha256 $(sed -n 2p "$state/controller")"
  exit 0
fi

mkdir -p "$controller_dir"
# Beside the target, so that one rename puts it in place; until then the former release works.
work=$(mktemp -d "$controller_dir/.$controller_name.XXXXXX")
# In memory, so that on a full disk the notes still say what went wrong.
notes=$(mktemp -d /run/pillar-host/controller-notes.XXXXXX)
trap 'rm -rf "$work" "$notes"' EXIT
archive=$work/archive.zip
full() { df -Ph "$controller_dir" | awk 'NR == 2 { print "found: " $4 " free on " $6 }'; }

started=$(date +%s%N)
if ! why=$(download "$archive" "$notes/wget.log"); then
  fail "the controller could not be downloaded from $release_url (controller.release.url)" "found: $why" "$(full)" "What was installed before is untouched. Run $(pulumi_up) again."
fi
elapsed_ms=$((($(date +%s%N) - started) / 1000000 + 1))
bytes=$(stat -c %s "$archive")
actual=$(sha256sum "$archive" | cut -d' ' -f1)

if [ "$(head -c 2 "$archive")" != PK ]; then
  fail "$release_url (controller.release.url) did not serve a zip archive" \
    "found: $bytes bytes that begin with: $(head -c 60 "$archive" | tr -cd '[:print:]')" "needed: the controller's release archive for linux x86_64" \
    "Open the address in a browser: it is perhaps a page about the archive, not the archive."
fi
assert_hash archive controller.release.sha256 "$actual" "$bytes"
unzip -tqq "$archive" > "$notes/unzip.log" 2>&1 ||
  fail "the archive from $release_url is damaged" "found: $(head -n 1 "$notes/unzip.log")" "$bytes bytes, sha256 $actual" "What was installed before is untouched. Run $(pulumi_up) again."
mkdir "$work/files"
unzip -oqq "$archive" -d "$work/files" > "$notes/unzip.log" 2>&1 ||
  fail "the archive could not be extracted" "found: $(head -n 1 "$notes/unzip.log")" "$(full)" "What was installed before is untouched."
[ -f "$work/files/$controller_name" ] ||
  fail "the archive holds no $controller_name" "found: $(cd "$work/files" && find . -type f | cut -c3- | head -n 10 | tr '\n' ' ')" "needed: $controller_name (controller.executable)"
chmod 755 "$work/files/$controller_name"
sync -f "$work"

# The executable comes last: an interrupted installation has the old one with a newer library, never the reverse.
(cd "$work/files" && find . -type d ! -name . -exec mkdir -p "$controller_dir/{}" \;)
(cd "$work/files" && find . -type f ! -path "./$controller_name" -exec mv -f {} "$controller_dir/{}" \;)
mv -f "$work/files/$controller_name" "$target"
[ -x "$target" ] || fail "$target is not there after its installation"
mark controller "$release_marker
$actual"

say "$controller_name${version:+ $version} installed in $controller_dir: $bytes bytes, sha256 $actual"
# A small archive does not show the line's speed.
if [ "$bytes" -ge 1000000 ]; then
  mbps=$((bytes * 8 / elapsed_ms / 1000))
  if [ "$mbps" -le "$minimum_mbps" ]; then
    warn "bandwidth: the download ran at $mbps Mbps, and more than $minimum_mbps are needed (host.minimums.bandwidthMbps)"
  else
    say "bandwidth: the download ran at $mbps Mbps"
  fi
fi
