/** A mistake in a shell script, and the unit tests that must notice it. */
export interface Mutant {
  /** Description of the mistake. */
  readonly what: string;
  /** Path from the checkout's root. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Unit test files, as paths from the checkout's root. */
  readonly tests: readonly string[];
}

/** Mistakes that would lose a key, a signer or a host, or show a secret. */
export const mutants: readonly Mutant[] = [
  {
    what: "a key share that a copy takes away is not kept",
    file: "core/steps/orchestrator/copy.sh",
    from: "  copy_keep_shares\n",
    to: "",
    tests: ["test/core/orchestrator/backup/copy.test.ts"],
  },
  {
    what: "the bulk copy takes any key that lies there, the move's own too",
    file: "core/steps/orchestrator/bulkCopy.sh",
    from: '[ -e "$copy_dir/bulk" ] || nothing_copied "no copy waits for this host"',
    to: "",
    tests: ["test/core/steps/orchestrator/bulkCopy.test.ts"],
  },
  {
    what: "the bulk copy takes no heed of a move that has begun",
    file: "core/steps/orchestrator/bulkCopy.sh",
    from: '*) nothing_copied "the move has begun or ended here ($stage)" ;;',
    to: "*) ;;",
    tests: ["test/core/steps/orchestrator/bulkCopy.test.ts"],
  },
  {
    what: "what nobody could look at does not run",
    file: "core/steps/lib/common.sh",
    from: '[ -n "$seen" ] || fail "cannot tell whether $1 runs on this host"',
    to: '[ -n "$seen" ] || true "cannot tell whether $1 runs on this host"',
    tests: ["test/core/steps/lib/common.test.ts"],
  },
  {
    what: "long hex is not redacted from the signer's log",
    file: "core/steps/orchestrator/verify.sh",
    from: "[0-9a-fA-F]{40,}",
    to: "[0-9a-fA-F]{400,}",
    tests: ["test/core/orchestrator/move/orchestratorLog.test.ts"],
  },
  {
    what: "a copy may hold links that lead out",
    file: "core/steps/orchestrator/copy.sh",
    from: '[ -z "$outward" ] || fail',
    to: '[ -z "$outward" ] || true',
    tests: ["test/core/orchestrator/hostileCopy.test.ts"],
  },
  {
    what: "a fence leaves the installed unit unmasked",
    file: "core/steps/orchestrator/install.sh",
    from: 'ln -sfn /dev/null "$etc_file"',
    to: "",
    tests: ["test/core/steps/orchestrator/install.test.ts"],
  },
  {
    what: "a running node is deployed again",
    file: "core/steps/node/deploy.sh",
    from: "if is_marked deploy.done; then",
    to: "if false; then",
    tests: ["test/core/steps/node/deploy.test.ts"],
  },
  {
    what: "two producer addresses are no contradiction",
    file: "core/steps/node/producerAddress.sh",
    from: 'if [ -n "$configured" ] && [ "$configured" != "$address" ]; then',
    to: "if false; then",
    tests: ["test/core/steps/node/producerAddress.test.ts"],
  },
  {
    what: "a signer's release without its hash is installed",
    file: "core/steps/orchestrator/install.sh",
    from: '[ -n "$sha256" ] || fail',
    to: '[ -n "$release_url" ] || fail',
    tests: ["test/core/steps/orchestrator/install.test.ts"],
  },
  {
    what: "an address that leads from https to plain http is followed without a hash",
    file: "core/steps/lib/common.sh",
    from: "! grep -qiE '^ *Location: *http:' \"$2\"",
    to: "true",
    tests: ["test/core/steps/lib/common.test.ts"],
  },
  {
    what: "a secret on the line after its name is shown",
    file: "core/steps/lib/common.sh",
    from: "-e 's/.*/[removed]/' -e 'b'",
    to: "-e 'b'",
    tests: ["test/core/steps/lib/common.test.ts"],
  },
  {
    what: "the node of a retired host is stopped before it is masked",
    file: "core/steps/retirement/retirement.sh",
    from: "  mask_node\n  stop_node\n",
    to: "  stop_node\n  mask_node\n",
    tests: ["test/core/steps/retirement/retirement.test.ts"],
  },
  {
    what: "a node run by hand is off",
    file: "core/steps/orchestrator/journal.sh",
    from: '  port_is_open "$3"\n',
    to: "  return 1\n",
    tests: ["test/core/steps/retirement/retirement.test.ts"],
  },
  {
    what: "a mask of somebody else is taken off",
    file: "core/steps/node/nodeMask.sh",
    from: "if ! is_marked retired; then return 0; fi",
    to: "",
    tests: ["test/core/steps/retirement/retirement.test.ts"],
  },
];
