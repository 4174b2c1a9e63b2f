interface Mistake extends Readonly<Record<"what" | "file" | "from" | "to", string>> {
  /** The unit test that must notice it, if it is not the one of the script's name. */
  readonly test?: string;
}

/**
 * Mistakes in shell scripts that would lose a key, a signer or a host, or show a secret: `from`, which occurs once in the
 * file, becomes `to`.
 */
const mistakes: readonly Mistake[] = [
  {
    what: "a key share that a copy takes away is not kept",
    file: "core/steps/orchestrator/copy.sh",
    from: "  copy_unlink\n  copy_keep_shares\n",
    to: "  copy_unlink\n",
    test: "test/core/orchestrator/backup/copy.test.ts",
  },
  {
    what: "the bulk copy takes any key that lies there, the move's own too",
    file: "core/steps/orchestrator/bulkCopy.sh",
    from: '[ -e "$copy_dir/bulk" ] || nothing_copied "no copy waits for this host"',
    to: "",
  },
  {
    what: "the bulk copy takes no heed of a move that has begun",
    file: "core/steps/orchestrator/bulkCopy.sh",
    from: '|| nothing_copied "the move has begun or ended here"',
    to: "|| true",
  },
  {
    what: "what nobody could look at does not run",
    file: "core/steps/lib/common.sh",
    from: '[ -n "$seen" ] || fail "cannot tell whether $1 runs on this host"',
    to: '[ -n "$seen" ] || true "cannot tell whether $1 runs on this host"',
  },
  {
    what: "a journal does not say that its saga is a restore",
    file: "core/orchestrator/rules/nextJournal.ts",
    from: "{ ...saga, stage,",
    to: "{ ...saga, isRestore: false, stage,",
    test: "test/core/orchestrator/rules/journal.test.ts",
  },
  {
    what: "long hex is not redacted from the signer's log",
    file: "core/steps/orchestrator/verify.sh",
    from: "[0-9a-fA-F]{40,}",
    to: "[0-9a-fA-F]{400,}",
    test: "test/core/orchestrator/move/orchestratorLog.test.ts",
  },
  {
    what: "a copy may hold links that lead out",
    file: "core/steps/orchestrator/copy.sh",
    from: '[ -z "$outward" ] || fail',
    to: '[ -z "$outward" ] || true',
    test: "test/core/orchestrator/hostileCopy.test.ts",
  },
  {
    what: "a fence leaves the installed unit unmasked",
    file: "core/steps/orchestrator/install.sh",
    from: 'ln -sfn /dev/null "$etc_file"',
    to: "",
  },
  {
    what: "a running node is deployed again",
    file: "core/steps/node/deploy.sh",
    from: "if is_marked deploy.done; then",
    to: "if false; then",
  },
  {
    what: "two producer addresses are no contradiction",
    file: "core/steps/node/producerAddress.sh",
    from: 'if [ -n "$configured" ] && [ "$configured" != "$address" ]; then',
    to: "if false; then",
  },
  {
    what: "a release with another hash than the configured one is installed",
    file: "core/steps/lib/common.sh",
    from: '[ -n "$sha256" ] && [ "$3" != "$sha256" ] || return 0',
    to: "return 0",
    test: "test/core/steps/orchestrator/install.test.ts",
  },
  {
    what: "an address that leads from https to plain http is followed without a hash",
    file: "core/steps/lib/common.sh",
    from: "! grep -qiE '^ *Location: *http:' \"$2\"",
    to: "true",
  },
  {
    what: "a secret on the line after its name is shown",
    file: "core/steps/lib/common.sh",
    from: "-e 's/.*/[removed]/' -e 'b'",
    to: "-e 'b'",
  },
  {
    what: "the node of a retired host is stopped before it is masked",
    file: "core/steps/retirement/retirement.sh",
    from: "  mask_node\n  stop_node\n",
    to: "  stop_node\n  mask_node\n",
  },
  {
    what: "a node run by hand is off",
    file: "core/steps/orchestrator/journal.sh",
    from: '  port_is_open "$3"\n',
    to: "  return 1\n",
    test: "test/core/steps/retirement/retirement.test.ts",
  },
  {
    what: "a mask of somebody else is taken off",
    file: "core/steps/node/nodeMask.sh",
    from: "if ! is_marked retired; then return 0; fi",
    to: "",
    test: "test/core/steps/retirement/retirement.test.ts",
  },
];

/** Each mistake with its test, both as paths from the checkout's root. */
export const mutants = mistakes.map(({ test, ...mistake }) => ({
  ...mistake,
  test: test ?? `test/${mistake.file.replace(/sh$/, "test.ts")}`,
}));
