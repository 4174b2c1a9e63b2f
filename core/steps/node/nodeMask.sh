# Keeps a node off, also at reboots, until its stack is active again. $service is the node's unit.

# Disables the unit, which removes a link: it is copied before. Then moves the unit aside if it is in the mask's place.
mask_node() {
  local unit=/etc/systemd/system/$service.service
  if ! unit_is_masked "$service"; then
    if unit_lies_at "$unit" && [ -L "$unit" ]; then cp -dfT "$unit" "$unit.retired"; fi
    systemctl disable --quiet "$service" 2> /dev/null || true
    if unit_lies_at "$unit"; then mv -fT "$unit" "$unit.retired"; fi
    ln -sfn /dev/null "$unit"
    sync /etc/systemd/system
  fi
  # Always reload, because an earlier run may have been interrupted before it, and systemd would use the unit as it was.
  systemctl daemon-reload
}

# Removes the mask only if a retirement made it.
unmask_node() {
  local unit=/etc/systemd/system/$service.service
  if ! is_marked retired; then return 0; fi
  if unit_is_masked "$service"; then rm -f "$unit"; fi
  if is_there "$unit.retired" && ! is_there "$unit"; then mv -T "$unit.retired" "$unit"; fi
  systemctl daemon-reload
  systemctl enable --quiet "$service" 2> /dev/null || true
  systemctl start "$service" ||
    fail "$service, which a retirement had shut down, does not start again" "$(systemctl status --no-pager -n 5 "$service" 2>&1 | redact | tail -n 5)"
  rm -f "$state/retired"
  say "this stack is active again: $service, which its retirement had shut down, was started. If it was off for more than five minutes, it produces from the next tick on, up to five minutes after it is synced"
}
