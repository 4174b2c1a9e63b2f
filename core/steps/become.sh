# The first thing that runs on the host, as the login user: hands the script on its standard input to a root shell.
# $sudo_password is empty where none is configured; $login_key is where it would be. A password line that sudo does not ask for never reaches the script.
become_root() {
  local user refusal
  if [ "$(id -u)" = 0 ]; then exec "$@"; fi
  user=$(id -un)
  if ! command -v sudo > /dev/null 2>&1; then
    cannot "the user $user is not root, and there is no sudo" "needed: sudo for $user (as root on the host: install sudo, then usermod -aG sudo $user)" "or: $(config_set "$login_key.user" root)"
  fi
  if sudo -n true 2> /dev/null; then exec sudo -n "$@"; fi
  if [ -z "$sudo_password" ]; then
    cannot "sudo wants a password for $user, and none is configured" "needed: $(config_set_secret "$login_key.sudoPassword")"
  fi
  # Tried alone first: sudo would take the script's lines for further tries.
  if ! refusal=$(printf '%s\n' "$sudo_password" | LC_ALL=C sudo -k -S -p '' true 2>&1 > /dev/null); then
    if [[ $refusal == *"not in the sudoers"* || $refusal == *"may not run sudo"* || $refusal == *"not allowed"* ]]; then
      cannot "the user $user may not use sudo" "needed: sudo for $user (as root on the host: usermod -aG sudo $user, or wheel)" "or: $(config_set "$login_key.user" root)"
    fi
    cannot "sudo refused the password of $user" "found: a wrong one in pillar-host:$login_key.sudoPassword" "needed: $(config_set_secret "$login_key.sudoPassword")"
  fi
  # -k: always ask, whatever ticket is there. Were it not to ask all the same, the password line would be the first line
  # of a root shell: everything before the marker is thrown away.
  { printf '%s\n' "$sudo_password" pillar-host-begin; cat; } |
    sudo -k -S -p '' bash --norc -c 'while IFS= read -r line && [ "$line" != "$0" ]; do :; done; exec "$@"' pillar-host-begin "$@"
  exit
}
cannot() {
  printf '%s: %s\n' "$host_name" "$1" >&2
  shift
  printf '  %s\n' "$@" >&2
  exit 1
}
