# authorize USER LINE [PATTERN]: adds LINE, if any, to the user's authorized_keys, and removes the lines that match PATTERN. Works
# with the user's rights, because a link in the user's home could lead root to other files.
authorize() {
  local home
  home=$(getent passwd "$1" | cut -d: -f6) || true
  if [ -z "$home" ]; then
    [ -z "$2" ] || fail "the user $1 has no home directory"
  elif [ "$1" = root ]; then
    authorize_in "$home" "${@:2}"
  else
    setpriv --reuid="$(id -u "$1")" --regid="$(id -g "$1")" --init-groups bash --norc -euo pipefail -c "$(
      declare -p host_name
      declare -f say fail replace_file authorize_in
    )"'; authorize_in "$@"' authorize "$home" "${@:2}" < /dev/null || exit
  fi
}

# authorize_in HOME LINE [PATTERN]
authorize_in() {
  local directory=$1/.ssh text= pattern=${3:-x^}
  local keys=$directory/authorized_keys
  case $2 in '') grep -qsE -- "$pattern" "$keys" ;; *) ! grep -qsxF -- "$2" "$keys" ;; esac || return 0
  [ ! -L "$directory" ] || fail "$directory is a link: $keys was left as it is" "found: a link to $(readlink "$directory")" "needed: put the directory itself there"
  mkdir -p -m 700 "$directory"
  # Locked until the script ends, because a second copy may add or remove its line at the same time.
  exec 7< "$directory" && flock -w 60 7 || fail "another process keeps $directory locked" "needed: end that process. See it with: fuser $directory"
  if [ -e "$keys" ]; then
    [ -O "$keys" ] || fail "$keys is not the user's own: it was left as it is" "found: the owner $(stat -c %U "$keys")" "needed: the owner $(id -un)"
    text=$(grep -avE -- "$pattern" "$keys") || [ $? -eq 1 ] || fail "$keys could not be read"
  fi
  if [ -n "$2" ]; then text=${text:+$text$'\n\n'}$2; fi
  replace_file "$keys" "$text"$'\n' 600
}
