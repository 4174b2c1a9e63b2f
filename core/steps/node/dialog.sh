# Talks to the controller through a terminal: without one it deploys, whatever was asked.
#
# dialog LABEL SECONDS: chooses the menu item LABEL by its number, and hands each line to on_line, without colours. Answers
# known_questions with yes; stops the controller at any other question. Sets dialog_result to ended, question or deadline, and
# dialog_question. Fails if the controller ends before its menu: then it refused to start. Its exit code is 0 even after a failure.
dialog() {
  local label=$1 end=$((SECONDS + $2)) work line piece='' text='' asked='' silent=0 chosen='' before='' is_over='' wait_seconds=0.1
  declare -A menu=()
  dialog_result=ended dialog_question=''
  work=$(mktemp -d /dev/shm/pillar-host-dialog.XXXXXX)
  mkfifo "$work/in" "$work/out"
  # This pipe is opened for reading and writing, so that the controller never reads an end of input. The other one, which is read
  # here, ends with the controller's terminal.
  exec 3<> "$work/in" 5<> "$work/out" 4< "$work/out"
  rm -r "$work"
  take_proxy
  # The controller only runs if it finds a known shell in SHELL or, without SHELL, as its parent.
  (cd "$controller_dir" && SHELL=/bin/bash exec setsid script -qefc "stty cols 200 rows 50; exec ./$controller_name" /dev/null) <&3 >&5 2>&1 3>&- 4<&- 5>&- 7>&- &
  local child=$!
  exec 5>&-

  while [ -z "$is_over" ] && [ "$dialog_result" = ended ]; do
    silent=$((silent + 1))
    kill -0 "$child" 2> /dev/null || is_over=yes wait_seconds=10
    # Ends after a tenth of a second without output, perhaps with a piece of a line; after the controller's end, with its last line.
    while [ "$SECONDS" -lt "$end" ] && IFS= read -r -t "$wait_seconds" -u 4 piece; do
      plain "$text$piece"
      text='' silent=0
      if [[ $line =~ ^[[:blank:]]*([0-9]+)\)[[:blank:]](.*[^[:blank:]]) ]]; then menu[${BASH_REMATCH[2]}]=${BASH_REMATCH[1]}; fi
      hear "$line"
      answer "$line"
    done
    text+=$piece
    if [ -n "$piece" ]; then silent=0; fi
    plain "$text"
    if [ -n "$is_over" ]; then
      [ -z "$line" ] || hear "$line"
      break
    fi
    answer "$line"
    # After 20 s without output, a line that ends like a question is an unknown prompt, not a pause of a build.
    if [ "$silent" -ge 200 ] && [ "$line" != "$asked" ] && [[ $line =~ [?:][[:blank:]]*$ ]]; then
      # The menu's prompt may come before the question, if the terminal echoed the choice first.
      dialog_result=question dialog_question=${line#> }
    elif [ "$SECONDS" -ge "$end" ]; then dialog_result=deadline; fi
  done
  stop_controller
  exec 3>&- 4<&-
  wait "$child" 2> /dev/null || true
  [ "$dialog_result" != ended ] || [ -n "$chosen" ] ||
    fail "the controller ended before its menu" "found: $(redact <<< "${before%$'\n'}" | tail -n 5)" \
      "needed: run the controller by hand on the host, as root: cd $controller_dir && ./$controller_name" "Then: $(pulumi_up)"
}

hear() {
  [ -n "$chosen" ] || before+=$1$'\n'
  on_line "$1"
}

# Kills the controller before its terminal, whose end would answer an open question with the default: perhaps overwrite a key.
stop_controller() {
  local pid
  for pid in $(ps -o pid= --ppid "$child" 2> /dev/null || true); do
    kill -KILL -- "-$pid" "$pid" 2> /dev/null || true
  done
  kill -KILL -- "-$child" 2> /dev/null || true
}

# Sets line to its argument without colours and carriage returns.
plain() {
  line=${1//$'\r'/}
  while [[ $line =~ $'\e'\[[0-9\;?]*[A-Za-z] ]]; do line=${line//"${BASH_REMATCH[0]}"/}; done
}

# Answers the menu and each known question once. Does not answer what the terminal only echoes.
answer() {
  local question
  if [ -z "$chosen" ] && [[ $1 == *"Select an option from the ones listed above"* ]]; then
    chosen=${menu[$label]:-} asked=$1
    if [ -n "$chosen" ]; then printf '%s\n' "$chosen" >&3
    else dialog_result=question dialog_question="a menu without \"$label\": ${!menu[*]}"; fi
  elif [ -n "$chosen" ]; then
    for question in "${known_questions[@]}"; do
      if [[ $1 == *"$question"* && $asked != *"$question"* ]]; then
        asked=$1
        printf 'y\n' >&3
      fi
    done
  fi
}
