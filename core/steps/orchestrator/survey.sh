# Questions to a host before its orchestrator moves. Only read.

# Prints whether $file, a key store, is a non-empty file, or a folder with one.
orchestrator_has() { if holds_any "$file"; then say yes; else say no; fi; }

# Prints the ssh host key of $key_type (ed25519, …) that $address shows this host at $port, as type and key. A scan for all types makes
# several connections, for which some hosts lock their caller out.
orchestrator_scan() {
  timeout 20 ssh-keyscan -T 10 -t "$key_type" -p "$port" -- "$address" 2> /dev/null | grep -v '^#' | cut -d ' ' -f 2,3 || true
}

# Prints all of $directory as a stream, to measure its rate. Writes nothing, not even access times.
orchestrator_stream() {
  local code=0
  tar --create --format=gnu --atime-preserve=system --ignore-failed-read -C "$directory" . 2> /dev/null || code=$?
  # tar ends with 1 if a file changed meanwhile.
  [ "$code" -le 1 ] || fail "tar ended with $code"
}

# Prints which of $endpoints (host:port) this host reaches.
orchestrator_reaches() {
  local endpoint
  for endpoint in $endpoints; do
    { if connects "${endpoint%:*}" "${endpoint##*:}"; then say "$endpoint"; fi; } &
  done
  wait
}
