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
copy_frame() { stat -c %s "$1"; cat "$1"; }
copy_take() {
  local bytes
  read -r bytes && [[ $bytes =~ ^[0-9]+$ ]] && head -c "$bytes"
}

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

# Receives into $receive_into, and nowhere else, whatever the other side sends.
copy_receive() {
  signer_work
  mkdir -p "$receive_into"
  copy_unlink
  copy_list "$receive_into" > "$work/ours"
  copy_frame "$work/ours"
  copy_take > "$work/gone"
  copy_remove "$work/gone"
  tar --extract --preserve-permissions --same-owner --numeric-owner --delay-directory-restore -C "$receive_into"
  copy_only_inward
}

# tar guards the links of one archive; those of an earlier one would lead it, and rm, out of $receive_into. They are sent
# again.
copy_unlink() { find "$receive_into/" -mindepth 1 -type l -delete; }

# Removes the files of a list, each with a NUL behind.
copy_remove() {
  if grep -zqvE '^\./' "$1" || grep -zqE '(^|/)\.\.(/|$)' "$1"; then fail "the other side names files that are not its own"; fi
  copy_unlink
  (cd -- "$receive_into" && xargs -0 -r rm -rf --) < "$1"
}

# What is put in place later leads nowhere else either.
copy_only_inward() {
  local outward
  outward=$(cd -- "$receive_into" && find . -type l \( -lname '/*' -o -lname '..' -o -lname '../*' -o -lname '*/..' -o -lname '*/../*' \) -printf '%P -> %l\n' | tr -c '[:print:]\n' '?')
  [ -z "$outward" ] || fail "the copy holds links that lead out of the orchestrator's directory" "found: $(head -n 3 <<< "$outward")" \
    "needed: files, or links within it. On the host that it is copied from, while the orchestrator is stopped, for each: mv LINK LINK.aside && cp -aT \"\$(readlink -f LINK.aside)\" LINK && rm LINK.aside; start it, then run $(pulumi_up) again"
}

# On the host that connects. Prints the public key, then this host's addresses.
signer_copy_key() {
  signer_owned
  signer_copy_key_away
  (
    umask 077
    mkdir -p "$copy_dir"
    ssh-keygen -q -t ed25519 -N '' -C "$copy_mark" -f "$copy_dir/key"
    printf '%s %s\n' "$known_as" "$other_host_key" > "$copy_dir/known_hosts"
  )
  cat "$copy_dir/key.pub"
  hostname -I
}
signer_copy_key_away() {
  # The connection of the bulk copy is kept for the one after the stop: a login is time without a signer.
  if [ -S "$copy_dir/mux" ]; then ssh -F /dev/null -o ControlPath="$copy_dir/mux" -O exit away 2> /dev/null || true; fi
  rm -rf "$copy_dir"
}

# On the host that is connected to: the key may do one thing, from one machine, for some hours.
signer_copy_allow() {
  signer_owned
  signer_copy_take_back
  local home command=$copy_dir/side expiry= ends
  ends=$(date -d "+$copy_hours hours" +%s)
  (
    umask 077
    mkdir -p "$copy_dir"
    {
      printf '#!/bin/bash\nset -euo pipefail\n'
      declare -p host_name state directory receive_into aside_store copy_dir signer_runs LC_ALL PATH
      declare -f say fail signer_plain_store signer_work copy_list copy_paths copy_frame copy_take copy_send copy_receive copy_unlink copy_remove copy_only_inward
      # By itself, too: sshd's own expiry is not to be had below OpenSSH 8.2.
      printf '[ "$(date +%%s)" -lt %s ] || { echo "the right to this copy ended by itself after %s hours" >&2; exit 1; }\n' "$ends" "$copy_hours"
      printf '%s\n' "$copy_side"
    } > "$command"
    chmod 700 "$command"
  )
  home=$(getent passwd "$login_user" | cut -d: -f6)
  [ -n "$home" ] || fail "the user $login_user has no home directory"
  if [ "$login_user" != root ]; then
    (umask 077; printf '%s ALL=(root) NOPASSWD: %s ""\n' "$login_user" "$command" > "/etc/sudoers.d/$copy_mark.new")
    visudo -cqf "/etc/sudoers.d/$copy_mark.new" || fail "the right to copy could not be written for $login_user"
    chmod 440 "/etc/sudoers.d/$copy_mark.new"
    mv -f "/etc/sudoers.d/$copy_mark.new" "/etc/sudoers.d/$copy_mark"
    # sudo must be able to name the file before it is root.
    chmod 711 "$copy_dir"
    command="sudo -n $command"
  fi
  # Known from OpenSSH 8.2 on; an older one would refuse the whole line.
  if ssh -V 2>&1 | grep -qE 'OpenSSH_(8\.([2-9]|[1-9][0-9])|9|[1-9][0-9])'; then expiry=",expiry-time=\"$(date -d "@$ends" +%Y%m%d%H%M)\""; fi
  if [ ! -d "$home/.ssh" ]; then install -d -m 700 -o "$login_user" -g "$(id -gn "$login_user")" "$home/.ssh"; fi
  local keys=$home/.ssh/authorized_keys
  if [ ! -e "$keys" ]; then install -m 600 -o "$login_user" -g "$(id -gn "$login_user")" /dev/null "$keys"; fi
  printf '\nrestrict,from="%s",command="%s"%s %s\n' "$(tr -s ' \n' ',' <<< "$from_addresses" | sed 's/^,//; s/,$//')" "$command" "$expiry" "$public_key" >> "$keys"
}

# Nothing of the copy's right stays behind, whichever run gave it.
signer_copy_take_back() {
  local home keys
  home=$(getent passwd "$login_user" | cut -d: -f6)
  for keys in "$home/.ssh/authorized_keys" /root/.ssh/authorized_keys; do signer_copy_lines_away "$keys"; done
  rm -rf "/etc/sudoers.d/$copy_mark" "/etc/sudoers.d/$copy_mark.new" "$copy_dir"
}
# By what such a line may run, too: a comment is the other side's word.
signer_copy_lines_away() {
  local line=" $copy_mark\$|command=\"(sudo -n )?$copy_dir/side\""
  if ! grep -qsE "$line" "$1"; then return 0; fi
  # Without the blank line before it either; in place, so that owner, mode and label stay.
  LINE=$line perl -0pe 's/\n?[^\n]*(?:$ENV{LINE})[^\n]*(?:\n|\z)/\n/mg; s/\n\n+\z/\n/' "$1" > "$1.$copy_mark"
  cat "$1.$copy_mark" > "$1"
  rm -f "$1.$copy_mark"
}
signer_copy_forbid() {
  signer_owned
  signer_copy_take_back
}

# On the host that connects: runs its side ($copy_side) against the other one's.
signer_copy() {
  local code=0 ours=0 tell_at=$((SECONDS + 5))
  signer_owned
  mkdir -p "$signer_runs"
  exchange=$(mktemp -d "$signer_runs/exchange.XXXXXX")
  mkfifo "$exchange/to" "$exchange/from"
  ssh -F /dev/null -T -p "$copy_port" -i "$copy_dir/key" -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes \
    -o ControlMaster=auto -o ControlPath="$copy_dir/mux" -o ControlPersist=60 \
    -o UserKnownHostsFile="$copy_dir/known_hosts" -o GlobalKnownHostsFile=/dev/null -o ConnectTimeout=15 -o ServerAliveInterval=10 \
    -o ServerAliveCountMax=3 -o LogLevel=ERROR -o Ciphers=aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-ctr,aes256-ctr \
    "$login_user@$copy_address" 9>&- < "$exchange/to" > "$exchange/from" 2> "$exchange/said" &
  ssh_pid=$!
  # Opened in the other one's order: a pipe opens when both its ends do.
  ("$copy_side" 9>&- > "$exchange/to" < "$exchange/from" 2> "$exchange/side-said") 9>&- &
  side_pid=$!
  # With this script, which notices by its next line that nobody listens any more.
  trap 'kill "$ssh_pid" "$side_pid" 2> /dev/null || true; rm -rf "$exchange"' EXIT
  if [ -n "${progress:-}" ]; then
    while kill -0 "$side_pid" 2> /dev/null; do
      sleep 0.1
      if [ "$SECONDS" -ge "$tell_at" ]; then
        tell_at=$((SECONDS + 5))
        say "so far $(du -sm "$receive_into" 2> /dev/null | cut -f1) MB"
      fi
    done
  fi
  wait "$side_pid" || ours=$?
  wait "$ssh_pid" || code=$?
  local said
  said=$(cat "$exchange/said" "$exchange/side-said" | head -n 8)
  rm -rf "$exchange"
  if [ "$code" -ne 0 ] || [ "$ours" -ne 0 ]; then
    local room refused=
    case $said in
      *"Permission denied"*)
        refused="Or does the old host see this one at another address (NAT)? The key is taken from this host's own addresses only. On the old host, journalctl -u ssh -n 20 tells; then: $(config_set orchestrator.migrateFrom.copyAddress ADDRESS), one that is reached without NAT"
        ;;
    esac
    # One that ends a side for what it received says what is needed; the way there is not.
    case $said in *"needed: "*) fail "the copy from $login_user@$copy_address:$copy_port broke off" "$said" ;; esac
    room=$(df -Ph "$(dirname "$receive_into")" | awk 'NR == 2 { print $4 " free on " $6 }')
    fail "the copy from $login_user@$copy_address:$copy_port broke off" "found: ${said:-ssh ended with $code}" "room here: $room" \
      "needed: this host reaches port $copy_port of $copy_address. See it with, on this host: nc -vz $copy_address $copy_port" \
      ${refused:+"$refused"}
  fi
}

# What was received, to the disk.
signer_flush() {
  signer_owned
  sync -f "$receive_into"
}

# The same on one host: what the way back puts its differences on.
signer_copy_local() {
  signer_owned
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
  signer_work
  base64 -d <<< "$retake" > "$work/retake"
  copy_remove "$work/retake"
}

# What this machine is called in addresses that name it.
signer_addresses() { hostname -I 2> /dev/null || true; }
