import { writeFile } from "node:fs/promises";
import type { ChainTruth } from "../doubles/chain/index.ts";
import { ensurePackagedImage } from "../images/packagedImage.ts";
import { Lab } from "../lab.ts";
import { answerQuestions, asks, yes } from "../operator/migrateAnswers.ts";
import { type Answer, inTerminal, typeCommand } from "../operator/typist.ts";
import { awaitPaidEpoch, collectRewards, updateProducer } from "../operator/wallet.ts";
import { hurry, pillar, preparePlace } from "../shell/prepare.ts";
import type { ShellPlace } from "../shell/texts.ts";
import { ensureToolchain } from "../toolchain/index.ts";
import { step } from "../util/progress.ts";
import { ensureRequirements } from "../util/requirements.ts";
import { Chapters } from "./chapters.ts";
import { verdict } from "./judgement.ts";
import { Recording } from "./recording.ts";

const name = "demo";

/** Programs ask a terminal for its colours and its cursor. The viewer's terminal would type the answer for a shell. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const terminalQuery = /\u001b(?:\]1[0-9];\?(?:\u0007|\u001b\\)|\[[56]n|\[c)/g;

/**
 * Runs `npm run demo`: `./pillar-host migrate` moves a Pillar and its orchestrator, from the first question to the
 * destroy of the old host's stack. `--record FILE` also writes the recording that `--replay` plays.
 */
async function main(args: readonly string[]): Promise<number> {
  const [option, file] = args;
  if (args.length > 0 && (option !== "--record" || file === undefined)) throw new Error("needed: --record FILE");
  await ensureRequirements();
  const toolchain = await ensureToolchain();
  await ensurePackagedImage();
  const place = await step("making the lab: an old host that produces and signs, and a new machine", () =>
    Lab.create(name).then((made) => preparePlace(made)),
  );
  const lab = await Lab.open(name);
  const { env, directory } = place;
  const recording = new Recording([
    [directory, "~/pillar-host"],
    [env.HOME ?? lab.dir, "~"],
    [lab.dir, "~"],
  ]);
  const show = (text: string) => {
    process.stdout.write(text);
    recording.add(text);
  };
  const say = (text: string) => show(`${text.replaceAll("\n", "\r\n")}\r\n`);

  const { momentumSeconds, tickMomentums, epochSeconds } = hurry;
  console.log(`\nPulumi: ${toolchain.source}.`);
  say(`
A lab of this machine; nothing here reaches a real server.
  ${place.old}  the host of today: produces for ${pillar}, and signs for the bridge
  ${"address" in place.fresh ? place.fresh.address : ""}  the new one, blank
Time goes fast: ${momentumSeconds} s for a momentum (10 s), ${tickMomentums * momentumSeconds} s for a tick of the election (5 minutes),
${epochSeconds} s for an epoch (a day).
`);
  const old = await registered(lab);
  const chapters = new Chapters(show);
  const exitCode = await migrate(lab, place, chapters, say);
  if (exitCode !== 0 || !chapters.isComplete)
    throw new Error(`The demo failed: migrate ended with exit code ${exitCode}; what it said stands above.`);
  say(`\nWhat was played:\n${chapters.summary().join("\n")}`);
  const fresh = await registered(lab);
  const { isGood, lines } = await verdict(lab, pillar, { old, fresh });
  say(`The chain's own verdict (the lab's double of it, which asked neither program nor record):\n${lines.join("\n")}`);
  if (file !== undefined) await writeFile(file, recording.format());
  console.log(`
Look around, as root on the new host:
  npm run lab -- ssh new
  npm run lab -- ssh new systemctl status go-node
  npm run lab -- ssh new ls /var/log/pillar-host    the transcript of the deploy, without secrets

Take it down:
  npm run lab -- down

To type it all yourself, as an operator, before you touch a server:
  npm run lab -- shell`);
  return isGood ? 0 : 1;
}

/** Reads the Pillar's producer address from the chain. */
async function registered(lab: Lab): Promise<string> {
  const { pillars } = await lab.chain<ChainTruth>("GET", "/truth");
  return pillars.find((each) => each.name === pillar)?.producerAddress ?? "";
}

/** Types `migrate` as an operator does, in a terminal. Returns the exit code. */
async function migrate(lab: Lab, place: ShellPlace, chapters: Chapters, say: (text: string) => void): Promise<number> {
  // The lab's releases lie elsewhere than the real ones, which the program knows.
  const command = `./pillar-host migrate prod-1 prod-2 --yes --release ${place.orchestratorRelease.url}`;
  say(`$ ${command}\n`);
  // A pass phrase of the demo alone; an operator types one.
  const env = { ...process.env, ...place.env, PULUMI_CONFIG_PASSPHRASE: "a pass phrase of the demo", TERM: "xterm" };
  const { exitCode } = await typeCommand(lab.atOperator(inTerminal(command, Recording)), {
    cwd: place.directory,
    env,
    size: Recording,
    answers: answersOf(lab, place, chapters),
    show: (text) => chapters.print(text.replaceAll(terminalQuery, "")),
    keyMs: 40,
  });
  return exitCode;
}

function answersOf(lab: Lab, place: ShellPlace, chapters: Chapters): Answer[] {
  const fresh = "address" in place.fresh ? place.fresh.address : "";
  const { version } = place.orchestratorRelease;
  return [
    // The pass phrase is in the demo's environment.
    ...answerQuestions({ old: place.old, fresh, version, passphrase: "" }),
    ...[asks.move, asks.retire, asks.destroy].map(yes),
    {
      // The stand-up's run also prints the address, before the orchestrator has moved.
      seen: /Producer\s+address\s+field:\s+(z1q[0-9a-z]{37})\n(?:.*\n){1,20}Waiting; this command goes on by itself/,
      reply: async ([, address = ""]) => {
        chapters.openWallet(`Update Pillar, ${address}, Next, Update`);
        await updateProducer(lab, pillar, address);
      },
    },
    {
      seen: /Before prod-1 may be destroyed:/,
      reply: async () => {
        chapters.openWallet("Collect");
        await awaitPaidEpoch(lab);
        await collectRewards(lab, pillar);
      },
    },
  ];
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
