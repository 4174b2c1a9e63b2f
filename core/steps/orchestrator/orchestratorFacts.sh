# Prints facts for a move as lines of name=value, before the move touches either host. Only reads.

# signer_facts: prints facts of $service, $executable, its $directory, and the node's $node_dir.
signer_facts() {
  local at
  fact load "$(systemctl show -p LoadState --value "$service" 2> /dev/null || true)"
  fact active "$(systemctl is-active "$service" 2> /dev/null || true)"
  # The move also looks for the configured name to know that the orchestrator has ended.
  if service_is_active "$service" && ! processes_of "$executable" > /dev/null; then
    fact process "$(ps -o comm= -p "$(systemctl show -p MainPID --value "$service")" || true)"
  fi
  signer_process_facts
  if [ -L "$directory" ]; then fact directory link
  elif [ -d "$directory" ]; then fact directory there
  elif [ -e "$directory" ]; then fact directory "no directory"
  else fact directory none; fi
  fact real "$(readlink -f -- "$directory" || true)"
  if [ -d "$directory" ]; then
    fact bytes "$(du -sb -- "$directory" 2> /dev/null | cut -f 1 || true)"
    fact files "$(find "$directory/" -printf x 2> /dev/null | wc -c || true)"
    fact shares "$(signer_shares | tr -cd '\0' | wc -c)"
    # The copy does not take these modes over, so its comparison would fail after the stop.
    fact special "$(find "$directory/" ! -type l -perm /7002 -printf x 2> /dev/null | wc -c || true)"
  fi
  at=$(existing_directory "$directory")
  fact free "$(df -B1 --output=avail -- "$at" | tail -n 1 | tr -d ' ')"
  fact inodes "$(df --output=iavail -- "$at" | tail -n 1 | tr -d ' ')"
  fact mount "$(df --output=target -- "$at" | tail -n 1)"
  if [ -e "$node_dir/wallet/producer" ]; then fact node_producer there; fi
  if [ -x "/usr/local/bin/$executable" ]; then fact executable there; fi
  for tool in tar sha256sum find xargs base64 perl ssh-keyscan; do has "$tool" || fact lacks "$tool"; done
  if [ -e "$state/orchestrator.json" ]; then fact journal "$(base64 -w 0 < "$state/orchestrator.json")"; fi
}

# Prints user and directory of the unit's process, and the names of its environment variables, whose values may be secrets.
signer_process_facts() {
  local pid home
  pid=$(systemctl show -p MainPID --value "$service" 2> /dev/null || true)
  if [ "${pid:-0}" -gt 0 ] && [ -r "/proc/$pid/environ" ]; then
    home=$(tr '\0' '\n' < "/proc/$pid/environ" | sed -n 's/^HOME=//p' | head -n 1)
    [ -n "$home" ] || home=$(getent passwd "$(stat -c %u "/proc/$pid")" | cut -d : -f 6)
    fact user "$(stat -c %U "/proc/$pid")"
    fact works "$(readlink -m -- "$home/.orchestrator")"
    signer_names < <(tr '\0' '\n' < "/proc/$pid/environ")
  else
    signer_names < <(signer_unit_environment)
  fi
}
# Prints the names of the variables among its lines, without those that each process has.
signer_names() {
  sed -nE 's/^([A-Za-z_][A-Za-z0-9_]*)=.*/\1/p' | sort -u | sed -E 's/^/environment=/
    /=(HOME|PATH|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|PWD|OLDPWD|SHLVL|_|INVOCATION_ID|JOURNAL_STREAM|SYSTEMD_.*|MEMORY_PRESSURE_.*|NOTIFY_SOCKET)$/d'
}

# Prints the names of environment variables from the files of a unit that does not run, and may be masked.
signer_unit_environment() {
  local at
  for at in /etc/systemd/system /usr/local/lib/systemd/system; do
    cat "$at/$service.service" "$at/$service.service.d/"*.conf 2> /dev/null || true
  done | perl -ne '
    if (/^EnvironmentFile=-?(\S+)/ && open my $in, "<", $1) { while (<$in>) { print "$1=\n" if /^\s*(\w+)=/ } }
    if (/^Environment=(.*)/) { my $all = $1; print "$1=\n" while $all =~ /(?:^|\s)["\x27]?([A-Za-z_]\w*)=/g }'
}

# Prints the key shares of $directory, each followed by a NUL.
signer_shares() {
  [ -d "$directory/tss" ] || return 0
  find "$directory/tss/" -maxdepth 1 -type f -name 'localstate-*.json' -print0
}

# Prints whether $file, a key store, is a non-empty file, or a folder with one.
signer_has() {
  if [ -d "$file" ]; then
    [ -n "$(find "$file/" -type f -size +0 -print -quit)" ] && say yes || say no
  elif [ -s "$file" ]; then say yes; else say no; fi
}

# Prints the ssh host keys that $address shows this host at $port: a line with type and key of each.
signer_scan() {
  timeout 20 ssh-keyscan -T 10 -p "$port" -- "$address" 2> /dev/null | grep -v '^#' | cut -d ' ' -f 2,3 || true
}

# Prints all of $directory as a stream, to measure its rate. Writes nothing, not even access times.
signer_stream() {
  local code=0
  tar --create --format=gnu --atime-preserve=system --ignore-failed-read -C "$directory" . 2> /dev/null || code=$?
  # tar ends with 1 if a file changed meanwhile.
  [ "$code" -le 1 ] || fail "tar ended with $code"
}

# Prints when systemd began and ended the last stops of $service, by its journal: lines Stopping=… and Stopped=… (Unix seconds).
signer_stops() {
  journalctl -u "$service" -o short-unix --no-pager -n 5000 2> /dev/null |
    sed -nE 's/^([0-9.]+) [^ ]+ systemd\[1\]: (Stopping|Stopped) .*/\2=\1/p' | tail -n 20 || true
}

# Prints which of $endpoints (host:port) this host reaches.
signer_reaches() {
  local endpoint
  for endpoint in $endpoints; do
    { if connects "${endpoint%:*}" "${endpoint##*:}"; then say "$endpoint"; fi; } &
  done
  wait
}
