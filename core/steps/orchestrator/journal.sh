# Lock, journal and facts of an orchestrator's move on a host. Variables of every call:
# $token (the run's own), $service, $directory, $executable, $rpc_port; and of the saga: $move, $direction, $side,
# $generation, $source_key, $target_key, $other_address, $other_host_key. docs/architecture.md, Journal, has the format.
orchestrator_journal=$state/orchestrator.json
orchestrator_lock=$state/orchestrator.lock
lease_seconds=30

signer_flock() {
  mkdir -p "$state"
  exec 9> "$state/orchestrator.flock"
  flock -w "$1" 9
}

# Takes this host's lock for the run of $token, unless another run's lease is alive: prints `taken`, or `held SECONDS`.
# A lease ends with the ssh session that made it, too: that of a run which was killed need not be waited for. Whoever lost
# no more than a connection finds at its next step that it is the owner no longer.
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

# Sets $session to the process that serves the ssh connection of this run, as pid:start (proc(5), stat); to nothing where
# there is none above this one.
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
# Without a known session, only the lease's time counts.
signer_session_lives() {
  local line
  [ -n "$1" ] || return 0
  { read -r line < "/proc/${1%:*}/stat"; } 2> /dev/null || return 1
  set -- "$1" ${line##*) }
  [ "${21}" = "${1#*:}" ]
}

# Prints why a move of the signer is not over on this host; asked below its lock.
signer_at_work() {
  local owner= until=0 session= stage now
  printf -v now '%(%s)T' -1
  { read -r owner until session < "$orchestrator_lock"; } 2> /dev/null || true
  stage=$(signer_line stage) stage=${stage//\"/}
  if [ "${until:-0}" -gt "$now" ] && signer_session_lives "$session"; then say "a run is at work on the move" && return; fi
  case $stage in stopping | restoring | staged | switched | starting) say "its journal says $stage" ;; esac
}

# The first line of all that changes a host: an engine that was killed leaves a provider behind, which must do nothing
# beside its successor. Held until the script ends.
signer_owned() {
  local owner=
  signer_flock 100 || refuse_run "another run is at work on this host"
  read -r owner _ < "$orchestrator_lock" 2> /dev/null || true
  [ "$owner" = "$token" ] || refuse_run "another run has taken this move over"
  signer_renew_lock
}

# Ends the run's ownership, so that the next one need not wait for the lease.
signer_drop_lock() {
  local owner=
  signer_flock 5 || return 0
  read -r owner _ < "$orchestrator_lock" 2> /dev/null || true
  if [ "$owner" = "$token" ]; then rm -f "$orchestrator_lock"; fi
}

# A line of the journal, which is written line by line by signer_write alone. Without other programs, here and below: each
# takes milliseconds, and these are counted while nobody signs.
signer_line() {
  local line
  [ -r "$orchestrator_journal" ] || return 0
  while IFS= read -r line; do
    if [[ $line == "  \"$1\": "* ]]; then
      line=${line#*: }
      printf '%s\n' "${line%,}"
    fi
  done < "$orchestrator_journal"
}
# Prints 0 where there is no journal.
signer_generation() {
  local found
  found=$(signer_line generation)
  printf '%s\n' "${found:-0}"
}
# Before all that starts or copies: whoever is told an older generation than this host knows, or the same one for another way or
# between other hosts, knows the signer's past alone (core/orchestrator/rules/generation.ts).
signer_current() {
  local here own
  [ -r "$orchestrator_journal" ] || return 0
  here=$(signer_generation)
  own="\"$move\" \"$direction\" \"$source_key\" \"$target_key\""
  if [ "$here" -lt "$generation" ]; then return 0; fi
  if [ "$here" -eq "$generation" ] && [ "$(signer_line move) $(signer_line direction) $(signer_line source) $(signer_line target)" = "$own" ]; then return 0; fi
  fail "the journal of this host has a later move of the orchestrator, or one between other hosts: $(signer_line move), generation $here" \
    "found: from $(signer_line source) to $(signer_line target)" "needed: generation $generation or less, from \"$source_key\" to \"$target_key\"" \
    "Nothing was done here by $move."
}

# The stage of this saga on this host; nothing where the journal is of another one.
signer_stage() {
  local found
  if [ "$(signer_line move)" = "\"$move\"" ] && [ "$(signer_line direction)" = "\"$direction\"" ] &&
    [ "$(signer_generation)" -eq "$generation" ]; then
    found=$(signer_line stage)
    printf '%s\n' "${found//\"/}"
  fi
}
# Sets the state of the orchestrator before it was fenced: $was_enabled, $was_unit, $was_store.
signer_was() {
  local was
  was=$(signer_line was)
  was_enabled= was_unit= was_store=
  if [[ $was =~ \"enabled\":(true|false) ]]; then was_enabled=${BASH_REMATCH[1]}; fi
  if [[ $was =~ \"unitFile\":\"([^\"]*)\" ]]; then was_unit=${BASH_REMATCH[1]}; fi
  if [[ $was =~ \"keyStore\":\"([^\"]*)\" ]]; then was_store=${BASH_REMATCH[1]}; fi
}

# The beginning of every step: what another stack has begun here is not written over, nor what it did with the signer that
# this move had brought here: what this stack knows of that signer is of the past (core/orchestrator/rules/decideMove.ts).
signer_begin() {
  local found stage was_here='"stage":"(starting|running|stopping|fenced|moved|restoring|restored)","at":"[^"]*","move":"'
  signer_owned
  signer_current
  signer_was
  found=$(signer_line move) found=${found//\"/}
  stage=$(signer_line stage) stage=${stage//\"/}
  # A move of this stack's name that calls this host the other host was between other hosts.
  if [ -z "$found" ] || { [ "${found%/*}" = "${move%/*}" ] && [ "$(signer_line side)" = "\"$side\"" ]; }; then return 0; fi
  case $stage:$side:$direction in
    running:old:forward | running:new:back | restored:old:forward | restored:new:back) return 0 ;;
    *:old:forward | *:new:back | stopping:* | fenced:* | restoring:* | staged:* | switched:* | starting:*) ;;
    *) [[ $(signer_line history) =~ $was_here"$move\"" ]] || return 0 ;;
  esac
  fail "another move is at work on this host, or moved its orchestrator on: $found" "found: $stage" "Nothing was done here by $move."
}

# signer_write STAGE: the journal, whole and on the disk when this returns. What was known before of $was_… stays.
signer_write() {
  local at history was= who=${identity:-}
  if [ -z "$who" ] && [ "$(signer_line move)" = "\"$move\"" ]; then who=$(signer_line identity); fi
  TZ=UTC0 printf -v at '%(%FT%TZ)T' -1
  history=$(signer_line history)
  history=${history#[} history=${history%]}
  if [ -n "${was_enabled:-}" ]; then was="\"enabled\":$was_enabled"; fi
  if [ -n "${was_unit:-}" ]; then was="$was,\"unitFile\":\"$was_unit\""; fi
  if [ -n "${was_store:-}" ]; then was="$was,\"keyStore\":\"$was_store\""; fi
  replace_file "$orchestrator_journal" "{
  \"version\": 1,
  \"generation\": $generation,
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

# is_at_work SERVICE EXECUTABLE PORT: true if the unit is not at rest, a process runs, or the port is open. Any of them may
# produce or sign.
is_at_work() {
  case $(systemctl is-active "$1" 2> /dev/null || true) in active | activating | deactivating | reloading) return 0 ;; esac
  if [ -n "$2" ] && processes_of "$2" > /dev/null; then return 0; fi
  port_is_open "$3"
}
signer_is_active() { is_at_work "$service" "$executable" "$rpc_port"; }

# True if the files of this move are in place though it is abandoned: its seal was cut off before the rename. Files from
# before the move stay, as do staged ones.
signer_lies_in_place() {
  local ends='\{"stage":"(staged|switched)","at":"[^"]*",'
  ends="$ends\"move\":\"$move\",\"direction\":\"$direction\"\\},\\{\"stage\":\"abandoned\",[^}]*\\}\\]\$"
  [[ $(signer_line history) =~ $ends ]] && is_there "$directory" && ! is_there "$directory.arriving"
}

# Prints the state of this side; the last output of every step.
signer_side() {
  printf 'journal %s\n' "$(base64 -w0 < "$orchestrator_journal" 2> /dev/null || true)"
  if signer_is_active; then say "active yes"; else say "active no"; fi
  if unit_is_masked "$service"; then say "masked yes"; else say "masked no"; fi
  if signer_lies_in_place; then say "inPlace yes"; fi
  say end
}
