# The steps of a move on a host, there and back (docs/specification.md, 1.2). Each can be repeated, wherever it was interrupted.

signer_assert_own_unit() {
  case $side in old) assert_own_unit oldHost.orchestrator.service "$service" ;; *) assert_own_unit orchestrator.service "$service" ;; esac
}

# Masks the unit, also for later boots. A unit file, or a link to one, in the mask's place is moved aside first.
signer_mask() {
  local file=/etc/systemd/system/$service.service
  if unit_is_masked "$service"; then return 0; fi
  if unit_lies_at "$file"; then mv -fT "$file" "$file.moved" && was_unit=$file; fi
  # Same as `systemctl mask`, without the reload: signer_see_mask or the next boot makes systemd read it.
  ln -sfn /dev/null "$file"
  unit_is_masked "$service" || fail "$service could not be masked" "found: $(ls -l "$file" 2>&1)"
  sync /etc/systemd/system
}

# Makes systemd read the mask now, so that a start by hand is refused, too.
signer_see_mask() {
  if [ "$(systemctl show -p LoadState --value "$service")" != masked ]; then systemctl daemon-reload; fi
}

# Waits until nothing here can sign: the process is gone, the RPC port closed, the lock free.
signer_wait_for_end() {
  local ends=$((SECONDS + 30))
  while signer_is_active || ! signer_lock_is_free; do
    [ "$SECONDS" -lt "$ends" ] ||
      fail "the orchestrator of this host does not stop" "found: unit $(systemctl is-active "$service" || true), processes: $(processes_of "$executable" | tr '\n' ' ')" \
        "needed: stop its processes. See them with: ps -ef | grep $executable"
    sleep 0.02
  done
}
signer_lock_is_free() { [ ! -e "$directory/.lock" ] || flock -n "$directory/.lock" true; }

# Stops the orchestrator, also for later boots. Writes the journal first, with what a rollback needs.
signer_stop() {
  signer_assert_own_unit
  signer_begin
  if [ "$(signer_stage)" != stopping ]; then
    was_enabled=false was_unit= was_store=
    if [ "$(systemctl is-enabled "$service" 2> /dev/null || true)" = enabled ]; then was_enabled=true; fi
    local file=/etc/systemd/system/$service.service
    if unit_lies_at "$file"; then was_unit=$file; fi
    # Choose the name for the fenced key store now, while the orchestrator still signs. A command of its own: within the words of the
    # next command its failure would not end the script.
    was_store=$(signer_key_store "$directory")
    TZ=UTC0 printf -v was_store '%s/%s.moved-to-%s-%(%Y%m%dT%H%M%SZ)T' "$directory" "$was_store" "$other_address" -1
    signer_write stopping
  fi
  # Mask before the stop: a boot in between starts nothing, and the mask is written while the orchestrator still signs.
  signer_mask
  systemctl stop "$service" 2> /dev/null || true
  signer_wait_for_end
  signer_side
  # In the background, because signer_fence checks it later, and other work comes first.
  systemctl daemon-reload < /dev/null > /dev/null 2>&1 9>&- &
}

# Renames the key store to a name that tells where the orchestrator went.
signer_fence() {
  signer_begin
  case $(signer_stage) in stopping | fenced) ;; *) fail "this move did not stop the orchestrator of this host: not fenced" ;; esac
  unit_is_masked "$service" || fail "$service is not masked: not fenced"
  signer_see_mask
  if signer_is_active; then fail "the orchestrator runs again on this host: not fenced"; fi
  if [ ! -e "$was_store" ]; then mv -T "$(signer_plain_store "$was_store")" "$was_store"; fi
  sync "$directory"
  signer_enter fenced
  signer_side
}

# Undoes the fencing in reverse order, and starts the orchestrator. The journal says already that this host may sign.
signer_unfence_and_start() {
  local file=/etc/systemd/system/$service.service store
  store=$(signer_plain_store "$was_store")
  if [ -n "$store" ] && [ -e "$was_store" ] && [ ! -e "$store" ]; then mv -T "$was_store" "$store"; fi
  if unit_is_masked "$service"; then rm -f "$file"; fi
  if is_there "$file.moved" && ! is_there "$file"; then mv -T "$file.moved" "$file"; fi
  # systemd reads a unit anew at each query if nothing refers to it; otherwise only at a reload.
  if [ "$(systemctl show -p LoadState -p NeedDaemonReload --value "$service" | tr '\n' ' ')" != "loaded no " ]; then systemctl daemon-reload; fi
  systemctl reset-failed "$service" 2> /dev/null || true
  systemctl start "$service" 2> /dev/null || fail "$service does not start" "$(signer_said 10)"
  signer_side
}

# Starts the source's orchestrator again. Called only after the target was read as masked and not started.
signer_restore() {
  signer_begin
  case $(signer_stage) in stopping | fenced | restoring | restored) ;; *) fail "this move did not stop the orchestrator of this host: not started" ;; esac
  signer_enter restoring
  signer_unfence_and_start
}

# Makes the staging directory beside $directory: on the same file system, so that one rename puts it in place.
signer_staging() {
  signer_begin
  # Checked before the other host stops: an orchestrator is of no use on a host without a node.
  if is_marked retired; then
    fail "the node of this host was shut down for good: no orchestrator moves here" "found: since $(head -n 1 "$state/retired")" \
      "needed: set lifecycle in this host's own stack to active or adopted, or leave the orchestrator where it is: remove pillar-host:orchestrator.rollback, then $(pulumi_up)"
  fi
  case $(signer_line stage) in starting | running) fail "an orchestrator was started on this host: nothing is staged beside it" ;; esac
  if signer_is_active; then fail "an orchestrator runs here: nothing is staged beside it" "See it with: systemctl status $service"; fi
  signer_enter staging
  mkdir -p "$directory.arriving"
  signer_side
}

# Puts the copy in place with one rename, after it was compared with the source, which is fenced.
signer_arrive() {
  signer_begin
  case $(signer_stage) in staging | staged) ;; *) fail "no orchestrator directory is staged on this host" ;; esac
  if signer_is_active; then fail "an orchestrator runs here: its directory is not replaced" "See it with: systemctl status $service"; fi
  if [ -d "$directory.arriving" ]; then
    signer_place_config "$directory.arriving/config.json"
    sync "$directory.arriving"
  fi
  # Once staged, the copy is put in place without another comparison, so all of it must be on the disk (signer_flush).
  signer_enter staged
  if [ -d "$directory.arriving" ]; then
    if [ -e "$directory" ] || [ -L "$directory" ]; then
      local aside
      aside=$directory.before-$(date -u +%Y%m%dT%H%M%SZ)
      mv -T "$directory" "$aside"
      say "the directory that was there before is kept as $aside"
    fi
    mv -T "$directory.arriving" "$directory"
    sync "$(dirname "$directory")"
  fi
  was_store=
  signer_write switched
  signer_side
}

# signer_place_config FILE: replaces FILE by $config (base64), as made by core/orchestrator/rules/adaptConfig.ts.
signer_place_config() {
  [ -n "$config" ] || fail "the orchestrator's configuration for this host is missing: nothing was put in place" "needed: $1"
  cp -p "$1" "$1.new"
  base64 -d <<< "$config" > "$1.new"
  sync "$1.new"
  mv -f "$1.new" "$1"
}

# Starts the orchestrator. Writes the journal before, because from then on this host may sign.
signer_start() {
  signer_begin
  case $(signer_stage) in switched | starting) ;; *) fail "the orchestrator's directory is not in place on this host: not started" ;; esac
  local store
  store=$(signer_key_store "$directory")
  [ -e "$directory/$store" ] && [ -s "$directory/config.json" ] || fail "$directory is incomplete: not started" "needed: $store and config.json in it"
  signer_enter starting
  signer_unfence_and_start
}

# signer_settle: writes $stage (running, moved or restored), for which the caller has seen the evidence.
signer_settle() {
  signer_begin
  case $stage in
    running) systemctl enable --quiet "$service" 2> /dev/null || warn "$service could not be enabled: it will not start at a boot" ;;
    restored) if [ "$was_enabled" != false ]; then systemctl enable --quiet "$service" 2> /dev/null || true; fi ;;
  esac
  signer_enter "$stage"
  signer_side
}

# Makes sure that this host can't sign. The caller reads that back before it starts the other host.
signer_seal() {
  signer_assert_own_unit
  signer_begin
  case $(signer_line stage) in starting | running) fail "the orchestrator of this host was started: it is not sealed" ;; esac
  systemctl stop "$service" 2> /dev/null || true
  signer_mask
  signer_see_mask
  signer_wait_for_end
  # Before the rename: a run that comes in between must not take what lies here for a directory in place.
  signer_enter abandoned
  # Decided by the files, because a run that was interrupted here has already written the stage.
  if signer_lies_in_place; then
    mv -T "$directory" "$directory.arriving"
    sync "$(dirname "$directory")"
  fi
  signer_side
}
