# Removes what unfinished copies of the chain left here, once the stack wants no copy.
chain_is_left() {
  local place
  for place in "$(chain_arriving)" "$(chain_aside)" "$(chain_drop_in)" "$chain_swapping" "$chain_owner" "$copy_dir"; do
    if is_there "$place"; then return 0; fi
  done
  return 1
}
chain_away() {
  if ! chain_is_left; then return 0; fi
  chain_take
  chain_undo
  chain_discard
  chain_end_new
  say "removed what an unfinished chain copy had left here; the node has its own databases"
}
