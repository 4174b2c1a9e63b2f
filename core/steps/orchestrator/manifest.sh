# Manifests of directories, byte for byte. The functions get $base, a directory, and $paths below it (`.` for all of it).

# Runs find on those $paths that exist, without what no copy needs: locks, sockets, pipes, and the logs of tss ceremonies.
orchestrator_find() {
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
orchestrator_only_gone() {
  if grep -qv 'No such file or directory' "$1"; then fail "files below $base can't be read" "$(head -n 5 "$1")"; fi
}

# Prints each entry as six texts, each followed by a NUL: kind (f, d, l, or find's letter), mode, uid:gid, bytes, sha256 or
# link target, path. A second call hashes only what changed since, because the orchestrator is stopped meanwhile.
orchestrator_manifest() {
  local began
  make_work
  began=$(date +%s)
  orchestrator_find -printf '%y\0%m\0%U:%G\0%s\0%D:%i:%s:%T@:%C@\0%l\0%p\0' > "$work/list" 2> "$work/said" || orchestrator_only_gone "$work/said"
  orchestrator_tell
  if [ -s "$work/todo" ]; then
    xargs -0 sha256sum -z -- < "$work/todo" > "$work/hashes" 2> "$work/said" || orchestrator_only_gone "$work/said"
    orchestrator_tell
  fi
}

# Prints the manifest from $work/list, cached hashes and $work/hashes. If hashes are missing and $work/hashes is not there yet,
# only writes the names of the files to hash to $work/todo. Caches hashes under what changes with a file's bytes, but not of a
# file that changed just now, and may change again within one tick of the clock. Without room the next call hashes all.
orchestrator_tell() {
  # For a part of the directory, the cache keeps the hashes of the other files.
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
