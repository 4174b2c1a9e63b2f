# Copies between the hosts: the new host connects, sends the list of its tables, and gets the others.
chain_arriving() { say "$data_dir/.pillar-host-arriving"; }

# On the old host: sends the tables that the new host lacks by name and size, and always the other files. All are hashed later.
chain_send() {
  chain_gently
  make_work
  copy_take > "$work/theirs"
  cd -- "$(chain_snapshot_place)"
  chain_find '%s\t%p\0' | sort -z > "$work/ours"
  { grep -zE '\.(ldb|sst)$' "$work/theirs" || true; } | sort -z | comm -z -13 - "$work/ours" | sed -z 's/^[0-9]*\t//' > "$work/list"
  copy_pack "$work/list" . --blocking-factor=128
}
chain_allow() {
  chain_owned
  copy_side=chain_send
  copy_allow "host_name state data_dir chain_databases runs_dir" "say fail has make_work copy_await copy_take copy_pack chain_gently chain_find chain_snapshot_place chain_send"
}

# On the new host.
chain_key() {
  chain_owned
  chain_own_directory "$(chain_arriving)"
  copy_key
}
chain_receive() {
  local arriving
  arriving=$(chain_arriving)
  cd -- "$arriving"
  chain_find '%s\t%p\0' | sort -z > "$exchange/have"
  copy_frame "$exchange/have"
  copy_await
  # Limits what comes, with the bytes of earlier connections: a tenth more, because tar adds up to 3 KB to each file.
  copy_bounded $((total_bytes + total_bytes / 10 + 64000000 - $(chain_bytes "$arriving"))) "no more than the old host announced, $(chain_size "$total_bytes"): look at the databases of its node" |
    if [ "$limit_mbps" = 0 ]; then chain_unpack; else chain_slowly | chain_unpack; fi
}
chain_unpack() { tar --extract --blocking-factor=128 --no-same-owner --no-same-permissions --delay-directory-restore -C "$(chain_arriving)"; }
# Limits the rate to $limit_mbps.
chain_slowly() {
  perl -e '
    my ($rate, $began, $sent) = ($ARGV[0] * 125000, time, 0);
    binmode STDIN; binmode STDOUT; $| = 1;
    while (my $count = sysread STDIN, my $piece, 65536) {
      select undef, undef, undef, 0.05 while $sent > $rate * (time - $began + 1);
      print $piece or exit 1;
      $sent += $count;
    }' "$limit_mbps"
}
chain_copy() {
  copy_side=chain_receive
  chain_owned
  chain_only_files
  copy_exchange chain_so_far
  chain_only_files
  chain_so_far
  # Exit code 28 tells the caller not to try again.
  if [[ $copy_said == *"No space left"* ]]; then
    (fail "this host has no room for the rest of the copy" "found: $(grep -m 1 "No space left" <<< "$copy_said"); $(chain_room_in "$data_dir")" \
      "needed: make room for $(chain_size "$total_bytes") in all, beside the node's own databases, then run $(pulumi_up) again.") || exit 28
  fi
  (copy_expect_done "$data_dir") || exit "${copy_full:-1}"
}
# Prints the bytes that have arrived.
chain_so_far() { say "bytes $(chain_bytes "$(chain_arriving)")"; }
# Removes all but files in their places, because the sending host may be hostile.
chain_only_files() {
  local arriving
  arriving=$(chain_arriving)
  find "$arriving" -mindepth 1 ! -type f ! -type d -delete
  find "$arriving" -mindepth 1 -maxdepth 1 $(printf '! -name %s ' $chain_databases) ! -name "$chain_marker" -exec rm -rf {} +
  find "$arriving" -mindepth 2 -type d -prune -exec rm -rf {} +
}

# Removes files that the old host does not have, or has with other bytes.
chain_remove() {
  chain_owned
  copy_retake "$(chain_arriving)" "^(${chain_databases// /|})/[A-Za-z0-9._-]+\$"
}
