# Manifests of directories, byte for byte. The functions get $base, a directory, and $paths below it (`.` for all of it).

signer_runs=/run/pillar-host

# Makes $work, a directory in memory, because the disk may be full. It is removed when the script ends.
signer_work() {
  mkdir -p "$signer_runs"
  work=$(mktemp -d "$signer_runs/signer.XXXXXX")
  trap 'rm -rf "$work"' EXIT
}

# Runs find on those $paths that exist, without what no copy needs: locks, sockets, pipes, and the logs of tss ceremonies.
signer_find() {
  local path starts=() others=()
  cd -- "$base"
  for path in $paths; do
    if [ -e "./$path" ] || [ -L "./$path" ]; then
      starts+=("./$path")
      others+=(-o -path "./$path/.lock")
    fi
  done
  [ ${#starts[@]} -gt 0 ] || return 0
  find "${starts[@]}" \( -type s -o -type p -o -path '*/tss/tss.*.log' "${others[@]}" \) -prune -o "$@"
}

# Fails if the errors in a file have other reasons than files that are gone: a running orchestrator deletes some.
signer_only_gone() {
  if grep -qv 'No such file or directory' "$1"; then fail "files below $base can't be read" "$(head -n 5 "$1")"; fi
}

# Prints each entry as six texts, each followed by a NUL: kind (f, d, l, or find's letter), mode, uid:gid, bytes, sha256 or
# link target, path. Leaves out a file that vanishes before it is hashed.
signer_manifest() {
  signer_work
  signer_find -printf '%y\0%m\0%U:%G\0%s\0%l\0%p\0' > "$work/list" 2> "$work/said" || signer_only_gone "$work/said"
  { signer_find -type f -print0 | xargs -0 -r sha256sum -z --; } > "$work/hashes" 2> "$work/said" || signer_only_gone "$work/said"
  perl - "$work" << 'PERL'
use strict;
my ($work) = @ARGV;
$/ = "\0";
open my $hashes, "<", "$work/hashes" or die "$work/hashes: $!\n";
my %hash_of;
while (<$hashes>) { chomp; $hash_of{substr $_, 66} = substr $_, 0, 64 }
open my $list, "<", "$work/list" or die "$work/list: $!\n";
while (defined(my $kind = <$list>)) {
  my ($mode, $owner, $size, $content, $path) = map { scalar <$list> } 1 .. 5;
  chomp($kind, $content, $path);
  if ($kind eq "f") { $content = $hash_of{$path} // next }
  print "$kind\0$mode$owner$size$content\0$path\0" or die "$!\n";
}
close STDOUT or die "$!\n";
PERL
}
