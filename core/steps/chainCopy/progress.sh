# Progress of the copy, which other commands show. Kept in memory, because the disk may be full.
chain_runs=/run/pillar-host
chain_progress=$chain_runs/chain-copy.progress

# chain_note PHASE [BYTES ALL]: writes one line, with time and bytes at the phase's begin and now. Without BYTES, keeps the last.
chain_note() {
  local phase= since= from= now bytes= all=
  now=$(date +%s)
  if [ -r "$chain_progress" ]; then read -r phase since from _ bytes all < "$chain_progress" || true; fi
  bytes=${2:-${bytes:-0}} all=${3:-${all:-0}}
  if [ "$phase" != "$1" ]; then since=$now from=$bytes; fi
  { mkdir -p "$chain_runs" && printf '%s %s %s %s %s %s\n' "$1" "$since" "$from" "$now" "$bytes" "$all" > "$chain_progress.new" &&
    mv -f "$chain_progress.new" "$chain_progress"; } 2> /dev/null || true
}
chain_note_away() { rm -f "$chain_progress"; }

# chain_copy_facts ARRIVING: prints fields for core/ssh/hostFacts.ts; none if no copy is there. Only reads.
chain_copy_facts() {
  if [ -r "$chain_progress" ]; then
    say "chainCopy.progress=$(head -n 1 "$chain_progress") $(date +%s)"
  elif [ -d "$1" ]; then
    say "chainCopy.at=$1"
    say "chainCopy.left=$(find "$1" -type f -printf '%s\n' 2> /dev/null | awk '{ sum += $1 } END { printf "%.0f", sum }')"
  fi
}

# chain_size BYTES: prints a size for people.
chain_size() { awk -v bytes="$1" 'BEGIN { if (bytes >= 1e9) printf "%.1f GB", bytes / 1e9; else printf "%d MB", (bytes + 999999) / 1e6 }'; }
