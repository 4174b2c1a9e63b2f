# Lease, journal and facts of an orchestrator's move on a host. Variables of every call: $token (the run's own), $service,
# $directory, $executable, $rpc_port, $side. Those of a call that changes a host: $journal, the journal by which the run decided
# that step, and $fenced_store, the key store's name behind the fence. Journals are in base64; docs/architecture.md, Journal, has
# the format, which only core/orchestrator/rules/journal.ts writes and reads.
orchestrator_journal=$state/orchestrator.json
orchestrator_lease=(orchestrator 30)

orchestrator_take_lease() { lease_take "${orchestrator_lease[@]}" "$stack_word"; }
# First call of all functions that change a host.
orchestrator_owned() { lease_owned "${orchestrator_lease[@]}" "$stack_word" "another run has taken this move over"; }

# Prints why a move of the orchestrator may be at work on this host; nothing if none is.
orchestrator_at_work() {
  local owner session holder left stage
  stage=$(orchestrator_says open)
  if lease_lives "${orchestrator_lease[@]}"; then say "a run is at work on the move" && return; fi
  [ -z "$stage" ] || say "its journal says $stage"
}

# orchestrator_says open|mayRun: prints the journal's stage if a move is open by it, or if an orchestrator may run here.
orchestrator_says() { sed -n "s/^  \"$1\": \"\(..*\)\",\$/\1/p" "$orchestrator_journal" 2> /dev/null || true; }

# Prints the journal; nothing if there is none.
orchestrator_read_journal() { [ ! -e "$orchestrator_journal" ] || base64 -w0 -- "$orchestrator_journal"; }

# Begins every function that changes a host by a decision of the run. Fails if the journal is not $journal: what the run knows of
# this host is outdated. With exit code 76 it reads both hosts again.
orchestrator_begin() {
  local found
  orchestrator_owned
  found=$(orchestrator_read_journal)
  if [ "$found" = "$journal" ]; then return 0; fi
  printf '%s: its journal is not the one that this run has read: nothing was done\n' "$host_name" >&2
  exit 76
}
# orchestrator_enter JOURNAL: puts it in the place of $journal, to the disk, unless it is the same. No other call is let in since orchestrator_begin.
orchestrator_enter() {
  if [ "$1" = "$journal" ]; then return 0; fi
  replace_file "$orchestrator_journal" "$(base64 -d <<< "$1")"$'\n' 600
  journal=$1
}

# is_at_work SERVICE EXECUTABLE PORT: true if the unit is not at rest, a process runs, or the port is open.
is_at_work() {
  case $(systemctl is-active "$1" 2> /dev/null || true) in active | activating | deactivating | reloading) return 0 ;; esac
  if [ -n "$2" ] && processes_of "$2" > /dev/null; then return 0; fi
  port_is_open "$3"
}
orchestrator_is_active() { is_at_work "$service" "$executable" "$rpc_port"; }

# connections_of NAME: prints the other end of each TCP connection that processes of this name have, as the kernel does (proc(5),
# net/tcp); 127.0.0.1 if that is this host. Leaves out those that came in, at a port on which the process listens.
connections_of() {
  local pid
  for pid in $(processes_of "$1" || true); do
    { find "$proc/$pid/fd" -lname 'socket:*' -printf '%l\n'; cat "$proc/$pid/net/tcp" "$proc/$pid/net/tcp6"; } 2> /dev/null |
      awk -F '[][ :]+' '{ sub(/^ */, " ") }
        $2 == "socket" { mine[$3] }
        $15 in mine && $7 == "0A" { listens[$4] }
        $15 in mine && $7 == "01" && !($4 in listens) { print "connection=" ($3 == $5 ? "0100007F" : $5) ":" $6 }' || true
  done
}
# Prints the IP addresses of this host.
orchestrator_addresses() { hostname -I 2> /dev/null || true; }

# True if the orchestrator's directory is in place, and none is staged.
orchestrator_is_placed() { is_there "$directory" && ! is_there "$directory.arriving"; }

# Prints the state of this host, which is the last output of every step.
orchestrator_side() {
  local text
  text=$(orchestrator_read_journal)
  say "journal $text"
  if orchestrator_is_active; then say "active yes"; else say "active no"; fi
  if unit_is_masked "$service"; then say "masked yes"; else say "masked no"; fi
  if orchestrator_is_placed; then say "placed yes"; fi
  say end
}
