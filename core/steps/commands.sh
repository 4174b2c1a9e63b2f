# What an operator is told to type, as core/util/commands.ts makes it elsewhere: it names the stack. $stack_word is the
# stack's name, quoted for a shell where it must be. Keys are those below pillar-host:.
# pulumi_up [STACK]
pulumi_up() { printf 'pulumi up -s %s' "${1:-$stack_word}"; }
pulumi_destroy() { printf 'pulumi destroy -s %s' "$stack_word"; }
# config_set KEY VALUE
config_set() { printf 'pulumi config set --path pillar-host:%s %s -s %s' "$1" "$2" "$stack_word"; }
# It asks for the value.
config_set_secret() { printf 'pulumi config set --secret --path pillar-host:%s -s %s' "$1" "$stack_word"; }
config_rm() { printf 'pulumi config rm --path pillar-host:%s -s %s' "$1" "$stack_word"; }
