# On the old host: a snapshot of the running node's databases between two momentums. Tables, which never change, are linked; the
# other files are copied. No database may open the links, which are the node's own files: they are only read as bytes.
chain_snapshot_place() { say "$data_dir/.pillar-host-snapshot"; }

# chain_snapshot: links $quiet_seconds after a momentum; $momentum_seconds is the time between two. Prints lines of word and value.
chain_snapshot() {
  local place tries code database height said=
  chain_owned
  place=$(chain_snapshot_place)
  chain_directory_away "$place"
  chain_own_directory "$place"
  chain_watch_lease
  for tries in 1 2 3 4 5 6 7 8; do
    chain_await_momentum
    height=$(chain_height)
    code=0
    for database in $chain_databases; do
      rm -rf "${place:?}/$database"
      [ -d "$data_dir/$database" ] || continue
      mkdir "$place/$database"
      said=$(chain_link "$data_dir/$database" "$place/$database" 2>&1) || code=$?
      case $code in
        0) ;;
        3) break ;;
        *) fail "the databases of the node in $data_dir could not be linked; nothing of the node was changed" \
          "found: ${said:-the linking ended with $code}; $(chain_room_in "$place")" \
          "needed: free some MB, and an inode for a link to each table, then run $(pulumi_up) again." ;;
      esac
    done
    # A momentum that came meanwhile may be in the snapshot in parts, so try again.
    if [ "$code" -eq 0 ] && [ "$(chain_height)" = "$height" ]; then
      find "$place" -type f -links 1 -print0 | xargs -0 -r sync --
      say "height $height"
      say "files $(cd -- "$place" && chain_find x | wc -c)"
      say "bytes $(chain_bytes "$place")"
      say "end"
      return 0
    fi
  done
  fail "the node wrote to its databases during each attempt to link them" "found: momentums or compactions in each of $tries tries" \
    "needed: wait until this host is less busy, then run $(pulumi_up) again."
}

# chain_link FROM TO: links one database; fails with 3 if it changed meanwhile: the manifest changes with each new table and each
# journal that ends.
chain_link() {
  perl -e '
    use strict;
    my ($from, $to) = @ARGV;
    sub names { my ($form) = @_; opendir my $all, $from or die "$from: $!\n"; return sort grep { /$form/ } readdir $all }
    sub bytes {
      open my $in, "<:raw", "$from/$_[0]" or do { exit 3 if $!{ENOENT}; die "$from/$_[0]: $!\n" };
      local $/;
      my $text = <$in>;
      return defined $text ? $text : "";
    }
    sub tables {
      for my $name (names(qr/^[0-9]+\.(ldb|sst)$/)) {
        next if link "$from/$name", "$to/$name" or $!{EEXIST} or $!{ENOENT};
        die "$to/$name: $!\n";
      }
    }
    tables();
    my $current = bytes("CURRENT");
    my ($manifest) = $current =~ /^(MANIFEST-[0-9]+)\n$/ or die "$from/CURRENT names no manifest\n";
    my %copied = (CURRENT => $current, $manifest => bytes($manifest));
    tables();
    my @journals = names(qr/^[0-9]+\.log$/);
    $copied{$_} = bytes($_) for @journals;
    exit 3 if bytes("CURRENT") ne $current or -s "$from/$manifest" != length $copied{$manifest};
    exit 3 if "@journals" ne join " ", names(qr/^[0-9]+\.log$/);
    for my $name (sort keys %copied) {
      open my $out, ">:raw", "$to/$name" or die "$to/$name: $!\n";
      print $out $copied{$name} or die "$to/$name: $!\n";
      close $out or die "$to/$name: $!\n";
    }' "$1" "$2"
}

chain_height() { rpc ledger.getFrontierMomentum | grep -oE '"height": *[0-9]+' | head -n 1 | grep -oE '[0-9]+$' || true; }
chain_await_momentum() {
  local before now ends
  before=$(chain_height)
  ends=$((SECONDS + ${momentum_seconds%.*} * 6 + 60))
  while now=$(chain_height); [ -z "$now" ] || [ "$now" = "$before" ]; do
    [ "$SECONDS" -lt "$ends" ] || fail "the node of this host receives no momentum" "found: height ${now:-unknown}" \
      "needed: wait until the node is synced. See: journalctl -u $service -n 20"
    sleep 0.2
  done
  sleep "$quiet_seconds"
}

# Prints the free space, and renews the lease.
chain_old_now() {
  chain_owned
  [ -d "$(chain_snapshot_place)" ] || fail "the snapshot on this host is gone" "needed: make $(chain_snapshot_place) again: $(pulumi_up)"
  systemctl is-active --quiet "$chain_end_unit" 2> /dev/null || chain_watch_lease
  say "free $(df -B1 --output=avail -- "$(chain_snapshot_place)" | tail -n 1 | tr -d ' ')"
}

# Removes the copy from this host.
chain_clean_old() {
  chain_directory_away "$(chain_snapshot_place)"
  copy_take_back
  rm -f "$chain_lock" "$state"/{,.}chain-copy.end* "$state/chain-copy.flock"
  rmdir "$state" 2> /dev/null || true
  rm -f "/etc/systemd/system/$chain_end_unit" "/etc/systemd/system/multi-user.target.wants/$chain_end_unit"
  systemctl daemon-reload 2> /dev/null || true
}
chain_end_old() {
  chain_owned
  chain_clean_old
}

chain_end_unit=pillar-host-chain-copy-end.service
# True while the time of the lease lasts, also without its session: the run of a lost connection comes back.
chain_has_contact() {
  local owner session holder left
  lease_lives chain-copy "$chain_lease_seconds" nobody
}
# Starts a service that removes the copy from this host once no run renews the lease any more, also after a reboot.
chain_watch_lease() {
  # The script ends if its run has removed the lease, and does nothing if a new run has renewed it. It looks twice: a clock that
  # jumps ends the lease until the run's next call.
  write_script "$state/chain-copy.end" \
    "state data_dir copy_dir copy_mark login_user stack_identity stack_word host_name chain_databases chain_lock chain_marker chain_lease_seconds chain_end_unit" \
    "say fail is_there replace_file pulumi_up lease_enter lease_lives chain_has_contact chain_expect_own chain_directory_away chain_snapshot_place chain_clean_old copy_take_back authorize authorize_in" \
    'while [ -e "$chain_lock" ] && { chain_has_contact || { sleep 20; chain_has_contact; }; }; do sleep 5; done
[ -e "$chain_lock" ] || exit 0
lease_enter chain-copy 3600
if [ -e "$chain_lock" ] && ! chain_has_contact; then chain_clean_old; fi'
  { (install_file "/etc/systemd/system/$chain_end_unit" "[Unit]
Description=pillar-host: the end of a chain copy whose run is gone
ConditionPathExists=$state/chain-copy.end
RequiresMountsFor=$data_dir
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/bash $state/chain-copy.end
Restart=on-failure
RestartSec=60
[Install]
WantedBy=multi-user.target") && systemctl daemon-reload && systemctl enable --quiet "$chain_end_unit" && systemctl start "$chain_end_unit"; } 2> /dev/null ||
    warn "systemd does not start $chain_end_unit: the snapshot of a killed run stays until the next run"
}
