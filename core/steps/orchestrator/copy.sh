# The copy between the hosts: the new one connects to the old one with a key for this copy alone. Whoever receives tells
# what it has; whoever sends answers with what differs. A text of known length goes before each part.
copy_dir=$state/copy
copy_mark=pillar-host-copy

# Kind, mode, owner, size, time, path of all below a directory but locks, sockets, pipes and tss's own logs, sorted.
copy_list() {
  (cd -- "$1" && find . \( -type s -o -type p -o -path ./.lock -o -path './tss/tss.*.log' \) -prune -o \
    \( -type d -printf '%y\t%m\t%U:%G\t-\t-\t%p\0' -o -printf '%y\t%m\t%U:%G\t%s\t%T@\t%p\0' \)) | sort -z
}
copy_paths() { sed -z 's/^\([^\t]*\t\)\{5\}//'; }

# Sends what lies below $directory. A key store that was fenced goes under its own name again.
copy_send() {
  local aside= plain=
  signer_work
  if [ -n "${aside_store:-}" ]; then
    aside=./${aside_store##*/}
    plain=$(signer_plain_store "$aside")
  fi
  copy_take > "$work/theirs"
  copy_list "$directory" > "$work/real"
  if [ -n "$aside" ]; then
    ASIDE=$aside PLAIN=$plain perl -0pe 's/\t\Q$ENV{ASIDE}\E(?=\/|\0)/\t$ENV{PLAIN}/' "$work/real" | sort -z > "$work/ours"
  else
    cp "$work/real" "$work/ours"
  fi
  copy_paths < "$work/ours" | sort -z > "$work/our-paths"
  copy_paths < "$work/theirs" | sort -z | comm -z -23 - "$work/our-paths" > "$work/gone"
  comm -z -13 "$work/theirs" "$work/ours" | copy_paths > "$work/list"
  local transform=()
  if [ -n "$aside" ]; then
    ASIDE=$aside PLAIN=$plain perl -0pe 's/^\Q$ENV{PLAIN}\E(?=\/|\0)/$ENV{ASIDE}/' -i "$work/list"
    transform=(--transform "s,^\\./$(sed 's/[],\/$*.^[]/\\&/g' <<< "${aside#./}")\\(/\\|\$\\),$plain\\1,")
  fi
  copy_frame "$work/gone"
  tar --create --format=posix --pax-option=delete=atime,delete=ctime --numeric-owner --hard-dereference --no-recursion \
    --ignore-failed-read --warning=no-file-changed -C "$directory" --null --verbatim-files-from --files-from="$work/list" \
    "${transform[@]}" || [ $? -eq 1 ]
}

# Receives into $receive_into, and nowhere else, whatever the other host sends.
copy_receive() {
  local room free code
  signer_work
  mkdir -p "$receive_into"
  copy_unlink
  copy_keep_shares
  copy_list "$receive_into" > "$work/ours"
  copy_frame "$work/ours"
  copy_take > "$work/gone"
  copy_remove "$work/gone"
  # Modes as they come, but for setuid, setgid, sticky, and what others may write: the comparison that follows tells of those.
  # The node of this host needs the last of the room.
  room=$(($(df -B1 --output=avail -- "$receive_into" | tail -n 1) / 10 * 9 - 33554432))
  free=$(df -Ph -- "$receive_into" | awk 'NR == 2 { print $4 " free on " $6 }')
  copy_bounded "$room" "room for all of it, and 32 MB for the node; now $free. Is that enough? Then look at the directory on the other host: du -sh" |
    (umask 0002; tar --extract --no-same-permissions --same-owner --numeric-owner --delay-directory-restore -C "$receive_into") ||
    { code=${PIPESTATUS[0]}; if [ "$code" -eq 3 ]; then rm -rf -- "$receive_into"; fi; return 1; }
  copy_only_inward
  copy_drop_shares
}

# A key share that an earlier copy brought may be the newest there is, where its source was set back since: what a copy takes
# away stays beside the journal, each by its sum.
copy_keep_shares() {
  local share kept
  for share in "$receive_into"/tss/localstate-*.json; do
    [ -f "$share" ] || continue
    kept=$(copy_kept "$share")
    if [ -e "$kept" ]; then continue; fi
    (
      umask 077
      mkdir -p "${kept%/*}"
      cp -p -- "$share" "$kept.new"
    )
    sync "$kept.new"
    mv -f "$kept.new" "$kept"
  done
}
# Removes the kept copies of shares that are in place by now.
copy_drop_shares() {
  local share
  for share in "$receive_into"/tss/localstate-*.json; do
    if [ -f "$share" ]; then rm -f "$(copy_kept "$share")"; fi
  done
  if [ -d "$state/shares" ]; then rmdir --ignore-fail-on-non-empty "$state/shares"; fi
}
copy_kept() {
  local sum
  sum=$(sha256sum < "$1")
  printf '%s/shares/%s-%s\n' "$state" "${sum%% *}" "${1##*/}"
}

# tar guards the links of one archive; those of an earlier one would lead it, and rm, out of $receive_into. They are sent
# again.
copy_unlink() { find "$receive_into/" -mindepth 1 -type l -delete; }

# Removes the files of a list, each with a NUL behind.
copy_remove() {
  if grep -zqvE '^\./' "$1" || grep -zqE '(^|/)\.\.(/|$)' "$1"; then fail "the other host names files outside of its directory"; fi
  copy_unlink
  (cd -- "$receive_into" && xargs -0 -r rm -rf --) < "$1"
}

# Refuses links that lead out of the directory: it is put in place later.
copy_only_inward() {
  local outward odd
  odd=$(cd -- "$receive_into" && find . ! -type f ! -type d ! -type l -printf '%P (%y)\n' -delete | tr -c '[:print:]\n' '?')
  [ -z "$odd" ] || fail "the copy holds entries that are no file, directory or link" "found: $(head -n 3 <<< "$odd")" "needed: remove them from the orchestrator's directory on the other host. They were removed here"
  outward=$(cd -- "$receive_into" && find . -type l \( -lname '/*' -o -lname '..' -o -lname '../*' -o -lname '*/..' -o -lname '*/../*' \) -printf '%P -> %l\n' | tr -c '[:print:]\n' '?')
  [ -z "$outward" ] || fail "the copy holds links that lead out of the orchestrator's directory" "found: $(head -n 3 <<< "$outward")" \
    "needed: files, or links within it. On the host that it is copied from, while the orchestrator is stopped, for each: mv LINK LINK.aside && cp -aT \"\$(readlink -f LINK.aside)\" LINK && rm LINK.aside; start it, then run $(pulumi_up) again"
}

signer_copy_key() {
  signer_owned
  copy_key
}
signer_copy_key_away() { copy_key_away; }

signer_copy_allow() {
  signer_owned
  signer_current
  copy_allow "host_name state directory receive_into aside_store copy_dir signer_runs LC_ALL PATH" \
    "say fail signer_plain_store signer_work copy_list copy_paths copy_frame copy_await copy_take copy_bounded copy_send copy_receive copy_unlink copy_remove copy_only_inward copy_keep_shares copy_drop_shares copy_kept"
}

signer_copy_forbid() {
  signer_owned
  copy_take_back
}

# On the host that connects: runs its side ($copy_side) against the other one's.
signer_copy() {
  signer_owned
  signer_current
  mkdir -p "$signer_runs"
  exchange=$(mktemp -d "$signer_runs/exchange.XXXXXX")
  copy_exchange "${progress:+signer_copy_so_far}"
  [ -n "$copy_said" ] || return 0
  local room
  # A side that refuses what it received says what is needed: the connection is not at fault.
  case $copy_said in *"needed: "*) fail "the copy from $login_user@$copy_address:$copy_port broke off" "$copy_said" ;; esac
  room=$(df -Ph "$(dirname "$receive_into")" | awk 'NR == 2 { print $4 " free on " $6 }')
  fail "the copy from $login_user@$copy_address:$copy_port broke off" "found: $copy_said" "room here: $room" \
    "$(copy_needed)" "If that host has another address: $(config_set orchestrator.migrateFrom.copyAddress ADDRESS)"
}
signer_copy_so_far() { say "so far $(du -sm "$receive_into" 2> /dev/null | cut -f1) MB"; }

# Writes what was received to the disk.
signer_flush() {
  signer_owned
  sync -f "$receive_into"
}

# Copies on one host: a rollback puts its differences on that copy.
signer_copy_local() {
  signer_owned
  signer_current
  signer_was
  if [ -d "$directory" ] && [ ! -e "$receive_into/config.json" ]; then
    rm -rf "$receive_into"
    cp -a --reflink=auto "$directory" "$receive_into"
    if [ -n "$was_store" ] && [ -e "$receive_into/${was_store##*/}" ]; then mv -T "$receive_into/${was_store##*/}" "$(signer_plain_store "$receive_into/${was_store##*/}")"; fi
  fi
  mkdir -p "$receive_into"
}

# Files that the comparison found to differ are taken again from the beginning.
signer_copy_retake() {
  signer_owned
  signer_current
  signer_work
  base64 -d <<< "$retake" > "$work/retake"
  copy_remove "$work/retake"
}

# Prints the addresses of this machine.
signer_addresses() { hostname -I 2> /dev/null || true; }
