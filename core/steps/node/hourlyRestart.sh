# Procedure A, steps 9 and 14: sets or comments out the hourly restart in root's crontab. cron_action is on, off or look.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
etc=/etc spool=/var/spool/cron volatile=/run/log/journal
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

# Prints the node's starts in systemd's journal, and systemd's decisions to start it again after an end.
starts() {
  journalctl -q --no-pager -o short-unix MESSAGE_ID=39f53479d3a045ac8e11786248231fbf MESSAGE_ID=5eb03494b6584870a536b337290809b2 "UNIT=$service.service" "$@" 2> /dev/null || true
}
# Prints a line if the node started again and again since it synced: five times in the last day, or the last four at regular times.
# Some program restarts or kills it that no crontab or timer shows. Starts after failures count only if ten minutes apart: a
# crash loop is reported elsewhere.
repeated_starts() {
  is_marked synced || return 0
  starts --since "@$(stat -c %Y "$state/synced")" | awk -v service="$service" -v now="$EPOCHSECONDS" '/Scheduled restart job/ { ended = 1; next }
    { if (!ended || !n || $1 - last >= 600) at[++n] = int($1); last = $1; ended = 0 }
    END {
      if (n < 4) exit
      every = at[n] - at[n - 1]
      for (i = n - 1; i > n - 3; i--) { off = at[i] - at[i - 1] - every; if (off > 120 + every / 20 || -off > 120 + every / 20) every = 0 }
      if (every >= 600) how = "every " int(every / 60 + 0.5) " minutes"
      else if (n > 4 && now - at[n - 4] < 86400) how = "and again, five times in the last day"
      if (how) print "systemd\047s journal: " service " starts again " how "; look for what does it (monit, a container, a script, a crash)"
    }'
}

# Prints `place: line` for every line of a crontab, timer or unit that restarts or stops the node, directly or in a script, or the host.
other_restarts() {
  local line text word timers
  # `part`: what may stand before a name in the same command.
  local name="(${service//./\\.}|znnd)" end="([^[:alnum:]_-]|\$)" part="([^|;&]*[^[:alnum:]_-])?" verb
  verb="(([a-z][a-z-]*-)?(cond)?(re)?start|force-reload|stop|kill|isolate|down|(disable|mask) +--now|--now +(disable|mask))"
  # A verb comes before the name, or after it. `kill -0` only asks.
  local handles="((systemctl|docker|podman)[^|;&]*[[:blank:]]${verb}[[:blank:]]$part$name$end|(docker|podman)[^|;&]*[^[:alnum:]_-]$name([^[:alnum:]_-][^|;&]*)?[[:blank:]]$verb$end"
  handles+="|(service[[:blank:]]$part|init\\.d/)$name(\\.service)?[[:blank:]]+$verb$end|kill(all)?[[:blank:]]+(-[^0[:blank:]][^[:blank:]]*[[:blank:]]+)*(([^[:blank:]-].*)?[^[:alnum:]_-])?$name$end)"
  # Not looked for in scripts: some only compare the word.
  local reboots="(^|[[:blank:]/;&|(\`]|-c ['\"]|Id=)((systemd-)?(reboot|poweroff|halt|kexec|soft-reboot)(\\.target|\\.service)?|shutdown|(tel)?init[[:blank:]]+[06])([[:blank:];&|)'\"\`]|\$)"
  set -f
  {
    printf '%s\n' "$tab" | sed "s/^/root's crontab: /"
    set +f
    grep -sHId skip '' "$etc"/crontab "$etc"/anacrontab "$etc"/cron.{d,hourly,daily,weekly,monthly}/* "$spool"/* "$spool"/{crontabs,atjobs}/* | grep -v "^$spool/\(crontabs/\)\?root:" | sed 's/:/: /' || true
    timers=$(systemctl list-units --type=timer --state=active --plain --no-legend 2> /dev/null | cut -d ' ' -f 1) || true
    [ -z "$timers" ] || systemctl show -p Triggers --value $timers | xargs -r systemctl show -p Id -p ExecStart 2> /dev/null | sed 's/^/a timer of systemd: /' || true
  } | while IFS= read -r line; do
    text=${line#*: }
    if [[ $text =~ ^[[:blank:]]*(#|$) ]]; then continue; fi
    for word in $text; do
      word=${word//[\'\"]/} word=${word##*=}
      # A pattern of systemctl that means the node.
      if [[ $word == [a-z]*\** && $service == "${word%%\**}"* ]]; then text+=" $service"; fi
      if [[ $word == /?* && -f $word ]] && grep -hsI '^[^#]' "$word" | tr -d "\"'" | grep -E "^[^#]*$handles" > /dev/null; then text=reboot; fi
    done
    if [[ ${text//[\'\"]/} =~ $handles || $text =~ $reboots ]]; then say "$line"; fi
  done
  systemctl show -p RuntimeMaxUSec -p WatchdogUSec "$service" 2> /dev/null | sed -nE "s/^(RuntimeMaxUSec|WatchdogUSec)=[1-9]/the unit of $service: &/p" || true
  repeated_starts
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

check_cron() { systemctl is-active -q cron crond cronie cron.target 2> /dev/null || warn "no cron runs on this host: the line has no effect. Start it with: systemctl enable --now cron"; }
read_crontab
if [ "$cron_action" = on ]; then
  if is_on; then
    say "hourly restart: on"
    check_cron
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
  check_cron
  exit 0
fi
others=$(other_restarts)
if [ -n "$others" ]; then
  warn "something else restarts or stops $service at times, and was left as it is: ${others//$'\n'/; }. A restart of a producing node misses momentums."
  say "hourly restart: its line in root's crontab is off"
else
  say "hourly restart: off, in root's crontab; no other crontab or timer was found that restarts the node"
  [ -n "$(starts -n 1)" ] || warn "systemd's journal has no start of $service: a restart by another program would not be seen in it"
  # There only while the journal is not kept on the disk.
  ! compgen -G "$volatile/*/system.journal" > /dev/null || warn "systemd's journal is lost at each boot: a regular reboot would not be seen in it. Keep it: Storage=persistent in /etc/systemd/journald.conf, then: systemctl restart systemd-journald"
fi
