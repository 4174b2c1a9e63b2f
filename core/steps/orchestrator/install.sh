# Procedure B, step 3: installs executable and unit, and starts nothing. Changes nothing if an orchestrator may be at work here.
target=/usr/local/bin/$executable
unit_file=/usr/local/lib/systemd/system/$service.service
etc_file=/etc/systemd/system/$service.service
stage=$(orchestrator_says mayRun)
if [ -n "$stage" ]; then
  say "an orchestrator is on this host ($stage): its installation is left as it is"
  exit 0
fi
if service_is_active "$service"; then
  say "$service runs here: its installation is left as it is"
  exit 0
fi

assert_own_unit orchestrator.service "$service"
# It would come before that program in everybody's PATH.
other=$(PATH=/usr/sbin:/usr/bin:/sbin:/bin type -P "$executable" || true)
[ -z "$other" ] || fail "$executable is a program of this host itself: no orchestrator is installed under its name (orchestrator.executable)" "found: $other" \
  "needed: another name: $(config_set orchestrator.executable NAME). Then run $(pulumi_up) again."

# assert_starts FILE: fails here rather than in the move, while nobody signs.
assert_starts() {
  local said
  said=$(release_words "$1") || fail "$executable can't start on this host" "found: $(head -n 1 <<< "${said:-it crashes}")" \
    "needed: a program for $(uname -m) and this distribution, on a file system without noexec (findmnt -T ${target%/*})" "What was installed before is untouched. Then run $(pulumi_up) again."
}
install_release() {
  local said
  work=$(mktemp -d /usr/local/bin/.orchestrator.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  fetch_release orchestrator orchestrator.release "$executable" "$work" orchestrator.executable
  assert_starts "$found"
  said=$(release_says "$found")
  [ -n "$said" ] || warn "$executable does not print its version; the move reads it with getBuildInfo"
  [ "${said:-$version}" = "$version" ] || fail "the release is not the version that orchestrator.release.version names" "found: $said in $release_url" "needed: $version" "What was installed before is untouched. Set the right version, then run $(pulumi_up) again."
  sync "$found"
  mv -f "$found" "$target"
  mark orchestrator.release "$release_marker
$actual"
  say "$executable $version installed as $target: sha256 $actual"
}

if [ -z "$release_url" ]; then
  [ -x "$target" ] || fail "the orchestrator is not installed here, and no release is configured" "needed: set pillar-host:orchestrator.release (url, sha256, version), or install $target"
  assert_starts "$target"
elif [ "$(head -n 1 "$state/orchestrator.release" 2> /dev/null)" = "$release_marker" ] && [ -x "$target" ]; then
  assert_starts "$target"
  say "installed before: sha256 $(sed -n 2p "$state/orchestrator.release")"
else
  install_release
fi

# The unit's file must not be in /etc/systemd/system, where the mask goes: the operator's is copied, or one is written.
if unit_lies_at "$etc_file"; then
  # Before the unit is disabled, which removes a link to a unit in another place.
  own=$(readlink -e -- "$etc_file") || fail "$etc_file is a broken link" "found: a link to $(readlink "$etc_file")" "needed: remove the link, or put that file back, then run $(pulumi_up) again."
  mkdir -p "${unit_file%/*}"
  if [ "$own" != "$unit_file" ]; then
    cp -fT "$own" "$unit_file.new"
    sync "$unit_file.new"
    mv -fT "$unit_file.new" "$unit_file"
  fi
  systemctl disable --quiet "$service" 2> /dev/null || true
  say "$own is kept as $unit_file"
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
# An orchestrator works only in a folder of its home, and ends with exit code 0 whenever it loses a node.
# Sorts after override.conf, which `systemctl edit` writes.
install_file "$unit_file.d/zz-pillar-host.conf" "[Service]
Environment=HOME=${directory%/*}
Restart=always
RestartSec=10"
ln -sfn /dev/null "$etc_file"
systemctl daemon-reload
say "$service is installed, masked and not started: the move starts it"
