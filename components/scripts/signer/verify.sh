# What is seen of a signer that was started.

# The unit's life in words that show whether it stays, then the last lines of its journal since $since (unix seconds).
signer_life() {
  systemctl show -p ActiveState -p SubState -p NRestarts -p MainPID "$service"
  say "log"
  signer_said "${log_lines:-50}"
}

# The last lines of its journal without secrets: those of its configuration, and whatever looks like one.
signer_said() {
  journalctl -u "$service" ${since:+--since "@$since"} -n "$1" --no-pager -o cat 2> /dev/null | signer_redact || true
}

# Values of config.json by the names of their keys; long words without meaning; what an address has behind its host.
signer_redact() {
  local values
  values=$(sed -nE 's/.*"[^"]*(Pass|Secret|Key|Seed|Mnemonic)[^"]*": *"(([^"\\]|\\.){6,})".*/\2/Ip' "$directory/config.json" 2> /dev/null || true)
  # In memory of awk, never on a command line.
  VALUES=$values awk '
    BEGIN { n = split(ENVIRON["VALUES"], v, "\n") }
    { for (i = 1; i <= n; i++) while (v[i] != "" && (at = index($0, v[i]))) $0 = substr($0, 1, at - 1) "[removed]" substr($0, at + length(v[i])); print }' |
    sed -E -e 's#(wss?|https?)://[^/@ ]*@#\1://[removed]@#g' -e 's#((wss?|https?)://[^/ ]+/)[^] "]+#\1[removed]#g' \
      -e 's/[0-9a-fA-F]{40,}/[removed]/g' | signer_redact_words
}
signer_redact_words() {
  sed -E -e 's/\x1b\[[0-9;?]*[A-Za-z]//g' -e 's/\r//g' \
    -e 's/(pass(word|phrase|wd)?|mnemonic|entropy|seed|secret|private[ _-]?key).*/\1 [removed]/I'
}
