# Prints facts for a move as lines of name=value, before the move touches either host. Only reads.

# signer_facts: prints facts of $service, $executable and its $directory.
signer_facts() {
  local at pid home
  fact load "$(systemctl show -p LoadState --value "$service" 2> /dev/null || true)"
  fact active "$(systemctl is-active "$service" 2> /dev/null || true)"
  # The move also looks for the configured name to know that the orchestrator has ended.
  if service_is_active "$service" && ! processes_of "$executable" > /dev/null; then
    fact process "$(ps -o comm= -p "$(systemctl show -p MainPID --value "$service")" || true)"
  fi
  pid=$(systemctl show -p MainPID --value "$service" 2> /dev/null || true)
  if [ "${pid:-0}" -gt 0 ] && [ -r "/proc/$pid/environ" ]; then
    home=$(tr '\0' '\n' < "/proc/$pid/environ" | sed -n 's/^HOME=//p' | head -n 1)
    [ -n "$home" ] || home=$(getent passwd "$(stat -c %u "/proc/$pid")" | cut -d : -f 6)
    fact user "$(stat -c %U "/proc/$pid")"
    fact works "$(readlink -m -- "$home/.orchestrator")"
  fi
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
  fact mount "$(df --output=target -- "$at" | tail -n 1)"
  if [ -x "/usr/local/bin/$executable" ]; then fact executable there; fi
  for tool in tar sha256sum find xargs base64 perl ssh-keyscan; do has "$tool" || fact lacks "$tool"; done
  if [ -e "$state/orchestrator.json" ]; then fact journal "$(base64 -w 0 < "$state/orchestrator.json")"; fi
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

# Prints which of $endpoints (host:port) this host reaches.
signer_reaches() {
  local endpoint
  for endpoint in $endpoints; do
    { if connects "${endpoint%:*}" "${endpoint##*:}"; then say "$endpoint"; fi; } &
  done
  wait
}
