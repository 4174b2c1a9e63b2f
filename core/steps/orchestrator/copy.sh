# The copy between the hosts. The receiving host sends the list of its files; the sending host answers with those that differ.
copy_dir=$state/copy
copy_mark=pillar-host-copy

# Prints kind, mode, owner, size, time and path of all below a directory, sorted; no locks, sockets, pipes and logs of tss.
copy_list() {
  (cd -- "$1" && find . \( -type s -o -type p -o -path ./.lock -o -path './tss/tss.*.log' \) -prune -o \
    \( -type d -printf '%y\t%m\t%U:%G\t-\t-\t%p\0' -o -printf '%y\t%m\t%U:%G\t%s\t%T@\t%p\0' \)) | sort -z
}
copy_paths() { sed -z 's/^\([^\t]*\t\)\{5\}//'; }

# copy_rename FROM TO: renames a file or folder in a list of paths, which may follow tabs.
copy_rename() { sed -z "s#\(^\|\t\)${1//./\\.}\(/\|\$\)#\1$2\2#"; }

# Sends the files below $directory that differ. A fenced key store is sent under its usual name.
copy_send() {
  local aside=${aside_store:-} plain
  aside=./${aside##*/}
  plain=$(orchestrator_plain_store "$aside")
  make_work
  copy_take > "$work/theirs"
  copy_list "$directory" | copy_rename "$aside" "$plain" | sort -z > "$work/ours"
  copy_paths < "$work/ours" | sort -z > "$work/our-paths"
  copy_paths < "$work/theirs" | sort -z | comm -z -23 - "$work/our-paths" > "$work/gone"
  comm -z -13 "$work/theirs" "$work/ours" | copy_paths | copy_rename "$plain" "$aside" > "$work/list"
  copy_frame "$work/gone"
  copy_pack "$work/list" "$directory" --sparse --ignore-failed-read --warning=no-file-changed --transform "s#^${aside//./\\.}\\(/\\|\$\\)#$plain\\1#"
}

# Receives into $receive_into, and nowhere else, whatever the other host sends.
copy_receive() {
  local room free code
  make_work
  mkdir -p "$receive_into"
  copy_unlink
  copy_keep_shares
  copy_list "$receive_into" > "$work/ours"
  copy_frame "$work/ours"
  copy_take > "$work/gone"
  copy_remove "$work/gone" "$receive_into" '^\./'
  # tar takes over all modes but setuid, setgid, sticky, and write access for others: the later comparison reports those.
  # A tenth of the free space, and 32 MB, stay for the node of this host.
  room=$(($(df -B1 --output=avail -- "$receive_into" | tail -n 1) / 10 * 9 - 33554432))
  free=$(df -Ph -- "$receive_into" | awk 'NR == 2 { print $4 " free on " $6 }')
  copy_bounded "$room" "room for all of it, and 32 MB for the node; now $free. Is that enough? Then look at the directory on the other host: du -sh" |
    (umask 0002; tar --extract --no-same-permissions --same-owner --numeric-owner --delay-directory-restore -C "$receive_into") ||
    { code=${PIPESTATUS[0]}; if [ "$code" -eq 3 ]; then rm -rf -- "$receive_into"; fi; return 1; }
  copy_only_inward
  copy_drop_shares
}

# Removes all links, which are sent again. tar is safe from links of the same archive only: one of an earlier archive would
# lead it, and rm, out of $receive_into.
copy_unlink() { find "$receive_into/" -mindepth 1 -type l -delete; }

# Refuses links that lead out of the directory, and entries of other kinds.
copy_only_inward() {
  local outward odd
  odd=$(cd -- "$receive_into" && find . ! -type f ! -type d ! -type l -printf '%P (%y)\n' -delete | tr -c '[:print:]\n' '?')
  [ -z "$odd" ] || fail "the copy holds entries that are no file, directory or link" "found: $(head -n 3 <<< "$odd")" "needed: remove them from the orchestrator's directory on the other host. They were removed here"
  outward=$(cd -- "$receive_into" && find . -type l \( -lname '/*' -o -lname '..' -o -lname '../*' -o -lname '*/..' -o -lname '*/../*' \) -printf '%P -> %l\n' | tr -c '[:print:]\n' '?')
  [ -z "$outward" ] || fail "the copy holds links that lead out of the orchestrator's directory" "found: $(head -n 3 <<< "$outward")" \
    "needed: files, or links within it. On the host that it is copied from, while the orchestrator is stopped, for each: mv LINK LINK.aside && cp -aT \"\$(readlink -f LINK.aside)\" LINK && rm LINK.aside; start it, then run $(pulumi_up) again"
}

orchestrator_copy_key() {
  orchestrator_owned
  copy_key
}
# A key that the other host knows waits for the bulk copy (core/steps/orchestrator/bulkCopy.sh), which takes no other: not the
# move's own, nor one for another journal.
orchestrator_copy_key_waits() {
  orchestrator_begin
  [ -e "$copy_dir/key" ] || fail "the key of the copy is gone"
  say "$journal" > "$copy_dir/bulk"
}

orchestrator_copy_allow() {
  orchestrator_begin
  copy_allow "host_name state directory receive_into aside_store copy_dir runs_dir" \
    "say fail orchestrator_plain_store make_work copy_list copy_paths copy_rename copy_frame copy_await copy_take copy_bounded copy_pack copy_send copy_receive copy_unlink copy_remove copy_only_inward copy_keep_shares copy_drop_shares copy_kept"
}

orchestrator_copy_forbid() {
  orchestrator_owned
  copy_take_back
}

# Connects to the old host, and runs the copy with it; $copy_side is what this host does.
orchestrator_copy() {
  orchestrator_begin
  orchestrator_copy_now
}
orchestrator_copy_now() {
  copy_exchange "${progress:+orchestrator_copy_so_far}"
  copy_expect_done "${receive_into%/*}" "If that host has another address: $(config_set oldHost.copyAddress ADDRESS)"
}
orchestrator_copy_so_far() { say "so far $(du -sB1000000 "$receive_into" 2> /dev/null | cut -f1) MB"; }

# Flushes what was received to the disk.
orchestrator_flush() {
  orchestrator_owned
  sync -f "$receive_into"
}

# Copies this host's own directory, so that a rollback has to send only what differs.
orchestrator_copy_local() {
  orchestrator_begin
  if [ -d "$directory" ] && [ ! -e "$receive_into/config.json" ]; then
    copy_keep_shares
    rm -rf "$receive_into"
    cp -a --reflink=auto "$directory" "$receive_into"
    copy_drop_shares
    local aside=$receive_into/$fenced_store
    if [ -n "$fenced_store" ] && [ -e "$aside" ]; then mv -T "$aside" "$(orchestrator_plain_store "$aside")"; fi
  fi
  mkdir -p "$receive_into"
}

# Removes the files that differ by the comparison.
orchestrator_copy_retake() {
  orchestrator_begin
  copy_unlink
  copy_retake "$receive_into" '^\./'
}
