# The node's database, judged and cured while the node is stopped: judge.py beside this file says what it prints and how it
# ends. It needs Python alone: a library that opens a LevelDB directory (python3-plyvel is one, in Debian 11 and Ubuntu 22.04)
# rewrites it at once. $database_program is its text.

# Seconds and MiB. As many keys are looked at as a momentum touches, whatever the chain's size: mostly some dozens, in less
# than a second. A momentum of 20,000 in a database of 1.2 GB took a minute and 50 MiB on a machine that was busy.
database_limit=900
database_memory=1024

# It is part of every cloud image of the distributions that are known here, though not of a minimal installation.
need_python() {
  local log=$logs/python.log
  if has python3; then return 0; fi
  mkdir -p "$logs"
  packages_ask_nothing 300
  { apt-get -q -y update && apt-get -q -y install --no-install-recommends python3; } < /dev/null > "$log" 2>&1 || true
  has python3 || fail "python3 is not there, which judges the node's database, and cannot be installed" "$(last_lines "$log" 5)" \
    "Install python3 on the host, then run the same command again."
}

# judge_database DIR: lines on standard output, what it ended by as its status. Writes nothing.
judge_database() { database_tool judge "$1"; }

# cure_database DIR: the same after the cure of what is torn.
cure_database() { database_tool cure "$1"; }

database_tool() {
  local code=0
  timeout -k 10 "$((database_limit + 30))" \
    python3 -I <(printf '%s\n' "$database_program") "$1" "$2" "$database_limit" "$database_memory" < /dev/null || code=$?
  # What was not given back within the time: as where it says so itself.
  case $code in 124 | 137) code=7 ;; esac
  return "$code"
}

# A field for each database of a node that is off ($service, $data_dir); none where nothing can be told at once. Installs
# nothing.
database_facts() {
  local name state why
  has python3 && [ -f "$data_dir/nom/CURRENT" ] || return 0
  while read -r name state _ _ why; do
    case $state in
      sound | torn) say "database=$name $state" ;;
      unreadable) say "database=$name $state $why" ;;
    esac
  done < <(database_limit=10 judge_database "$data_dir" 2> /dev/null || true)
}
