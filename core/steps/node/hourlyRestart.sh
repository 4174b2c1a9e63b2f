# Procedure A, steps 9 and 14: sets or comments out the hourly restart in root's crontab. cron_action is on, off or look.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
etc=/etc spool=/var/spool/cron
cron_line="0 * * * * /usr/bin/sudo /usr/sbin/service $service restart"

# Sets $tab to root's crontab. Uses no file, because crontab does not notice if a full disk cuts off its output.
read_crontab() {
  tab=
  has crontab || return 0
  tab=$(crontab -u root -l 2> "$work/error" && printf x) || grep -qi 'no crontab' "$work/error" ||
    fail "root's crontab could not be read" "found: $(head -n 1 "$work/error")"
  tab=${tab%x}
}

# Matches the specification's line, with any blanks in it.
blank='[[:blank:]]+'
pattern="0${blank}\\*${blank}\\*${blank}\\*${blank}\\*${blank}/usr/bin/sudo${blank}/usr/sbin/service${blank}${service//./\\.}${blank}restart[[:blank:]]*$"
# Reads all: a grep that stopped at the first line would let its writer fail.
is_on() { [ "$(printf %s "$tab" | grep -cE "^[[:blank:]]*$pattern")" != 0 ]; }

# Prints a line if the journal has at least four starts of the node since it synced, at regular times: some program restarts
# it that no crontab or timer shows.
regular_starts() {
  is_marked synced || return 0
  journalctl -q --no-pager -o short-unix --since "@$(stat -c %Y "$state/synced")" MESSAGE_ID=39f53479d3a045ac8e11786248231fbf "UNIT=$service.service" 2> /dev/null |
    awk -v service="$service" '{ at[++n] = int($1) } END {
      every = at[n] - at[n - 1]
      if (n < 4 || every < 600) exit
      for (i = n - 1; i > n - 3; i--) { off = at[i] - at[i - 1] - every; if (off > 120 + every / 20 || -off > 120 + every / 20) exit }
      print "systemd\047s journal: " service " starts again every " int(every / 60 + 0.5) " minutes; look for what does it (monit, a container, a script)"
    }' || true
}

# Prints `place: line` for every line of a crontab or timer that restarts or stops the node, directly or in a script.
other_restarts() {
  local line word timers
  local handles="(service|systemctl|init\\.d/|docker|pkill|killall)(.*[^[:alnum:]_-])?(${service//./\\.}|znnd)([^[:alnum:]_-]|\$)"
  set -f
  {
    printf '%s\n' "$tab" | sed "s/^/root's crontab: /"
    set +f
    grep -sHId skip '' "$etc"/crontab "$etc"/cron.{d,hourly,daily}/* "$spool"/* "$spool"/crontabs/* | grep -v "^$spool/\(crontabs/\)\?root:" | sed 's/:/: /' || true
    timers=$(systemctl list-units --type=timer --state=active --plain --no-legend 2> /dev/null | cut -d ' ' -f 1) || true
    [ -z "$timers" ] || systemctl show -p Triggers --value $timers | xargs -r systemctl show -p ExecStart 2> /dev/null | sed 's/^/a timer of systemd: /' || true
  } | while IFS= read -r line; do
    if [[ ${line#*: } =~ ^[[:blank:]]*(#|$) ]]; then continue; fi
    if [[ $line =~ $handles ]]; then say "$line"; continue; fi
    for word in ${line#*: }; do
      word=${word##*=}
      if [[ $word == /?* && -f $word ]] && grep -qsIE "^[^#]*$handles" "$word"; then say "$line"; break; fi
    done
  done
  regular_starts
}

if [ "$cron_action" = look ]; then
  found=off
  if [ "$node_synced" = yes ] || is_marked synced; then
    read_crontab
    found=$(other_restarts)
    found=${found%%$'\n'*}
    if is_on; then found=on; fi
  fi
  say "${found:-off}" | printable
  exit 0
fi
if [ "$node_synced" = yes ]; then
  # Marked first, so that no later run sets the line again, even if this run fails.
  is_marked synced || mark synced
fi
if [ "$cron_action" = on ] && is_marked synced; then
  say "hourly restart: stays off, the node synced at $(cat "$state/synced")"
  exit 0
fi

read_crontab
if [ "$cron_action" = on ]; then
  if is_on; then
    say "hourly restart: on"
    exit 0
  fi
  # Ends the last line, if it has no line break, or ours would be appended to it.
  after=${tab:+${tab%$'\n'}$'\n'}$cron_line$'\n'
else
  after=$(printf %s "$tab" | sed -E "s|^([[:blank:]]*$pattern)|#\\1|" && printf x)
  after=${after%x}
fi

if [ "$after" != "$tab" ]; then
  printf %s "$after" > "$work/after"
  crontab -u root "$work/after" 2> "$work/error" || fail "root's crontab could not be written" "found: $(head -n 1 "$work/error")"
fi
read_crontab
[ "$tab" = "$after" ] || fail "root's crontab differs from what was just written to it" "Look at it with: crontab -l"
if [ "$cron_action" = on ]; then
  say "hourly restart: on, until the node has synced"
  exit 0
fi
others=$(other_restarts)
if [ -n "$others" ]; then
  warn "something else restarts or stops $service at times, and was left as it is: ${others//$'\n'/; }. A restart of a producing node misses momentums."
  say "hourly restart: its line in root's crontab is off"
else
  say "hourly restart: off, in root's crontab; no other crontab or timer restarts the node, nor does it start at regular times"
fi
