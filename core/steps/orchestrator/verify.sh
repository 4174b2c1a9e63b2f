# Facts about an orchestrator that was started.

# Prints properties that show whether the unit stays up, then the last lines of its journal since $since (Unix seconds).
signer_life() {
  systemctl show -p ActiveState -p SubState -p NRestarts -p MainPID "$service"
  if has ss; then say "Peers=$(signer_peers)"; fi
  say "log"
  signer_said "${log_lines:-50}"
}

# Counts the orchestrators that this host has a connection with: getStatus counts those that are merely known.
signer_peers() {
  ss -Htn state established "( sport = :$p2p_port or dport = :$p2p_port )" | awk '{ sub(/:[0-9]+$/, "", $4); print $4 }' | sort -u | wc -l
}

# Prints the journal's last lines without secrets. Reads more: a line of a configuration is known by the lines before.
signer_said() {
  local most=$(($1 + 400))
  journalctl -u "$service" ${since:+--since "@$since"} -n "$most" --no-pager --quiet --all -o short-iso 2> /dev/null |
    signer_redact "$most" | tail -n "$1" || true
}

# signer_redact MOST: removes secrets from up to MOST lines of a journal, each as `TIME HOST NAME[PID]: TEXT`. At each start the
# orchestrator prints its configuration with the pass phrase, twice: as JSON over many lines, and as values without names. Both
# are dropped, up to the next line that its logger, another process or systemd begins. Elsewhere it removes: values of
# config.json whose keys are named like secrets, as JSON and as text (none below four characters, which would match everywhere);
# long hexadecimal words; what follows the host in an address.
signer_redact() {
  perl -e '
    my ($file, $most) = @ARGV;
    my $config = "";
    if (open my $in, "<", $file) { local $/; $config = <$in> // "" }
    my %short = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
    my @secrets;
    while ($config =~ /"([^"]*(?:Pass|Secret|Key|Seed|Mnemonic)[^"]*)"\s*:\s*"((?:[^"\\]|\\.)*)"/gi) {
      my ($name, $written) = ($1, $2);
      next if $name =~ /(?:FileName|PublicKey)$/i;
      (my $plain = $written) =~
        s/\\(?:u([0-9a-fA-F]{4})|(.))/my $c = defined $1 ? chr hex $1 : $short{$2} \/\/ $2; utf8::encode($c); $c/ge;
      push @secrets, grep { length >= 4 } $written, split /\n/, $plain;
    }
    my @lines = <STDIN>;
    my ($isDropped, $before) = @lines >= $most;
    for (@lines) {
      my ($who, $text) = /^\d{4}-\S+ \S+ (.*?): (.*)/s ? ($1, $2) : ($before, $_);
      if (my ($head, $place, $said) = $text =~ /^(\d{4}-[^\t]*\t[A-Z]+\t([^\t]*)\t)(.*)/s) {
        $isDropped = $place =~ m{(?:^|/)app/config\.go:} || $said =~ /using .*orchestrator config/i;
        print "$head\[its configuration\]\n" if $isDropped;
      } elsif ($who =~ /^systemd\b/ || (defined $before && $who ne $before) || $text =~ m{^\d{4}/\d\d/\d\d }) {
        $isDropped = 0;
      }
      $before = $who;
      next if $isDropped;
      for my $secret (@secrets) { $text =~ s/\Q$secret\E/[removed]/g }
      print $text;
    }
  ' "$directory/config.json" "$1" |
    sed -E -e 's#(wss?|https?)://[^/@ ]*@#\1://[removed]@#g' -e 's#((wss?|https?)://[^/ ]+/)[^] "]+#\1[removed]#g' \
      -e 's/[0-9a-fA-F]{40,}/[removed]/g' | signer_redact_words
}
signer_redact_words() {
  sed -E -e 's/\x1b\[[0-9;?]*[A-Za-z]//g' -e 's/\r//g' -e "s/$secret_word.*/\\1 [removed]/I"
}
