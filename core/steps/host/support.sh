# Prints what a helper has to see of this host: no key store, key share or config.json, and nothing that may be a secret.
support() {
  {
    support_show uname -srm
    support_show cat /etc/os-release
    support_show uptime
    support_show date -u
    support_show free -m
    support_show df -h
    support_show systemctl status --no-pager --full --lines=0 "$node_service" "$service" 'pillar-host*'
    support_show ls -lR "$state" "$logs"
    for file in "$state"/*.json "$logs"/*; do
      if [ -f "$file" ]; then support_show tail -c 30000 "$file"; fi
    done
    support_show journalctl -u "$node_service" -n 300 --no-pager --quiet -o short-iso
    support_show journalctl -u 'pillar-host*' -n 300 --no-pager --quiet -o short-iso
    support_show signer_said 300
  } 2>&1 | support_redact
}

support_show() {
  printf '\n## %s\n' "$*"
  "$@" < /dev/null || printf '(ended with %s)\n' "$?"
}

support_redact() {
  sed -E -e '/-----BEGIN/,/-----END/d' -e 's#://[^/@ ]*@#://[removed]@#g' -e 's#(://[^/ ]+/)[^] "]+#\1[removed]#g' \
    -e 's/[A-Za-z0-9+]{40,}/[removed]/g' -e 's/AGE-SECRET-KEY-[A-Z0-9-]+/[removed]/g' | signer_redact_words
}
