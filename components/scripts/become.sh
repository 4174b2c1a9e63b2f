# The first thing that runs on the host, as the login user: hands the script on its standard input to a root shell.
# $sudo_password is empty where none is configured. A password line that sudo does not ask for never reaches the script.
become_root() {
  if [ "$(id -u)" = 0 ]; then exec "$@"; fi
  if ! command -v sudo > /dev/null 2>&1; then
    printf '%s: the user %s is not root, and there is no sudo\n  needed: sudo on the host, or pillar-host:ssh.user: root\n' "$host_name" "$(id -un)" >&2
    exit 1
  fi
  if sudo -n true 2> /dev/null; then exec sudo -n "$@"; fi
  if [ -z "$sudo_password" ]; then
    printf '%s: sudo wants a password for %s, and none is configured\n  needed: pulumi config set --secret --path pillar-host:ssh.sudoPassword\n' "$host_name" "$(id -un)" >&2
    exit 1
  fi
  # Tried alone first: sudo would take the script's lines for further tries.
  if ! printf '%s\n' "$sudo_password" | sudo -k -S -p '' true > /dev/null 2>&1; then
    printf '%s: sudo refused %s: either the password is wrong (pillar-host:ssh.sudoPassword), or the user may not use sudo\n' "$host_name" "$(id -un)" >&2
    exit 1
  fi
  # -k: always ask, whatever ticket is there. Were it not to ask all the same, the password line would be the first line
  # of a root shell: everything before the marker is thrown away.
  { printf '%s\n' "$sudo_password" pillar-host-begin; cat; } |
    sudo -k -S -p '' bash -c 'while IFS= read -r line && [ "$line" != "$0" ]; do :; done; exec "$@"' pillar-host-begin "$@"
  exit
}
