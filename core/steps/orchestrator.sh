# Procedure B, step 3: the orchestrator, its executable and its unit, installed and not started. Where a journal or a
# running unit says that a signer may be here, nothing is touched.
target=/usr/local/bin/$executable
unit_file=/usr/local/lib/systemd/system/$service.service
etc_file=/etc/systemd/system/$service.service
stage=$(sed -n 's/^  "stage": "\(.*\)",$/\1/p' "$state/orchestrator.json" 2> /dev/null || true)
case $stage in
  starting | running | stopping | restoring | restored)
    say "a signer is here ($stage): its installation is left as it is"
    exit 0
    ;;
esac
if service_is_active "$service"; then
  say "$service runs here: its installation is left as it is"
  exit 0
fi

install_release() {
  local archive actual file found why
  # It runs as root and holds the bridge's key share: what a server happens to serve is not taken for it.
  [ -n "$sha256" ] || fail "the orchestrator's release has no hash to know it by (orchestrator.release.sha256)" "found: $release_url alone" "needed: its sha256: it runs as root and holds the bridge's key share" \
    "See it with: curl -fsSL $(printf %q "$release_url") | sha256sum; compare it with the one on the release's page, then: $(config_set orchestrator.release.sha256 SHA256)" "What was installed before is untouched. Then run $(pulumi_up) again."
  work=$(mktemp -d /usr/local/bin/.orchestrator.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  archive=$work/release
  if ! why=$(download "$archive" "$work/wget.log"); then
    fail "the orchestrator could not be downloaded from $release_url (orchestrator.release.url)" "found: $why" "What was installed before is untouched. Run $(pulumi_up) again."
  fi
  actual=$(sha256sum "$archive" | cut -d' ' -f1)
  assert_hash release orchestrator.release.sha256 "$actual" "$(stat -c %s "$archive")"
  mkdir "$work/files"
  case $(head -c 4 "$archive" | od -An -tx1 | tr -d ' \n') in
    504b*) unzip -oqq "$archive" -d "$work/files" > "$work/unpack.log" 2>&1 || fail "the release from $release_url is damaged" "found: $(head -n 1 "$work/unpack.log")" "Run $(pulumi_up) again." ;;
    1f8b*) tar -xzf "$archive" -C "$work/files" 2> "$work/unpack.log" || fail "the release from $release_url is damaged" "found: $(head -n 1 "$work/unpack.log")" "Run $(pulumi_up) again." ;;
    *) mv "$archive" "$work/files/$executable" ;;
  esac
  # The official archive has it under the name of its platform.
  case $(uname -m) in aarch64) file=$executable-linux-arm64 ;; *) file=$executable-linux-amd64 ;; esac
  found=$(find "$work/files" -type f -name "$executable" | head -n 1)
  [ -n "$found" ] || found=$(find "$work/files" -type f -name "$file" | head -n 1)
  [ -n "$found" ] || fail "the release holds no $executable" "found: $(cd "$work/files" && find . -type f | cut -c3- | head -n 10 | tr '\n' ' ')" "needed: $executable or $file (orchestrator.executable)" \
    "What was installed before is untouched. Is it another asset of that release, or another name? $(config_set orchestrator.release.url URL)"
  chmod 755 "$found"
  assert_version "$found"
  sync "$found"
  mv -f "$found" "$target"
  mark orchestrator.release "$release_marker
$actual"
  say "$executable $version installed as $target: sha256 $actual"
}

# A build that has no such word would begin to work: so it has no network, no home and little time.
assert_version() {
  local home said
  home=$(mktemp -d)
  said=$(cd "$home" && unshare -n timeout 10 env -i HOME="$home" PATH="$PATH" "$1" version < /dev/null 2>&1 | grep -oE 'v[0-9]+\.[0-9]+\.[0-9]+[a-z]?' | head -n 1 || true)
  rm -rf "$home"
  if [ -z "$said" ]; then
    warn "$executable does not tell its version by itself; getBuildInfo will"
  elif [ "$said" != "$version" ]; then
    fail "the release is not the version that orchestrator.release.version names" "found: $said in $release_url" "needed: $version" "What was installed before is untouched. Set the right one, then run $(pulumi_up) again."
  fi
}

if [ -z "$release_url" ]; then
  [ -x "$target" ] || fail "the orchestrator is not installed here, and no release is configured" "needed: pillar-host:orchestrator.release (url, sha256, version), or $target"
elif [ "$(head -n 1 "$state/orchestrator.release" 2> /dev/null)" = "$release_marker" ] && [ -x "$target" ]; then
  say "installed before: sha256 $(sed -n 2p "$state/orchestrator.release")"
else
  install_release
fi

# A unit that is enabled from another place: the link to it is kept before disabling takes it away.
keep_linked_unit() {
  local linked
  [ -e "$etc_file" ] || fail "$etc_file leads nowhere" "found: a link to $(readlink "$etc_file")" "needed: a unit's file, or nothing there" \
    "Remove it, or put that file back, then run $(pulumi_up) again."
  linked=$(readlink -f -- "$etc_file")
  if [ "$linked" = "$unit_file" ]; then return 0; fi
  ln -sfnT "$linked" "$unit_file"
  say "$etc_file is kept as $unit_file: a link to $linked"
}

# Not in /etc, where the mask goes. One that the operator set up is taken over.
if unit_lies_at "$etc_file"; then
  mkdir -p "${unit_file%/*}"
  if [ -L "$etc_file" ]; then keep_linked_unit; fi
  systemctl disable --quiet "$service" 2> /dev/null || true
  if [ -e "$etc_file" ] && ! [ -L "$etc_file" ]; then
    mv -fT "$etc_file" "$unit_file"
    say "$etc_file is kept as $unit_file"
  fi
elif [ ! -e "$unit_file" ]; then
  install_file "$unit_file" "[Unit]
Description=orchestrator, a signer of the bridge
After=network-online.target
Wants=network-online.target

[Service]
User=root
Type=simple
ExecStart=$target

[Install]
WantedBy=multi-user.target"
fi
# For the operator's own, too: it works in a folder of its home and nowhere else, and it ends by itself, with exit code 0,
# whenever it loses a node.
install_file "$unit_file.d/90-pillar-host.conf" "[Service]
Environment=HOME=${directory%/*}
Restart=always
RestartSec=10"
ln -sfn /dev/null "$etc_file"
systemctl daemon-reload
say "$service is installed, masked and not started: it starts when the signer is here"
