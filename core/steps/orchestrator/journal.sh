# Lock, journal and facts of an orchestrator's move on a host. Variables of every call:
# $token (the run's own), $service, $directory, $executable, $rpc_port; and of the saga: $move, $direction, $side,
# $generation, $is_restore, $source_key, $target_key, $other_address, $other_host_key. docs/architecture.md, Journal, has the format.
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
  stage=$(signer_line stage)
  if [ "${until:-0}" -gt "$now" ] && signer_session_lives "$session"; then say "a run is at work on the move" && return; fi
  case $stage in stopping | restoring | staged | switched | starting) say "its journal says $stage" ;; esac
}

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

# Prints the value of a key of the journal, a text without its quotes. signer_write puts one key on a line. Starts no program,
# nor do those below: each would take milliseconds, while perhaps nobody signs.
signer_line() {
  local line
  [ -r "$orchestrator_journal" ] || return 0
  while IFS= read -r line; do
    if [[ $line == "  \"$1\": "* ]]; then
      line=${line#*: } line=${line%,}
      if [[ $line == \"*\" ]]; then line=${line:1:-1}; fi
      printf '%s\n' "$line"
    fi
  done < "$orchestrator_journal"
}
# Called before any start or copy. Fails if this host's journal has a later generation than this run, or the same one in another
# direction or between other hosts: then the run knows only an earlier move (core/orchestrator/rules/generation.ts).
signer_current() {
  local here
  [ -r "$orchestrator_journal" ] || return 0
  here=$(signer_line generation)
  if [ "$here" -lt "$generation" ]; then return 0; fi
  if [ "$here $(signer_line move) $(signer_line direction) $(signer_line source) $(signer_line target)" = "$generation $move $direction $source_key $target_key" ]; then return 0; fi
  fail "the journal of this host has a later move of the orchestrator, or one between other hosts: $(signer_line move), generation $here" \
    "found: from $(signer_line source) to $(signer_line target)" "needed: generation $generation or less, from $source_key to $target_key" \
    "Nothing was done here by $move."
}

# Prints the stage of this saga on this host; nothing if the journal is of another saga.
signer_stage() {
  [ "$(signer_line move) $(signer_line direction) $(signer_line generation)" != "$move $direction $generation" ] || signer_line stage
}
# Writes a stage unless this saga is in it already.
signer_enter() { [ "$(signer_stage)" = "$1" ] || signer_write "$1"; }
# Sets $was_enabled, $was_unit and $was_store to the orchestrator's state before it was fenced.
signer_was() {
  local was
  was=$(signer_line was)
  was_enabled= was_unit= was_store=
  if [[ $was =~ \"enabled\":(true|false) ]]; then was_enabled=${BASH_REMATCH[1]}; fi
  if [[ $was =~ \"unitFile\":\"([^\"]*)\" ]]; then was_unit=${BASH_REMATCH[1]}; fi
  if [[ $was =~ \"keyStore\":\"([^\"]*)\" ]]; then was_store=${BASH_REMATCH[1]}; fi
}

# Begins every step. Fails if another stack's move is at work here, or took the orchestrator that this move had brought here to
# another host: what this stack knows of it is outdated (core/orchestrator/rules/decideMove.ts).
signer_begin() {
  local found stage was_here='"stage":"(starting|running|stopping|fenced|moved|restoring|restored)","at":"[^"]*","move":"'
  signer_owned
  signer_current
  signer_was
  found=$(signer_line move)
  stage=$(signer_line stage)
  # If a move of this stack had this host on the other side, it was between other hosts.
  if [ -z "$found" ] || { [ "${found%/*}" = "${move%/*}" ] && [ "$(signer_line side)" = "$side" ]; }; then return 0; fi
  case $stage:$side:$direction in
    running:old:forward | running:new:back | restored:old:forward | restored:new:back) return 0 ;;
    *:old:forward | *:new:back | stopping:* | fenced:* | restoring:* | staged:* | switched:* | starting:*) ;;
    *) [[ $(signer_line history) =~ $was_here"$move\"" ]] || return 0 ;;
  esac
  fail "another move is at work on this host, or took its orchestrator elsewhere: $found" "found: $stage" "Nothing was done here by $move."
}

# signer_write STAGE: writes the whole journal to the disk, with the values that $was_… have.
signer_write() {
  local at history was= who=${identity:-}
  if [ -z "$who" ] && [ "$(signer_line move)" = "$move" ]; then who=$(signer_line identity); fi
  TZ=UTC0 printf -v at '%(%FT%TZ)T' -1
  history=$(signer_line history)
  history=${history#[} history=${history%]}
  if [ -n "${was_enabled:-}" ]; then was="\"enabled\":$was_enabled"; fi
  if [ -n "${was_unit:-}" ]; then was="$was,\"unitFile\":\"$was_unit\""; fi
  if [ -n "${was_store:-}" ]; then was="$was,\"keyStore\":\"$was_store\""; fi
  replace_file "$orchestrator_journal" "{
  \"version\": 1,
  \"generation\": $generation,
  \"isRestore\": ${is_restore:-false},
  \"source\": \"$source_key\",
  \"target\": \"$target_key\",
  \"move\": \"$move\",
  \"direction\": \"$direction\",
  \"side\": \"$side\",
  \"other\": {\"address\":\"$other_address\",\"hostKey\":\"$other_host_key\"},
  \"stage\": \"$1\",
  \"at\": \"$at\",
  \"was\": {${was#,}},
  \"identity\": ${who:-null},
  \"history\": [${history:+$history,}{\"stage\":\"$1\",\"at\":\"$at\",\"move\":\"$move\",\"direction\":\"$direction\"}]
}"$'\n' 600
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

# True if this move's files are in place although it was abandoned, because signer_seal was interrupted before its rename.
# False for files from before the move, and for staged ones.
signer_lies_in_place() {
  local ends='\{"stage":"(staged|switched)","at":"[^"]*",'
  ends="$ends\"move\":\"$move\",\"direction\":\"$direction\"\\},\\{\"stage\":\"abandoned\",[^}]*\\}\\]\$"
  [[ $(signer_line history) =~ $ends ]] && is_there "$directory" && ! is_there "$directory.arriving"
}

# Prints the state of this host, which is the last output of every step.
signer_side() {
  printf 'journal %s\n' "$(base64 -w0 < "$orchestrator_journal" 2> /dev/null || true)"
  if signer_is_active; then say "active yes"; else say "active no"; fi
  if unit_is_masked "$service"; then say "masked yes"; else say "masked no"; fi
  if signer_lies_in_place; then say "inPlace yes"; fi
  say end
}
