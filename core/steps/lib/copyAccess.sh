# The right to one copy between two hosts: a key for this copy alone, which may run one command, from one machine, for some hours.
# One host connects to the other. The caller sets $copy_dir, a directory for the copy on both hosts, and $copy_mark, the name of
# key and right there. Variables: $other_host_key, $login_user, $copy_hours, $public_key, $from_addresses,
# $copy_address, $copy_port and $copy_side, the function that this host's side of the copy runs.

# copy_frame FILE: prints the file's length, then the file, so that more can follow. copy_take reads it.
copy_frame() { stat -c %s "$1"; cat "$1"; }
copy_take() {
  local bytes
  copy_await
  # Enough for some hundred thousand files. Limited, because what another host sends must not fill this host's memory.
  read -r bytes && [[ $bytes =~ ^[0-9]{1,8}$ ]] && head -c "$bytes"
}

# copy_bounded BYTES NEEDED: passes on what another host sends, at most BYTES. If more comes, prints NEEDED and fails with 3.
copy_bounded() {
  if [ "$1" -gt 0 ]; then head -c "$1"; fi
  [ "$(head -c 1 | wc -c)" -ne 0 ] || return 0
  (fail "the other host sent more than this host accepts" "found: more than $(($1 > 0 ? $1 / 1000000 : 0)) MB" "needed: $2") || {
    [ -z "${exchange:-}" ] || : > "$exchange/full"
    return 3
  }
}

# copy_pack LIST DIRECTORY [OPTION...]: sends the files of a list. tar ends with 1 if one changed or is gone: all are compared in the
# end.
copy_pack() {
  tar --create --format=posix --pax-option=delete=atime,delete=ctime --numeric-owner --hard-dereference --no-recursion -C "$2" \
    --null --verbatim-files-from --files-from="$1" "${@:3}" || [ $? -eq 1 ]
}

# copy_remove LIST DIRECTORY FORM: removes the files of a list, in which a NUL follows each name. All names must have the form.
copy_remove() {
  if grep -zqvE "$3" "$1" || grep -zqE '(^|/)\.\.(/|$)' "$1"; then fail "the other host names files outside of its directory"; fi
  (cd -- "$2" && xargs -0 -r rm -rf --) < "$1"
}
# copy_retake DIRECTORY FORM: removes the files of $retake, a list in base64, so that the next copy sends them whole.
copy_retake() {
  make_work
  base64 -d <<< "$retake" > "$work/retake"
  copy_remove "$work/retake" "$@"
}

# On the host that connects: skips what the login on the other host prints, up to the copy's public key, which no login knows.
copy_await() {
  local line
  [ -n "${copy_greeted:-}" ] || return 0
  while IFS= read -r line; do
    if [ "$line" = "$copy_greeted" ]; then
      copy_greeted=
      : > "$exchange/greeted"
      return 0
    fi
  done
  return 1
}
copy_word() { cut -d ' ' -f 2 <<< "$1"; }

# On the host that connects: makes the key. Prints the public key, then this host's addresses.
copy_key() {
  copy_key_away
  (
    umask 077
    mkdir -p "$copy_dir"
    ssh-keygen -q -t ed25519 -N '' -C "$copy_mark" -f "$copy_dir/key"
    printf '%s %s\n' "$copy_address" "$other_host_key" > "$copy_dir/known_hosts"
  )
  cat "$copy_dir/key.pub"
  hostname -I
}
copy_key_away() {
  # Close the connection that the bulk copy left open for the copy after the stop, to save the time of a login.
  if [ -S "$copy_dir/mux" ]; then ssh -F /dev/null -o ControlPath="$copy_dir/mux" -O exit away 2> /dev/null || true; fi
  rm -rf "$copy_dir"
}

# copy_allow VARIABLES FUNCTIONS, on the other host: allows the key to run $copy_side, which uses these.
copy_allow() {
  copy_take_back
  local command=$copy_dir/side ends greeting
  greeting=$(copy_word "$public_key")
  ends=$(date -d "+$copy_hours hours" +%s)
  (umask 077; mkdir -p "$copy_dir")
  # The command checks the time itself, because sshd below OpenSSH 8.2 lets no key expire.
  write_script "$command" "$1 ends copy_hours greeting" "$2" 'printf "\n%s\n" "$greeting"
[ "$(date +%s)" -lt "$ends" ] || { echo "the right to this copy expired after $copy_hours hours" >&2; exit 1; }
'"$copy_side" 700
  # Begins with bash, because $state may be mounted noexec.
  command="/bin/bash $command"
  if [ "$login_user" != root ]; then
    (umask 337; printf '%s ALL=(root) NOPASSWD: %s\n' "$login_user" "$command" > "/etc/sudoers.d/$copy_mark.new")
    visudo -cqf "/etc/sudoers.d/$copy_mark.new" || fail "the right to copy could not be written for $login_user"
    mv -f "/etc/sudoers.d/$copy_mark.new" "/etc/sudoers.d/$copy_mark"
    # The login user must reach the file to name it to sudo.
    chmod 711 "$copy_dir"
    command="sudo -n $command"
  fi
  authorize "$login_user" "restrict,from=\"$(tr -s ' \n' ',' <<< "$from_addresses" | sed 's/^,//; s/,$//')\",command=\"$command\" $public_key"
}

# Removes the copy's right, whichever run gave it: the program first, without which the line in authorized_keys is of no use.
copy_take_back() {
  local user
  rm -rf "/etc/sudoers.d/$copy_mark" "/etc/sudoers.d/$copy_mark.new" "$copy_dir"
  # Match the line's command, too, because the other host chose the comment.
  for user in "$login_user" root; do authorize "$user" "" " $copy_mark\$|command=\"(sudo -n )?(/bin/bash )?$copy_dir/side\""; done
}

# copy_needed: prints what a copy that broke off needs, by its error in $copy_said.
copy_needed() {
  case $copy_said in
    *"Permission denied"*)
      say "needed: let $login_user log in there with the copy's key. On that host: journalctl -u ssh -n 20; sshd -T -C user=$login_user,host=HERE,addr=HERE, with this host's address as that host sees it (AllowUsers, AuthorizedKeysFile, AuthenticationMethods)" \
        $'\n'"Does that host see this one at another address (NAT)? The key is accepted from this host's own addresses only" ;;
    *"Host key verification failed"*) say "needed: the host with the pinned host key at $copy_address:$copy_port, which shows another one" ;;
    *"Unable to negotiate"*) say "needed: an algorithm that the ssh of both hosts has" ;;
    *refused* | *"timed out"* | *[Uu]nreachable* | *"No route"* | *esolv* | *reset* | *closed* | *"not responding"* | *"Broken pipe"* | "ssh ended with"*) say "needed: let this host reach port $copy_port of $copy_address. Check it on this host with: nc -vz $copy_address $copy_port" ;;
  esac
}

# copy_expect_done DIRECTORY [HELP]: fails if the copy broke off, with the room at DIRECTORY.
copy_expect_done() {
  local what="the copy from $login_user@$copy_address:$copy_port broke off"
  [ -n "$copy_said" ] || return 0
  # With "needed:", a host has refused what it received, so the connection is not at fault.
  case $copy_said in *"needed: "*) fail "$what" "$copy_said" ;; esac
  fail "$what" "found: $copy_said" "room here: $(df -Ph "$1" | awk 'NR == 2 { print $4 " free on " $6 }')" "$(copy_needed)" "${@:2}"
}

# copy_exchange [TELL], on the host that connects: runs both sides of the copy, and TELL every few seconds. Sets $copy_said to the
# errors, and $copy_full to 28 if the other host sent more than this host accepts. Not to be called where bash ignores `set -e` (if,
# &&, ||).
copy_exchange() {
  local code=0 ours=0 tell_at=$((SECONDS + 5)) copy_greeted
  copy_greeted=$(copy_word "$(cat "$copy_dir/key.pub")")
  mkdir -p "$runs_dir"
  exchange=$(mktemp -d "$runs_dir/exchange.XXXXXX")
  mkfifo "$exchange/to" "$exchange/from"
  ssh -F /dev/null -T -p "$copy_port" -i "$copy_dir/key" -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes \
    -o ControlMaster=auto -o ControlPath="$copy_dir/mux" -o ControlPersist=60 \
    -o HostKeyAlias="$copy_address" -o UserKnownHostsFile="$copy_dir/known_hosts" -o GlobalKnownHostsFile=/dev/null -o ConnectTimeout=15 -o ServerAliveInterval=10 \
    -o ServerAliveCountMax=3 -o LogLevel=ERROR -o Ciphers=aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-ctr,aes256-ctr \
    "$login_user@$copy_address" 9>&- < "$exchange/to" > "$exchange/from" 2> "$exchange/said" &
  ssh_pid=$!
  # Opens both pipes in the same order as ssh does: opening one waits until the other process opens it, too.
  ("$copy_side" 9>&- > "$exchange/to" < "$exchange/from" 2> "$exchange/side-said") 9>&- &
  side_pid=$!
  # Both processes end with this script, which ends when it prints a line that nobody reads any more.
  trap 'kill "$ssh_pid" "$side_pid" 2> /dev/null || true; rm -rf "$exchange"' EXIT
  if [ -n "${1:-}" ]; then
    while kill -0 "$side_pid" 2> /dev/null; do
      sleep 0.1
      if [ "$SECONDS" -ge "$tell_at" ]; then
        tell_at=$((SECONDS + 5))
        "$1"
      fi
    done
  fi
  wait "$side_pid" || ours=$?
  wait "$ssh_pid" || code=$?
  copy_said= copy_full=
  if [ -e "$exchange/full" ]; then copy_full=28; fi
  if [ "$code" -ne 0 ] || [ "$ours" -ne 0 ]; then
    copy_said=$(cat "$exchange/said" "$exchange/side-said" | head -n 8)
    copy_said=${copy_said:-ssh ended with $code}
    if [ "$code" -eq 0 ] && [ ! -e "$exchange/greeted" ]; then
      copy_said="the login of $login_user@$copy_address did not run the copy's command
  needed: a login shell there that runs commands, with start files (.bashrc, .profile, .zshenv) that neither exit nor exec without a terminal"
    fi
  fi
  rm -rf "$exchange"
}
