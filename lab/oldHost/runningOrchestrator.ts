import { setTimeout as sleep } from "node:timers/promises";
import { bundleOrchestrator } from "../doubles/bundle.ts";
import type { BridgeInfo, SignersTruth } from "../doubles/chain/index.ts";
import {
  type ExampleDir,
  type ExampleDirOptions,
  exampleDir,
  orchestratorDir,
} from "../doubles/orchestrator/exampleDir.ts";
import { onHost } from "../hosts/onHost.ts";
import { shipFiles } from "../hosts/shipFiles.ts";
import type { HostShell, Lab } from "../lab.ts";
import { noteSecret } from "../testRun/printed.ts";

/**
 * Options of an orchestrator as an operator has it before a move. Its getStatus is cached for one second only, which
 * saves each move half a minute.
 */
export interface OrchestratorSetup extends ExampleDirOptions {
  /** Directory of another orchestrator, as it was set up: the same identity a second time. */
  readonly copyOf?: ExampleDir;
  /** Additional files under events/: their number, and the bytes of each. */
  readonly extraFiles?: { readonly count: number; readonly bytes: number };
  /** True to start it (the default), and to wait until it may sign. */
  readonly started?: boolean;
}

/** Sets an orchestrator up. An orchestrator that signs needs a synced node on the host ({@link setUpSyncedNode}). */
export async function setUpOrchestrator(lab: Lab, host: HostShell, setup: OrchestratorSetup = {}): Promise<ExampleDir> {
  const { started = true } = setup;
  const { compressedTssECDSAPubKey: key } = await lab.chain<BridgeInfo>("GET", "/bridge");
  const state = setup.copyOf ?? exampleDir({ statusStands: 1, ...setup, ...(key === "" ? {} : { bridgeKey: key }) });
  if (key === "") await lab.chain("PATCH", "/bridge", { compressedTssECDSAPubKey: state.bridgeKey });
  noteSecret("a signer's pass phrase", state.passphrase);
  noteSecret("a secret of a signer", ...state.secrets.filter((secret) => secret !== state.passphrase));
  await shipFiles(host, {
    "/usr/local/bin/orchestrator": { mode: 0o755, text: await bundleOrchestrator() },
    "/etc/systemd/system/orchestrator.service": { mode: 0o644, text: orchestratorUnit },
    ...Object.fromEntries(Object.entries(state.files).map(([path, file]) => [`${orchestratorDir}/${path}`, file])),
  });
  await onHost(host, "systemctl daemon-reload");
  if (setup.extraFiles) {
    const { count, bytes } = setup.extraFiles;
    await onHost(host, `perl -e '${filler}' "${orchestratorDir}/events" ${count} ${bytes}`);
  }
  await onHost(host, "systemctl enable orchestrator");
  if (!started) return state;
  await onHost(host, "systemctl start orchestrator");
  await waitForOrchestrator(lab, host, state.identity);
  return state;
}

/**
 * Timeout in milliseconds: on a busy machine, for a second start after a failed one and the unit's ten seconds in
 * between.
 */
const signerMs = 120_000;

/** Waits until an orchestrator with this identity signs on a host and its RPC is open, unless that is forbidden. */
export async function waitForOrchestrator(lab: Lab, host: HostShell, identity: string): Promise<void> {
  const deadline = Date.now() + signerMs;
  const signs = async () => {
    const { now, identities } = await lab.chain<SignersTruth>("GET", "/signers");
    const last = identities[identity]?.intervals.at(-1);
    // Everything is open from the first beat after the start.
    return last?.host === host.name && !last.stopped && last.until > last.from && now - last.until < 1000;
  };
  while (!(await signs())) {
    if (Date.now() > deadline) throw new Error(await noSigner(lab, host, identity));
    await sleep(200);
  }
}

/** Describes an orchestrator that did not start. Omits the configuration in its log, which has the pass phrase. */
async function noSigner(lab: Lab, host: HostShell, identity: string): Promise<string> {
  const { identities, now } = await lab.chain<SignersTruth>("GET", "/signers");
  const { stdout } = await host.run(`systemctl show orchestrator -p ActiveState,SubState,NRestarts
    curl -sS -m 5 -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"stats.syncInfo","params":[]}' http://127.0.0.1:35997 2>&1; echo
    journalctl -u orchestrator -n 200 -o short-precise --no-pager | grep -v app/config |
      grep -E 'systemd|\t(node|app|network)/|panic' | tail -n 30`);
  const told = JSON.stringify({ now, intervals: identities[identity]?.intervals ?? [] });
  return `no signer on ${host.name} within ${signerMs / 1000} s\n${told}\n${stdout}`;
}

/** Unit as the orchestrator's initial setup writes it. */
export const orchestratorUnit = `[Unit]
Description=orchestrator service
After=network.target

[Service]
User=root
Group=root
Type=simple
WorkingDirectory=${orchestratorDir}
ExecStart=/usr/local/bin/orchestrator
Restart=always
RestartSec=10

[Install]
WantedBy=multi-user.target
`;

// Fills a folder with files, a hundred to a subfolder. Each has the same mebibyte of noise from another offset: reading a
// gigabyte of noise would take longer than writing it.
const filler = `
  my ($dir, $count, $bytes) = @ARGV;
  open my $random, "<", "/dev/urandom" or die; read $random, my $noise, 1 << 20;
  for my $i (0 .. $count - 1) {
    my $folder = sprintf "%s/%04d", $dir, $i / 100;
    mkdir $folder, 0700 or die "$folder: $!" if $i % 100 == 0;
    open my $file, ">", sprintf("%s/%06d.ldb", $folder, $i) or die $!;
    my $text = "file $i\\n";
    while ((my $missing = $bytes - length $text) > 0) { $text .= substr $noise, rand(1 << 19), $missing }
    print $file substr($text, 0, $bytes) or die $!; close $file or die $!;
  }`;
