# A run's lease on a host, by name: only the run that has it changes what the name stands for. $state/NAME.lock has that run's
# $token, the end of its time, the ssh session that took it (pid:start, or -), and its stack. $state/NAME.flock lets in one call at
# a time. The run takes it by core/host/rootPair.ts.

# lease_enter NAME SECONDS: lets no other call in until this script ends or closes file 9. False if another one stays in so long.
lease_enter() {
  mkdir -p "$state"
  exec 9> "$state/$1.flock"
  flock -w "$2" 9
}

# lease_take NAME SECONDS STACK: takes the lease for the run of $token, unless another run's is alive. Prints `taken`, or `held
# SECONDS PID STACK`. No run gives its lease back: its connections end with it. One that lost only its connection learns at its
# next call that another run has taken the lease meanwhile.
lease_take() {
  local owner= session=- holder= left=5
  if lease_enter "$1" 5 && { ! lease_lives "$@" || [ "$owner" = "$token" ]; }; then
    lease_renew "$@"
    say taken
  else
    say "held $left ${session%%:*} $holder"
  fi
}

# lease_lives NAME SECONDS [STACK]: true if there is a lease whose time is not over; sets $owner, $holder, $session and $left. One
# of the same stack also ends with its session, so that nobody waits for a killed run. Another stack's does not: after a lost
# connection its run finds the host as it was.
lease_lives() {
  local until now line
  owner= until=0 session=- holder=
  { read -r owner until session holder < "$state/$1.lock"; } 2> /dev/null || true
  [[ $until =~ ^[0-9]{1,12}$ ]] || until=0
  printf -v now '%(%s)T' -1
  left=$((until - now))
  # A clock that was set back keeps no lease for longer than twice its time.
  [ "$left" -gt 0 ] && [ "$left" -le $(($2 * 2)) ] || return 1
  if [ "$holder" != "${3:-$holder}" ] || [ "${session:--}" = - ]; then return 0; fi
  { read -r line < "/proc/${session%:*}/stat"; } 2> /dev/null || return 1
  set -- ${line##*) }
  [ "${20}" = "${session#*:}" ]
}

# lease_at_work NAME SECONDS: true while a run has the lease, or a call of a run takes longer than the lease does.
lease_at_work() { lease_lives "$@" || { [ -e "$state/$1.flock" ] && ! flock -ns "$state/$1.flock" true; }; }

# Writes the lease, with the process that serves this run's ssh connection as its session (proc(5), stat).
lease_renew() {
  local name=$1 holder=$3 now ends session=- pid=$$ line
  printf -v now '%(%s)T' -1
  ends=$((now + $2))
  while [ "$pid" -gt 1 ] && { read -r line < "/proc/$pid/stat"; } 2> /dev/null; do
    set -- ${line##*) }
    line=${line#*(}
    case ${line%)*} in sshd* | dropbear*) session=$pid:${20} && break ;; esac
    pid=$2
  done
  # Not by replace_file, which waits for the disk, while perhaps nobody signs.
  (umask 077; printf '%s %s %s %s\n' "$token" "$ends" "$session" "$holder" > "$state/$name.lock.new") && mv -f "$state/$name.lock.new" "$state/$name.lock" ||
    fail "the lock of this run could not be written: $state/$name.lock" "found: $(df -Ph "$state" | awk 'NR == 2 { print $4 " free on " $6 }')" "needed: make room there"
}

# lease_owned NAME SECONDS STACK WHY: first call of all functions that change a host: a killed engine's provider must do nothing
# beside the next run. Renews the lease; its own run keeps it also after its time, unless another one took it.
lease_owned() {
  local owner session holder left
  lease_enter "$1" 100 || refuse_run "another run is at work on this host"
  lease_lives "$1" "$2" || true
  [ "$owner" = "$token" ] || refuse_run "$4"
  lease_renew "$@"
}
