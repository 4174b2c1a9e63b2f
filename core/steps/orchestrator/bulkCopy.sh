# Procedure B, step 4, while the old host's signer runs: its directory, into the staging place. The move copies what is missing:
# nothing that goes wrong here is a failure, and without a key that waits for this copy no connection is made. No lease.
receive_into=$directory.arriving
copy_side=copy_receive
progress=yes

nothing_copied() {
  say "$1: nothing is copied now"
  exit 0
}

lease_enter orchestrator 100 || nothing_copied "another run is at work on this host"
[ -e "$copy_dir/bulk" ] || nothing_copied "no copy waits for this host"
[ "$(orchestrator_read_journal)" = "$(cat "$copy_dir/bulk")" ] || nothing_copied "the move has begun or ended here"
if orchestrator_is_active; then nothing_copied "an orchestrator runs here"; fi

mkdir -p "$receive_into" "$runs_dir"
said=$(mktemp "$runs_dir/bulk.XXXXXX")
# However it ends: the key is for this copy alone, and the move makes its own.
trap 'rm -f "$said"; copy_key_away' EXIT
say "copying from $login_user@$copy_address to $receive_into: the old host keeps the key and signs on"
code=0
# Not in a condition, in which bash forgets `set -e`: the copy needs it. In parentheses: bash 5.1 ends a function in the background
# with what its trap for the end saw last.
(orchestrator_copy_now) 2> "$said" &
wait $! || code=$?
if [ "$code" -eq 0 ]; then
  say "copied: $(du -sB1000000 "$receive_into" | cut -f1) MB; what changes until the orchestrator stops is copied after that"
else
  # On one line: of several that come at once an operator is shown the last.
  warn "the directory could not be copied beforehand; the move copies it before it stops anything: $(paste -sd ' ' "$said" | tr -s ' ')"
fi
