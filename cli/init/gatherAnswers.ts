import { askAboutName, describeUnknownName } from "../../core/registration/askAboutName.ts";
import { countAgentKeys } from "../../core/ssh/login.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { askChoice, askText } from "../terminal/prompts.ts";
import { ask, askUntilGood } from "./ask.ts";
import { askController, askNodeRelease } from "./askReleases.ts";
import { answerSchemas, createValidator, refuseBadAnswers } from "./checkAnswers.ts";
import { type ReachedHost, reachHost, readKey } from "./reachHost.ts";
import { checkKeyFile, listKeyFiles } from "./stackSecrets.ts";
import { type Answers, type InitFlags, type LoginMethod, readExample } from "./stackText.ts";
import { publicNodes, tryReferences } from "./tryReferences.ts";

/** Returns all answers: from flags, or as typed in the terminal. @throws Refusal for an unusable or missing answer */
export async function gatherAnswers(stack: string, flags: InitFlags): Promise<Answers> {
  refuseBadAnswers("init", [
    ["--pillar", answerSchemas.pillar, flags.pillar],
    ["--address", answerSchemas.destination, flags.address],
    ["--old-host", answerSchemas.destination, flags.oldHost],
    ["--host-key", answerSchemas.hostKey, flags.hostKey],
    ["--user", answerSchemas.user, flags.user],
    ["--port", answerSchemas.port, flags.port && Number(flags.port)],
    ["--node-release", answerSchemas.nodeRelease, flags.nodeRelease || undefined],
    ["--node-release-sha256", answerSchemas.nodeReleaseSha256, flags.nodeReleaseSha256],
    ["--node-release-version", answerSchemas.nodeReleaseVersion, flags.nodeReleaseVersion],
  ]);
  const named = flags.pillar ?? (await askPillar());
  const { provider, adopt } = await chooseHost(flags);
  const isCloud = provider !== "existing";
  let login: LoginMethod | undefined;
  // A jump host needs the login before the other answers.
  const askLogin = async (configured: string | undefined) => {
    login ??= await chooseLogin(flags, isCloud, configured);
    return typeof login === "string" ? { agent: login === "agent" } : readKey({ privateKeyFile: login.keyFile });
  };
  const host: Server & Pick<Answers, "sshFrom"> = isCloud
    ? { user: "root", port: 22, sshFrom: flags.sshFrom ?? [await askNetwork()] }
    : { ...(await askServer(flags, askLogin)), sshFrom: [] };
  const witnesses = adopt ? { references: [] } : await askWitnesses(host, flags, askLogin);
  const pillar = await confirmPillar(named, witnesses.references, stack, flags);
  const example = readExample({ provider, adopt });
  const controller = await askController(example, flags);
  const nodeRelease = await askNodeRelease(example, flags);
  login ??= await chooseLogin(flags, isCloud, host.privateKeyFile);
  return { stack, pillar, provider, adopt, ...host, ...witnesses, ...controller, nodeRelease, login };
}

const askPillar = () => ask("pillar", "What is the Pillar's name on chain?", "--pillar NAME");

/** Asks witnesses for the Pillar. A typed name that none of them knows is asked for again. @throws Refusal of a flag's */
async function confirmPillar(
  named: string,
  references: readonly string[],
  stack: string,
  flags: InitFlags,
): Promise<string> {
  for (let name = named; ; name = await askPillar()) {
    const answer = await askAboutName(name, { references });
    if (answer.kind === "known") return name;
    if (answer.kind === "unasked") {
      console.error(`Not asked yet: whether ${name} is registered. ${commandsFor(stack).check()} asks the chain.`);
      return name;
    }
    const { what, found, needed } = describeUnknownName({ stack, pillar: { name } }, answer);
    if (flags.pillar !== undefined) throw new ProblemError({ what: `${what}; nothing was written`, found, needed });
    console.error(`${what}:\n  ${found}\n  ${needed}`);
  }
}

type Server = Pick<Answers, "address" | "hostKey" | "port" | "user" | "proxy"> & Pick<ReachedHost, "privateKeyFile">;
type AskLogin = Parameters<typeof reachHost>[1]["login"];

async function askServer({ port, ...flags }: InitFlags, login: AskLogin): Promise<Server> {
  const instead = "--address ADDRESS of the server";
  const askName = () => ask("destination", "What is the host's address?", instead);
  const given = { port: Number(port ?? 22), isPortGiven: port !== undefined };
  const question = { ...flags, ...given, option: "--host-key", login };
  const host: Partial<ReachedHost> =
    (await askUntilGood(flags.address, askName, (name) => reachHost(name, question))) ?? {};
  const { user: usual = "root" } = host;
  const hasLogin = flags.keyFile !== undefined || flags.agent || flags.password;
  const which = "Which user logs in on the host (a user other than root needs sudo)?";
  const user = flags.user ?? (hasLogin ? usual : await ask("user", which, "--user USER", usual));
  return { ...host, user, port: host.port ?? given.port };
}

/** Asks for the witnesses of the new node's chain: the Pillar's present host, then independent nodes. At least one. */
async function askWitnesses(
  newHost: Server,
  flags: InitFlags,
  login: AskLogin,
): Promise<Pick<Answers, "oldHost" | "references" | "copiesChain">> {
  const { oldHostKey: hostKey, oldFingerprint: fingerprint, acceptHostKey, reference = [] } = flags;
  if (flags.copyChain && (flags.oldHost === undefined || reference.length === 0))
    throw new ProblemError({
      what: "--copy-chain lacks a host to copy from, or a reference that confirms that host's chain",
      needed: "give --old-host ADDRESS and --reference URL, too",
    });
  const isGiven = flags.oldHost !== undefined || reference.length > 0;
  const askOldHost = () =>
    askText("What is the address of the Pillar's present host, a witness of the chain (empty: none)?", {
      instead: "--old-host ADDRESS, or --reference URL of an independent node's RPC: witnesses of the chain",
      required: false,
      validate: (text) => text === "" || createValidator(answerSchemas.destination)(text),
    });
  const { port, proxy } = newHost;
  const question = { hostKey, fingerprint, acceptHostKey, option: "--old-host-key", newHost, port, proxy, login };
  const given = isGiven ? (flags.oldHost ?? "") : undefined;
  const oldHost = await askUntilGood(given, askOldHost, (name) => reachHost(name, question));
  const tryAll = (urls: readonly string[]) => tryReferences(urls, newHost, oldHost);
  if (isGiven) {
    // The new host may reach a node that this machine does not.
    await tryAll(reference).catch(({ message }: Error) => console.error(message));
    return { oldHost, references: reference, copiesChain: flags.copyChain };
  }
  console.error(`Public nodes that other wallets use; those that you name are tried at once:
  ${publicNodes.join("\n  ")}`);
  const hint = `docs/sync.md says how to find them${oldHost ? "; empty: none" : ""}`;
  const askReferences = () =>
    askText(`Which independent nodes' RPCs, better two, separated by a blank (${hint})?`, {
      required: oldHost === undefined,
      validate: (text) =>
        (text === "" && oldHost !== undefined) || createValidator(answerSchemas.references)(splitWords(text)),
    });
  const references = await askUntilGood(undefined, askReferences, (text) => tryAll(splitWords(text)));
  if (oldHost === undefined || references === undefined) return { oldHost, references: references ?? [] };
  return { oldHost, references, copiesChain: await askChainSource(oldHost.address) };
}

/** Asks for the source of the new node's chain. A copy of a host's chain needs a reference that confirms it. */
const askChainSource = async (oldHost: string): Promise<boolean> =>
  "copy" ===
  (await askChoice(
    "Where does the new node's chain come from?",
    [
      { value: "network", name: "the network: hours or days" },
      { value: "copy", name: `a copy of that of ${oldHost}, which goes on producing: 13 GB, about 20 minutes` },
    ],
    "--copy-chain, or nothing",
  ));

const splitWords = (text: string) => text.split(/\s+/).filter((word) => word !== "");

async function chooseHost({ provider, adopt }: InitFlags): Promise<Pick<Answers, "provider" | "adopt">> {
  if (adopt) return { provider: "existing", adopt };
  if (provider !== undefined) return { provider, adopt: false };
  const choice = await askChoice(
    "Which host?",
    [
      { value: "existing", name: "a new server of my own, which exists already" },
      { value: "hetzner", name: "a new server, to be ordered at Hetzner Cloud" },
      { value: "digitalocean", name: "a new server, to be ordered at DigitalOcean" },
      { value: "adopt", name: "the Pillar's present host, adopted without a change, to be retired later" },
    ],
    "--provider existing, hetzner or digitalocean; or --adopt, for the Pillar's present host",
  );
  return choice === "adopt" ? { provider: "existing", adopt: true } : { provider: choice, adopt: false };
}

function askNetwork(): Promise<string> {
  console.error(
    "Only the networks that you name may connect to the server's ssh. To find your address: curl -4 https://ifconfig.co",
  );
  return ask("network", "From which network may ssh connect (such as 192.0.2.1/32)?", "--ssh-from NETWORK");
}

async function chooseLogin(
  { keyFile, agent, password }: InitFlags,
  isCloud: boolean,
  configured: string | undefined,
): Promise<LoginMethod> {
  if (agent || password) return agent ? "agent" : "password";
  if (keyFile !== undefined) {
    const fault = checkKeyFile(keyFile);
    if (fault === undefined) return { keyFile };
    throw new ProblemError({ what: `--key-file: ${keyFile} ${fault.wrong}`, needed: `give ${fault.needed}` });
  }
  const count = isCloud ? 0 : countAgentKeys();
  const byAgent = { value: "agent", name: `with the ssh agent (keys in it: ${count})` };
  const byFile = (file: string) => ({ value: file, name: `with the key in ${file}` });
  const choice = await askChoice(
    "How does the program log in?",
    [
      ...(configured === undefined ? [] : [byFile(configured)]),
      ...(count > 0 ? [byAgent] : []),
      ...listKeyFiles()
        .filter((file) => file !== configured)
        .map(byFile),
      { value: "other", name: "with a key in another file" },
      ...(isCloud ? [] : [{ value: "password", name: "with a password" }]),
      ...(count > 0 || isCloud ? [] : [byAgent]),
    ],
    `--key-file FILE${isCloud ? "" : ", --agent or --password"}: the login`,
  );
  if (choice === "agent" || choice === "password") return choice;
  if (choice !== "other") return { keyFile: choice };
  const validate = (file: string) => {
    const fault = checkKeyFile(file);
    return fault === undefined ? true : `the file ${fault.wrong}; needed ${fault.needed}`;
  };
  return { keyFile: await askText("Which key file?", { validate }) };
}
