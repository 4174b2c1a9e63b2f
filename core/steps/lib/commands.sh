# Commands for the operator, as core/util/commands.ts makes them. $stack_word is the stack's name, quoted for a shell. Keys are
# those below pillar-host:.
pulumi_up() { printf 'pulumi up -s %s' "${1:-$stack_word}"; }
pulumi_destroy() { printf 'pulumi destroy -s %s' "$stack_word"; }
# config_set KEY VALUE
config_set() { printf 'pulumi config set --path pillar-host:%s %s -s %s' "$1" "$2" "$stack_word"; }
# The command asks for the value.
config_set_secret() { printf 'pulumi config set --secret --path pillar-host:%s -s %s' "$1" "$stack_word"; }
# adopt_command NEWSTACK ADDRESS
adopt_command() { printf './pillar-host adopt %s %s --like %s' "$1" "$2" "$stack_word"; }
config_rm() { printf 'pulumi config rm --path pillar-host:%s -s %s' "$1" "$stack_word"; }

say() { printf '%s\n' "$*"; }

# fail WHAT [DETAIL...]: prints a message and its details for the operator, and ends. In a step, adds the next command, $again,
# unless a detail has a command.
fail() {
  local next=${again:+Then: $again}
  case $* in *" -s ${stack_word:-}"* | *"/pillar-host "*) next= ;; esac
  printf '%s: %s\n' "$host_name" "$1" >&2
  shift
  [ $# -eq 0 ] || printf '%s\n' "$@" | sed -n 's/^./  &/p' >&2
  [ -z "$next" ] || printf '  %s\n' "$next" >&2
  exit 1
}

# Comes before each command that runs as root here: nothing is inherited from a login, from systemd or from sudo.
clean_environment="/usr/bin/env -i LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root"

# Removes terminal commands (C0, DEL and C1 controls) and Unicode format characters, which turn text around or hide it,
# from the output of programs.
printable() {
  LC_ALL=C sed -u 's/[\x01-\x08\x0b-\x1f\x7f]//g; s/\xc2[\x80-\x9f\xad]//g; s/\xd8\x9c//g; s/\xe2\x80[\x8b-\x8f\xa8-\xae]//g; s/\xe2\x81[\xa0-\xaf]//g; s/\xef\xbb\xbf//g'
}
