# Runs first on the host, as the login user: hands the script on its standard input to a root shell. $sudo_password may be empty;
# $login_key is the key that it belongs below.
become_root() {
  local user refusal
  if [ "$(id -u)" = 0 ]; then exec $clean_environment "$@"; fi
  user=$(id -un)
  command -v sudo > /dev/null 2>&1 || { refusal="there is no sudo" && sudo_refused; }
  # Try sudo with the same shell first, but without the script, whose lines sudo would take for passwords.
  if refusal=$(LC_ALL=C sudo -n bash -c : 2>&1 > /dev/null); then exec sudo -n $clean_environment "$@"; fi
  [ -n "$sudo_password" ] || sudo_refused
  refusal=$(printf '%s\n' "$sudo_password" | LC_ALL=C sudo -k -S -p 'password of %p:' bash -c : 2>&1 > /dev/null) || sudo_refused
  # -k: sudo asks, even if it has a ticket. If it does not ask all the same, the root shell must not run the password line, so
  # everything before the marker is thrown away. The blanks are for sudo-rs, which reads up to 8 KiB with the password.
  { printf '%s\n%8192s\n%s\n' "$sudo_password" '' pillar-host-begin; cat; } |
    sudo -k -S -p '' bash --norc -c 'while IFS= read -r line && [ "$line" != "$0" ]; do :; done; exec "$@"' pillar-host-begin $clean_environment "$@"
  exit
}
# Names a cause only if sudo's message is a known one. Shows the message in any case.
sudo_refused() {
  local whose=$user said
  if [[ $refusal =~ password\ of\ ([a-z_][a-z0-9_-]*): ]]; then whose=${BASH_REMATCH[1]}; fi
  said=$(printf '%s' "$refusal" | sed 's/password of [^:]*://g' | grep -a . | tail -n 1 | tr -cd '[:print:]') || said="sudo printed nothing"
  case $refusal in
    *"ncorrect password"* | *"incorrect authentication"* | *"try again"*)
      fail "sudo refused the password of $whose" "found: a wrong one in pillar-host:$login_key.sudoPassword ($said)" "needed: $(config_set_secret "$login_key.sudoPassword")" ;;
    *"password is required"* | *"authentication is required"*)
      [ -n "$sudo_password" ] || fail "sudo wants a password for $user, and none is configured" "needed: $(config_set_secret "$login_key.sudoPassword")" ;;
  esac
  fail "sudo does not let $user become root" "found: $said" \
    "needed: every command for $user, without a terminal. As root on the host, with visudo: $user ALL=(ALL:ALL) ALL" "or: $(config_set "$login_key.user" root)"
}
