# Lock, journal and facts of an orchestrator's move on a host. Variables of every call: $token (the run's own), $service,
# $directory, $executable, $rpc_port, $side. Those of a call that changes a host: $journal, the journal by which the run decided
# that step, and $fenced_store, the key store's name behind the fence. Journals are in base64; docs/architecture.md, Journal, has
# the format, which only core/orchestrator/rules/journal.ts writes and reads.
orchestrator_journal=$state/orchestrator.json
orchestrator_lock=$state/orchestrator.lock
lease_seconds=30

signer_flock() {
  mkdir -p "$state"
  exec 9> "$state/orchestrator.flock"
  flock -w "$1" 9
}

# Takes this host's lock for the run of $token, unless another run's lease is alive: prints `taken`, or `held SECONDS PID`.
# A lease also ends with the ssh session that made it, so nobody waits for a killed run. A run that lost only its connection
# learns at its next step that it does not own the lock any more.
signer_take_lock() {
  local owner= until=0 session= now
  if ! signer_flock 5; then
    say "held 5"
    return 0
  fi
  read -r owner until session < "$orchestrator_lock" 2> /dev/null || true
  printf -v now '%(%s)T' -1
  if [ -n "$owner" ] && [ "$owner" != "$token" ] && [ "${until:-0}" -gt "$now" ] && [ "$until" -le $((now + lease_seconds)) ] &&
    signer_session_lives "$session"; then
    say "held $((until - now))${session:+ ${session%%:*}}"
    return 0
  fi
  signer_renew_lock
  say taken
}

signer_renew_lock() {
  local now session
  printf -v now '%(%s)T' -1
  signer_session
  (umask 077; printf '%s %s %s\n' "$token" $((now + lease_seconds)) "$session" > "$orchestrator_lock.new")
  mv -f "$orchestrator_lock.new" "$orchestrator_lock"
}

# Sets $session to the process that serves this run's ssh connection, as pid:start (proc(5), stat); empty if there is none.
signer_session() {
  local pid=$$ line name
  session=
  while [ "$pid" -gt 1 ] && { read -r line < "/proc/$pid/stat"; } 2> /dev/null; do
    name=${line#*(}
    set -- ${line##*) }
    case ${name%)*} in sshd* | dropbear*) session=$pid:${20} && return ;; esac
    pid=$2
  done
}
# True if the session still lives, or is unknown: then only the lease's time counts.
signer_session_lives() {
  local line
  [ -n "$1" ] || return 0
  { read -r line < "/proc/${1%:*}/stat"; } 2> /dev/null || return 1
  set -- "$1" ${line##*) }
  [ "${21}" = "${1#*:}" ]
}

# Prints why a move of the orchestrator may be at work on this host; nothing if none is.
signer_at_work() {
  local owner= until=0 session= stage now
  printf -v now '%(%s)T' -1
  { read -r owner until session < "$orchestrator_lock"; } 2> /dev/null || true
  stage=$(signer_says open)
  if [ "${until:-0}" -gt "$now" ] && signer_session_lives "$session"; then say "a run is at work on the move" && return; fi
  [ -z "$stage" ] || say "its journal says $stage"
}

# signer_says open|mayRun: prints the journal's stage if a move is open by it, or if an orchestrator may run here.
signer_says() { sed -n "s/^  \"$1\": \"\(..*\)\",\$/\1/p" "$orchestrator_journal" 2> /dev/null || true; }

# First call of all functions that change a host: a killed engine's provider must do nothing beside the next run.
signer_owned() {
  local owner=
  signer_flock 100 || refuse_run "another run is at work on this host"
  read -r owner _ < "$orchestrator_lock" 2> /dev/null || true
  [ "$owner" = "$token" ] || refuse_run "another run has taken this move over"
  signer_renew_lock
}

# Ends this run's lease, so that the next run need not wait for its end.
signer_drop_lock() {
  local owner=
  signer_flock 5 || return 0
  read -r owner _ < "$orchestrator_lock" 2> /dev/null || true
  if [ "$owner" = "$token" ]; then rm -f "$orchestrator_lock"; fi
}

# Prints the journal; nothing if there is none.
signer_journal() { [ ! -e "$orchestrator_journal" ] || base64 -w0 -- "$orchestrator_journal"; }

# Begins every function that changes a host by a decision of the run. Fails if the journal is not $journal: what the run knows of
# this host is outdated. With exit code 76 it reads both hosts again.
signer_begin() {
  local found
  signer_owned
  found=$(signer_journal)
  if [ "$found" = "$journal" ]; then return 0; fi
  printf '%s: its journal is not the one that this run has read: nothing was done\n' "$host_name" >&2
  exit 76
}
# signer_enter JOURNAL: puts it in the place of $journal, to the disk, unless it is the same. The lock is held since signer_begin.
signer_enter() {
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
signer_is_active() { is_at_work "$service" "$executable" "$rpc_port"; }

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
signer_addresses() { hostname -I 2> /dev/null || true; }

# True if the orchestrator's directory is in place, and none is staged.
signer_is_placed() { is_there "$directory" && ! is_there "$directory.arriving"; }

# Prints the state of this host, which is the last output of every step.
signer_side() {
  local text
  text=$(signer_journal)
  say "journal $text"
  if signer_is_active; then say "active yes"; else say "active no"; fi
  if unit_is_masked "$service"; then say "masked yes"; else say "masked no"; fi
  if signer_is_placed; then say "placed yes"; fi
  say end
}
