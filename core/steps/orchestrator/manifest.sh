# Manifests of directories, byte for byte. The functions get $base, a directory, and $paths below it (`.` for all of it).

signer_runs=/run/pillar-host

# Makes $work, a directory in memory that goes with the script: the disk may be full.
signer_work() {
  mkdir -p "$signer_runs"
  work=$(mktemp -d "$signer_runs/signer.XXXXXX")
  trap 'rm -rf "$work"' EXIT
}

# Calls find on what exists of $paths, without what no copy needs: locks, which are one host's, sockets and pipes, and the
# logs of tss, which are written all the time in a ceremony and emptied at each start.
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

# Fails for any complaint in a file but that something is gone by now: what runs deletes files.
signer_only_gone() {
  if grep -qv 'No such file or directory' "$1"; then fail "files below $base can't be read" "$(head -n 5 "$1")"; fi
}

# Prints each entry as six texts with a NUL behind: kind (f, d, l, or find's letter), mode, uid:gid, bytes, sha256 or link
# target, path. A second call hashes only what changed since: downtime is counted in these seconds.
signer_manifest() {
  local began
  signer_work
  began=$(date +%s)
  signer_find -printf '%y\0%m\0%U:%G\0%s\0%D:%i:%s:%T@:%C@\0%l\0%p\0' > "$work/list" 2> "$work/said" || signer_only_gone "$work/said"
  signer_tell
  if [ -s "$work/todo" ]; then
    xargs -0 sha256sum -z -- < "$work/todo" > "$work/hashes" 2> "$work/said" || signer_only_gone "$work/said"
    signer_tell
  fi
}

# Prints what $work/list and the hashes tell; only the names of the files to be hashed into $work/todo, where some are
# missing and none were made yet. What was hashed is kept by what changes with a file's bytes, but not what changed just
# now: a clock has ticks, and a file may change again within one. Without room for it the next call hashes all.
signer_tell() {
  # A manifest of a part keeps the hashes of the rest.
  BEGAN=$began KEEP_REST=$([ "$paths" = . ] || echo yes) perl - "$work" "$state" << 'PERL'
use strict;
my ($work, $state) = @ARGV;
my $cache = "$state/manifest.cache";
sub all_of { open my $file, "<", $_[0] or die "$_[0]: $!\n"; local $/; my $text = <$file>; $text // "" }
my @fields = split /\0/, all_of("$work/list"), -1;
pop @fields;
my %known = -r $cache ? map { split / /, $_, 2 } split /\n/, all_of($cache) : ();
my (%hashed, @todo, @told, %fresh);
my $is_hashed = -e "$work/hashes";
for ($is_hashed ? split /\0/, all_of("$work/hashes") : ()) { $hashed{substr $_, 66} = substr $_, 0, 64 }
for (my $i = 0; $i + 6 < @fields; $i += 7) {
  my ($kind, $mode, $owner, $size, $key, $target, $path) = @fields[$i .. $i + 6];
  my $content = $kind eq "l" ? $target : "";
  if ($kind eq "f") {
    $content = $known{$key} // $hashed{$path};
    if (!defined $content) { push @todo, $path; next }
    $fresh{$key} = $content;
  }
  push @told, $kind, $mode, $owner, $size, $content, $path;
}
if (@todo && !$is_hashed) {
  open my $file, ">", "$work/todo" or die "$work/todo: $!\n";
  print $file map { "$_\0" } @todo;
  close $file or die "$work/todo: $!\n";
  exit;
}
print map { "$_\0" } @told or die "$!\n";
close STDOUT or die "$!\n";
exit unless $is_hashed;
%fresh = (%known, %fresh) if $ENV{KEEP_REST};
umask 077;
mkdir $state;
my $new = "$cache.new.$$";
open my $file, ">", $new or exit;
my $written = print $file map { /.*:(\d+)/ && $1 < $ENV{BEGAN} - 2 ? "$_ $fresh{$_}\n" : () } keys %fresh;
(close($file) && $written && rename $new, $cache) || unlink $new;
PERL
}
