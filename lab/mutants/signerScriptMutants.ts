import type { Mutant } from "./mutant";

const cutover = "core/steps/orchestrator/cutover.sh";
const journal = "core/steps/orchestrator/journal.sh";
const stepped = ["test/core/orchestrator/steps.test.ts"];
const bulk = ["test/core/steps/bulkCopy.test.ts"];
const copied = ["test/core/orchestrator/hostileCopy.test.ts"];

/** Mistakes in the scripts of a move, by which a signer is lost, or runs twice. */
export const signerScriptMutants: readonly Mutant[] = [
  {
    what: "a script of an earlier generation does its work",
    file: journal,
    from: "  signer_owned\n  signer_current\n  signer_was",
    to: "  signer_owned\n  signer_was",
    tests: stepped,
  },
  {
    what: "the same number between other hosts is one's own",
    file: journal,
    from: '$(signer_line direction) $(signer_line source) $(signer_line target)" = "$own" ]',
    to: '$(signer_line direction) \\"$source_key\\" \\"$target_key\\"" = "$own" ]',
    tests: stepped,
  },
  {
    what: "what an earlier try put in place is started",
    file: journal,
    from: '[ "$(signer_generation)" -eq "$generation" ]; then\n    found',
    to: "true; then\n    found",
    tests: stepped,
  },
  {
    what: "a signer is brought back where nothing stopped it",
    file: cutover,
    from: 'stopping | fenced | restoring | restored) ;; *) fail "the signer was not stopped',
    to: '*) ;; nothing) fail "the signer was not stopped',
    tests: stepped,
  },
  {
    what: "a key share that a copy takes away is not kept",
    file: "core/steps/orchestrator/copy.sh",
    from: "  copy_keep_shares\n",
    to: "",
    tests: ["test/core/orchestrator/copy.test.ts"],
  },
  {
    what: "the bulk copy takes any key that lies there, the move's own too",
    file: "core/steps/bulkCopy.sh",
    from: '[ -e "$copy_dir/bulk" ] || nothing_copied "no copy waits for this host"',
    to: "",
    tests: bulk,
  },
  {
    what: "the bulk copy takes no heed of a move that has begun",
    file: "core/steps/bulkCopy.sh",
    from: '*) nothing_copied "the move has begun or ended here ($stage)" ;;',
    to: "*) ;;",
    tests: bulk,
  },
  {
    what: "fence without mask",
    file: cutover,
    from: 'signer_is_masked || fail "$service is not masked: not fenced"',
    to: "",
    tests: stepped,
  },
  {
    what: "start from stage `staged`",
    file: cutover,
    from: 'switched | starting) ;; *) fail "the signer was not put',
    to: 'staged | switched | starting) ;; *) fail "the signer was not put',
    tests: stepped,
  },
  {
    what: "a stop does not wait for the end",
    file: cutover,
    from: '  systemctl stop "$service" 2> /dev/null || true\n  signer_wait_for_end\n  signer_side',
    to: '  systemctl stop "$service" 2> /dev/null || true\n  signer_side',
    tests: stepped,
  },
  {
    what: "a unit that is a link is lost under the mask",
    file: cutover,
    from: 'if unit_lies_at "$file"; then mv -fT',
    to: 'if [ -f "$file" ] && [ ! -L "$file" ]; then mv -fT',
    tests: stepped,
  },
  {
    what: "a signer of another stack is sealed",
    file: cutover,
    from: 'case $(signer_line stage) in \'"starting"\' | \'"running"\') fail "the orchestrator of this host was started: it is not sealed" ;; esac',
    to: "",
    tests: stepped,
  },
  {
    what: "a signer run by hand (process only) is not seen",
    file: journal,
    from: '  if processes_of "$executable" > /dev/null; then return 0; fi\n',
    to: "",
    tests: stepped,
  },
  {
    what: "an open port is no signer",
    file: journal,
    from: '  port_is_open "$rpc_port"\n',
    to: "  return 1\n",
    tests: stepped,
  },
  {
    what: "a run that is not the lock's owner goes on",
    file: journal,
    from: '[ "$owner" = "$token" ] || refuse_signer "another run has taken this move over"',
    to: "",
    tests: ["test/core/orchestrator/lock.test.ts"],
  },
  {
    what: "what nobody could look at does not run",
    file: "core/steps/lib.sh",
    from: '[ -n "$seen" ] || fail "whether $1 runs here cannot be told"',
    to: '[ -n "$seen" ] || true "whether $1 runs here cannot be told"',
    tests: ["test/core/steps/lib.test.ts"],
  },
  {
    what: "long hex is not redacted from the signer's log",
    file: "core/steps/orchestrator/verify.sh",
    from: "[0-9a-fA-F]{40,}",
    to: "[0-9a-fA-F]{400,}",
    tests: ["test/core/orchestrator/orchestratorLog.test.ts"],
  },
  {
    what: "a copy may hold links that lead out",
    file: "core/steps/orchestrator/copy.sh",
    from: '[ -z "$outward" ] || fail',
    to: '[ -z "$outward" ] || true',
    tests: copied,
  },
  {
    what: "a fence leaves the installed unit unmasked",
    file: "core/steps/orchestrator.sh",
    from: 'ln -sfn /dev/null "$etc_file"',
    to: "",
    tests: ["test/core/steps/orchestrator.test.ts"],
  },
];
