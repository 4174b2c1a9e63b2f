# The owner of a copy of a node's databases from the old host to the new one. Variables of every call: $token (of the run), $side
# (old or new), $stack_identity, $login_user, and of the host's node $service, $data_dir, $rpc_address, $rpc_port.
# $chain_databases are the names below $data_dir (core/chain/nodeDatabases.ts).
copy_dir=$state/chain-copy
copy_mark=pillar-host-chain-copy
chain_lock=$state/chain-copy.lock
chain_marker=made-by-pillar-host
# Time after a killed run's last contact until the old host ends the copy.
chain_lease_seconds=600

chain_take() { lease_take chain-copy "$chain_lease_seconds" "$stack_identity"; }
# First call of all functions that change a host. One that was under way when the copy ended leaves nothing either.
chain_owned() {
  local why="another run has taken this copy over, or this host ended it after $chain_lease_seconds s without contact"
  is_there "$chain_lock" || refuse_run "$why"
  lease_owned chain-copy "$chain_lease_seconds" "$stack_identity" "$why"
}

# chain_own_directory DIRECTORY: makes it, marked as this stack's. Fails if it is there and not this stack's.
chain_own_directory() {
  if ! is_there "$1"; then
    (umask 077; mkdir "$1" && printf '%s\n' "$stack_identity" > "$1/$chain_marker") ||
      fail "$1 could not be made" "found: $(chain_room_in "${1%/*}")" "needed: free some MB and some thousand inodes there, then run $(pulumi_up) again."
  fi
  chain_expect_own "$1"
}
chain_room_in() { df --output=avail,iavail,target -B1 -- "$1" | awk 'NR == 2 { printf "%d MB and %s inodes free on %s", $1 / 1e6, $2, $3 }'; }
# chain_expect_own DIRECTORY: fails if it is not this stack's. An empty one counts as own: a run may have been interrupted before
# it wrote the marker.
chain_expect_own() {
  if [ ! -L "$1" ] && [ ! -s "$1/$chain_marker" ] && [ -z "$(ls -A -I "$chain_marker" "$1")" ]; then printf '%s\n' "$stack_identity" > "$1/$chain_marker"; fi
  [ ! -L "$1" ] && [ "$(cat "$1/$chain_marker" 2> /dev/null)" = "$stack_identity" ] ||
    fail "$1 is not this stack's: it was left alone" "found: $(cat "$1/$chain_marker" 2> /dev/null || say "no $chain_marker in it")" "needed: move it away, then run $(pulumi_up) again."
}
# Removes a directory of this stack with the files that the copy made in it, and no others.
chain_directory_away() {
  local database
  is_there "$1" || return 0
  chain_expect_own "$1"
  # Removed first, and on the disk, because chain_restore would put databases back by this list.
  if [ -e "$1/had" ]; then rm -f "$1/had" && sync "$1"; fi
  for database in $chain_databases; do rm -rf "${1:?}/$database"; done
  rm -f "$1/$chain_marker" "$1"/.had.??????
  rmdir "$1"
}

# chain_find FORMAT: prints each file of the databases in this directory, in find's format.
chain_find() {
  local database
  for database in $chain_databases; do
    if [ -d "$database" ]; then find "$database" -type f -printf "$1"; fi
  done
}
# chain_bytes DIRECTORY: prints the size of the databases in it.
chain_bytes() { { (cd -- "$1" && chain_find '%s\n') 2> /dev/null || true; } | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }
# chain_size BYTES: prints a size for people.
chain_size() { awk -v bytes="$1" 'BEGIN { if (bytes >= 1e9) printf "%.1f GB", bytes / 1e9; else printf "%d MB", (bytes + 999999) / 1e6 }'; }

# Prints sha256, blank and path of each file. The old host hashes with low priority. A process hashes 16 files, so that it prints
# their lines in one write, and lines do not mix. openssl needs a third of sha256sum's time.
chain_manifest() {
  local at_once=1 hash=sha256sum
  if has openssl; then hash="openssl dgst -r -sha256"; fi
  chain_owned
  # For other calls, which renew the lease meanwhile.
  exec 9>&-
  if [ "$side" = old ]; then
    chain_gently
    cd -- "$(chain_snapshot_place)"
  else
    at_once=$(nproc)
    cd -- "$(chain_arriving)"
  fi
  chain_find '%p\0' | sort -z | xargs -0 -r -n 16 -P "$at_once" $hash
}
chain_gently() {
  renice -n 10 -p "$BASHPID" > /dev/null 2>&1 || true
  if has ionice; then ionice -c 2 -n 7 -p "$BASHPID" 2> /dev/null || true; fi
}
