# The steps of a move on a host, there and back (docs/specification.md, 1.2). Each can be repeated, wherever it was interrupted.
# TypeScript decides by both journals which step is due. It writes $next_journal, and $last_journal after it, as its journal.

orchestrator_assert_own_unit() {
  case $side in old) assert_own_unit oldHost.orchestrator.service "$service" ;; *) assert_own_unit orchestrator.service "$service" ;; esac
}

# Masks the unit, also for later boots. A unit file, or a link to one, in the mask's place is moved aside first.
orchestrator_mask() {
  local file=/etc/systemd/system/$service.service
  if unit_is_masked "$service"; then return 0; fi
  if unit_lies_at "$file"; then mv -fT "$file" "$file.moved"; fi
  # Same as `systemctl mask`, without the reload: orchestrator_see_mask or the next boot makes systemd read it.
  ln -sfn /dev/null "$file"
  unit_is_masked "$service" || fail "$service could not be masked" "found: $(ls -l "$file" 2>&1)"
  sync /etc/systemd/system
}

# Makes systemd read the mask now, so that a start by hand is refused, too.
orchestrator_see_mask() {
  if [ "$(systemctl show -p LoadState --value "$service")" != masked ]; then systemctl daemon-reload; fi
}

# Waits until nothing here can sign: the process is gone, the RPC port closed, the lock free.
orchestrator_wait_for_end() {
  local ends=$((SECONDS + 30))
  while orchestrator_is_active || ! orchestrator_lock_is_free; do
    [ "$SECONDS" -lt "$ends" ] ||
      fail "the orchestrator of this host does not stop" "found: unit $(systemctl is-active "$service" || true), processes: $(processes_of "$executable" | tr '\n' ' ')" \
        "needed: stop its processes. See them with: ps -ef | grep $executable"
    sleep 0.02
  done
}
orchestrator_lock_is_free() { [ ! -e "$directory/.lock" ] || flock -n "$directory/.lock" true; }

# Prints the name of the key store.
orchestrator_store() { orchestrator_key_store "$directory"; }

# Stops the orchestrator, also for later boots. Writes the journal first, with the name that the fence will give to the key store.
orchestrator_stop() {
  orchestrator_assert_own_unit
  orchestrator_begin
  orchestrator_enter "$next_journal"
  # Mask before the stop: a boot in between starts nothing, and the mask is written while the orchestrator still signs.
  orchestrator_mask
  systemctl stop "$service" 2> /dev/null || true
  orchestrator_wait_for_end
  orchestrator_side
  # In the background, because orchestrator_fence checks it later, and other work comes first.
  systemctl daemon-reload < /dev/null > /dev/null 2>&1 9>&- &
}

# Renames the key store to a name that tells where the orchestrator went.
orchestrator_fence() {
  orchestrator_begin
  unit_is_masked "$service" || fail "$service is not masked: not fenced"
  orchestrator_see_mask
  if orchestrator_is_active; then fail "the orchestrator runs again on this host: not fenced"; fi
  local store=$directory/${fenced_store:?}
  if [ ! -e "$store" ]; then mv -T "$(orchestrator_plain_store "$store")" "$store"; fi
  sync "$directory"
  orchestrator_enter "$next_journal"
  orchestrator_side
}

# Undoes the fencing in reverse order, and starts the orchestrator. The journal says already that this host may sign.
orchestrator_unfence_and_start() {
  local file=/etc/systemd/system/$service.service aside=$directory/$fenced_store store
  store=$(orchestrator_plain_store "$aside")
  if [ -n "$fenced_store" ] && [ -e "$aside" ] && [ ! -e "$store" ]; then mv -T "$aside" "$store"; fi
  if unit_is_masked "$service"; then rm -f "$file"; fi
  if is_there "$file.moved" && ! is_there "$file"; then mv -T "$file.moved" "$file"; fi
  # systemd reads a unit anew at each query if nothing refers to it; otherwise only at a reload.
  if [ "$(systemctl show -p LoadState -p NeedDaemonReload --value "$service" | tr '\n' ' ')" != "loaded no " ]; then systemctl daemon-reload; fi
  systemctl reset-failed "$service" 2> /dev/null || true
  systemctl start "$service" 2> /dev/null || fail "$service does not start" "$(orchestrator_said 10)"
  orchestrator_side
}

# Starts the source's orchestrator again. Called only after the target was read as masked and not started.
orchestrator_restore() {
  orchestrator_begin
  orchestrator_enter "$next_journal"
  orchestrator_unfence_and_start
}

# Makes the staging directory beside $directory: on the same file system, so that one rename puts it in place.
orchestrator_staging() {
  orchestrator_begin
  # Checked before the other host stops: an orchestrator is of no use on a host without a node.
  if is_marked retired; then
    fail "the node of this host was shut down for good: no orchestrator moves here" "found: since $(head -n 1 "$state/retired")" \
      "needed: set lifecycle in this host's own stack to active or adopted, or leave the orchestrator where it is: remove pillar-host:orchestrator.rollback, then $(pulumi_up)"
  fi
  if orchestrator_is_active; then fail "an orchestrator runs here: nothing is staged beside it" "See it with: systemctl status $service"; fi
  orchestrator_enter "$next_journal"
  mkdir -p "$directory.arriving"
  orchestrator_side
}

# Puts the copy in place with one rename, after it was compared with the source, which is fenced.
orchestrator_arrive() {
  orchestrator_begin
  if orchestrator_is_active; then fail "an orchestrator runs here: its directory is not replaced" "See it with: systemctl status $service"; fi
  # Once staged, it may be in place already.
  [ "$next_journal" = "$journal" ] || [ -d "$directory.arriving" ] || fail "no copy of the orchestrator's directory is staged on this host: nothing was put in place"
  if [ -d "$directory.arriving" ]; then
    orchestrator_place_config "$directory.arriving/config.json"
    sync "$directory.arriving"
  fi
  # Once staged, the copy is put in place without another comparison, so all of it must be on the disk (orchestrator_flush).
  orchestrator_enter "$next_journal"
  if [ -d "$directory.arriving" ]; then
    if is_there "$directory"; then
      local aside
      aside=$directory.before-$(date -u +%Y%m%dT%H%M%S.%N)
      mv -T "$directory" "$aside"
      say "the directory that was there before is kept as $aside"
    fi
    mv -T "$directory.arriving" "$directory"
    sync "$(dirname "$directory")"
  fi
  orchestrator_enter "$last_journal"
  orchestrator_side
}

# orchestrator_place_config FILE: replaces FILE by $config (base64), as made by core/orchestrator/rules/adaptConfig.ts.
orchestrator_place_config() {
  [ -n "$config" ] || fail "the orchestrator's configuration for this host is missing: nothing was put in place" "needed: $1"
  cp -p "$1" "$1.new"
  base64 -d <<< "$config" > "$1.new"
  sync "$1.new"
  mv -f "$1.new" "$1"
}

# Starts the orchestrator. Writes the journal before, because from then on this host may sign.
orchestrator_start() {
  orchestrator_begin
  local store
  store=$(orchestrator_key_store "$directory")
  [ -e "$directory/$store" ] && [ -s "$directory/config.json" ] || fail "$directory is incomplete: not started" "needed: $store and config.json in it"
  orchestrator_enter "$next_journal"
  orchestrator_unfence_and_start
}

# Writes a saga's last stage on this host, for which the caller has seen the evidence. A mask leaves the unit's links for the boot
# as they were, so that only an orchestrator that came here is to be enabled.
orchestrator_settle() {
  orchestrator_begin
  if [ "$enable" = yes ]; then systemctl enable --quiet "$service" 2> /dev/null || warn "$service could not be enabled: it will not start at a boot"; fi
  orchestrator_enter "$next_journal"
  orchestrator_side
}

# Makes sure that this host can't sign. The caller reads that back before it starts the other host.
orchestrator_seal() {
  orchestrator_assert_own_unit
  orchestrator_begin
  systemctl stop "$service" 2> /dev/null || true
  orchestrator_mask
  orchestrator_see_mask
  orchestrator_wait_for_end
  # Before the rename: a run that comes in between must not take what lies here for a directory in place.
  orchestrator_enter "$next_journal"
  # By the journal the copy may be in place, and the files tell: a run that was interrupted here has already written the stage.
  if [ "$may_lie" = yes ] && orchestrator_is_placed; then
    mv -T "$directory" "$directory.arriving"
    sync "$(dirname "$directory")"
  fi
  orchestrator_side
}
