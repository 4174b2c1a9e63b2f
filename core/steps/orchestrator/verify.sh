# Facts about an orchestrator that was started.

# Prints whether the unit stays up, Restart and home as in force, its connections, then the last lines of its journal since $since (Unix
# seconds).
orchestrator_life() {
  systemctl show -p ActiveState -p SubState -p NRestarts -p MainPID -p Restart "$service"
  # The home alone: other variables may be secrets.
  systemctl show -p Environment --value "$service" | sed -nE 's/^(.* )?"?HOME=([^" ]*).*/Home=\2/p'
  if has ss; then say "Peers=$(orchestrator_peers)"; fi
  connections_of "$executable"
  say "log"
  orchestrator_said "${log_lines:-50}"
}

# Counts the orchestrators that this host has a connection with: getStatus counts those that are merely known.
orchestrator_peers() {
  ss -Htn state established "( sport = :$p2p_port or dport = :$p2p_port )" | awk '{ sub(/:[0-9]+$/, "", $4); print $4 }' | sort -u | wc -l
}

# Prints the journal's last lines without secrets. At each start the orchestrator prints its configuration with the pass phrase, as
# JSON over many lines, and as values without names. So only lines pass that systemd wrote, or that its logger, Go's log or a panic
# begins, and of those none from where it logs the configuration, and none with a secret value of config.json.
orchestrator_said() {
  local tab=$'\t'
  journalctl -u "$service" ${since:+--since "@$since"} -n $(($1 + 400)) --no-pager --quiet --all -o short-iso 2> /dev/null |
    grep -aE "^[^ ]+ [^ ]+ (systemd\[[0-9]+\]: |[^:]*: ([0-9]{4}-[^$tab]*$tab[A-Z]+$tab|[0-9]{4}/[0-9]{2}/[0-9]{2} |panic: |fatal error: ))" |
    grep -avE "${tab}app/config\.go:|using .*orchestrator config" | sed -E 's/^[^ ]+ [^ ]+ [^:]*: //' |
    grep -avF -f <(orchestrator_secrets) |
    sed -E -e 's#(wss?|https?)://[^/@ ]*@#\1://[removed]@#g' -e 's#((wss?|https?)://[^/ ]+/)[^] "]+#\1[removed]#g' \
      -e 's/[0-9a-fA-F]{40,}/[removed]/g' | orchestrator_redact_words | tail -n "$1" || true
}
# Prints what a person who helps needs of this host: the move's journal, and the logs of the steps, the node and the orchestrator.
host_logs() {
  {
    tail -v -c 30000 "$orchestrator_journal" "$logs"/* || true
    journalctl -u "$node_service" -u 'pillar-host*' -n 300 --no-pager --quiet -o short-iso || true
    orchestrator_said 300
  } 2>&1 | redact
}
# Prints the values of config.json whose keys are named like secrets, as JSON and as text; none below four characters.
orchestrator_secrets() {
  sed -nE -e '/(FileName|PublicKey)"/d' -e 's/.*"[^"]*(pass|secret|key|seed|mnemonic)[^"]*": *"(.{4,})",?$/\2/Ip' "$directory/config.json" 2> /dev/null |
    sed -e p -e 's/\\u0026/\&/g; s/\\u003c/</g; s/\\u003e/>/g; s/\\\(.\)/\1/g'
}
orchestrator_redact_words() {
  sed -E -e 's/\x1b\[[0-9;?]*[A-Za-z]//g' -e 's/\r//g' -e "s/$secret_word.*/\\1 [removed]/I"
}
