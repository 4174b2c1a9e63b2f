import { setTimeout as sleep } from "node:timers/promises";
import { bundleOrchestrator } from "../doubles/bundle";
import type { BridgeInfo, SignersTruth } from "../doubles/chain";
import {
  type ExampleDir,
  type ExampleDirOptions,
  exampleDir,
  orchestratorDir,
} from "../doubles/orchestrator/exampleDir";
import { shipFiles } from "../hosts/shipFiles";
import type { HostShell, Lab } from "../lab";
import { noteSecret } from "../testRun/printed";

/** How an operator has the orchestrator on a host before it moves; but its getStatus stands for a second, which saves each move half a minute. */
export interface OrchestratorSetup extends ExampleDirOptions {
  /** Default v0.0.9a. */
  readonly version?: string;
  /** Another one's directory, as it was set up: the same identity a second time. */
  readonly copyOf?: ExampleDir;
  /** Files beside those that a signer needs, under events/: how many, and the bytes of each. */
  readonly extraFiles?: { readonly count: number; readonly bytes: number };
  /** Whether it is enabled, and started (the default); a started one is waited for until it may sign. */
  readonly enabled?: boolean;
  readonly started?: boolean;
  /** The executable and the unit only, without a state directory: installed, never configured. */
  readonly withoutState?: boolean;
}

/** Sets an orchestrator up; for one that is to sign, a synced node must run on the host ({@link setUpSyncedNode}). */
export async function setUpOrchestrator(lab: Lab, host: HostShell, setup: OrchestratorSetup = {}): Promise<ExampleDir> {
  const { enabled = true, started = true, withoutState = false } = setup;
  const { compressedTssECDSAPubKey: key } = await lab.chain<BridgeInfo>("GET", "/bridge");
  const state = setup.copyOf ?? exampleDir({ statusStands: 1, ...setup, ...(key === "" ? {} : { bridgeKey: key }) });
  if (key === "") await lab.chain("PATCH", "/bridge", { compressedTssECDSAPubKey: state.bridgeKey });
  noteSecret("a signer's pass phrase", state.passphrase);
  noteSecret("a secret of a signer", ...state.secrets.filter((secret) => secret !== state.passphrase));
  const files = Object.entries(withoutState ? { "": { mode: 0o700 } } : state.files);
  await shipFiles(host, {
    "/usr/local/bin/orchestrator": { mode: 0o755, text: await bundleOrchestrator(setup.version ?? "v0.0.9a") },
    "/etc/systemd/system/orchestrator.service": { mode: 0o644, text: orchestratorUnit },
    ...Object.fromEntries(files.map(([path, file]) => [`${orchestratorDir}/${path}`, file])),
  });
  await run(host, "systemctl daemon-reload");
  if (setup.extraFiles) await makeFiles(host, `${orchestratorDir}/events`, setup.extraFiles);
  if (enabled) await run(host, "systemctl enable orchestrator");
  if (!started) return state;
  await run(host, "systemctl start orchestrator");
  await waitForOrchestrator(lab, host, state.identity);
  return state;
}

/** Milliseconds: a start after one that failed, and the unit's ten seconds between them, on a busy machine. */
const signerMs = 120_000;

/** Returns when an orchestrator with this identity signs on a host and its RPC is open, where that is not forbidden. */
export async function waitForOrchestrator(lab: Lab, host: HostShell, identity: string): Promise<void> {
  const deadline = Date.now() + signerMs;
  const signs = async () => {
    const { now, identities } = await lab.chain<SignersTruth>("GET", "/signers");
    const last = identities[identity]?.intervals.at(-1);
    // At the first beat after the start, all is open.
    return last?.host === host.name && !last.stopped && last.until > last.from && now - last.until < 1000;
  };
  while (!(await signs())) {
    if (Date.now() > deadline) throw new Error(await noSigner(lab, host, identity));
    await sleep(200);
  }
}

/** What is to be seen of a signer that did not come: nothing of its configuration, which its log has with the pass phrase. */
async function noSigner(lab: Lab, host: HostShell, identity: string): Promise<string> {
  const { identities, now } = await lab.chain<SignersTruth>("GET", "/signers");
  const { stdout } = await host.run(`systemctl show orchestrator -p ActiveState,SubState,NRestarts
    curl -sS -m 5 -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"stats.syncInfo","params":[]}' http://127.0.0.1:35997 2>&1; echo
    journalctl -u orchestrator -n 200 -o short-precise --no-pager | grep -v app/config |
      grep -E 'systemd|\t(node|app|network)/|panic' | tail -n 30`);
  const told = JSON.stringify({ now, intervals: identities[identity]?.intervals ?? [] });
  return `no signer on ${host.name} within ${signerMs / 1000} s\n${told}\n${stdout}`;
}

/** Fills a folder with files of noise, a hundred to a folder: a gigabyte in the time that the disk takes. */
export async function makeFiles(host: HostShell, dir: string, files: { count: number; bytes: number }): Promise<void> {
  await run(host, `perl -e '${filler}' "${dir}" ${files.count} ${files.bytes}`);
}

/** As the orchestrator's initial setup writes it. */
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

// One mebibyte of noise, from another place in each file: reading a gigabyte of it would take longer than writing it.
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

async function run(host: HostShell, script: string): Promise<void> {
  const { exitCode, stderr } = await host.run(script);
  if (exitCode !== 0) throw new Error(`the orchestrator of ${host.name}: ${stderr}`);
}
