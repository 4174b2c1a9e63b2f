import type { HostProvider } from "../../core/config/hostSchema";
import { countAgentKeys } from "../../core/ssh/agentKeys";
import { formatProblem } from "../../core/util/problem";
import { askChoice, askText } from "../terminal/prompts";
import { CliRefusal } from "../terminal/refusal";
import { answerSchemas, createValidator, refuseBadAnswers } from "./checkAnswers";
import { confirmHostKey, NoHostKeyRefusal } from "./confirmHostKey";
import type { InitFlags } from "./initFlags";
import { checkKeyFile, listKeyFiles } from "./loginKeyFiles";
import type { Answers, LoginMethod } from "./stackText";

/** Returns all answers: from flags, or as typed in the terminal. @throws Refusal for an unusable answer */
export async function gatherAnswers(stack: string, flags: InitFlags): Promise<Answers> {
  refuseBadAnswers("init", [
    ["--pillar", answerSchemas.pillar, flags.pillar],
    ["--address", answerSchemas.address, flags.address],
    ["--host-key", answerSchemas.hostKey, flags.hostKey],
    ["--user", answerSchemas.user, flags.user],
    ["--port", answerSchemas.port, flags.port && Number(flags.port)],
  ]);
  const pillar = flags.pillar ?? (await askText("What is the Pillar's name on chain?", check("pillar")));
  const { provider, adopt } = await chooseHost(flags);
  const isCloud = provider !== "existing";
  const named = isCloud ? undefined : (flags.address ?? (await askAddress()));
  const hasLogin = flags.keyFile !== undefined || flags.agent || flags.password;
  const user = isCloud ? "root" : (flags.user ?? (hasLogin ? "root" : await askUser()));
  const port = Number(flags.port ?? 22);
  const { address, hostKey } = named === undefined ? {} : await confirmAddress(named, port, flags);
  const sshFrom = isCloud ? (flags.sshFrom ?? [await askNetwork()]) : [];
  const witnesses = adopt ? { references: [] } : await askWitnesses(port, flags);
  const by = await chooseLogin(flags, isCloud);
  const { release, releaseSha256 } = flags;
  return {
    stack,
    pillar,
    provider,
    adopt,
    address,
    user,
    port,
    hostKey,
    sshFrom,
    login: by,
    release,
    releaseSha256,
    ...witnesses,
  };
}

/** Asks for the witnesses of the new node's chain: the Pillar's present host, then independent nodes. At least one. */
async function askWitnesses(port: number, flags: InitFlags): Promise<Pick<Answers, "oldHost" | "references">> {
  const { oldHost: named, oldHostKey: hostKey, oldFingerprint: fingerprint, acceptHostKey, reference } = flags;
  const isGiven = named !== undefined || reference !== undefined;
  const address = isGiven
    ? named
    : await askText("What is the address of the Pillar's present host, a witness of the chain (empty: none)?", {
        required: false,
        validate: (text) => text === "" || createValidator(answerSchemas.address)(text),
      });
  const oldFlags = { address: isGiven ? address : undefined, hostKey, fingerprint, acceptHostKey };
  const oldHost = address ? await confirmAddress(address, port, oldFlags) : undefined;
  if (isGiven) return { oldHost, references: reference ?? [] };
  const asked = await askText(
    `Which independent nodes' RPCs, better two, separated by a blank (docs/operating.md says how to find them${oldHost ? "; empty: none" : ""})?`,
    {
      required: oldHost === undefined,
      validate: (text) =>
        (text === "" && oldHost !== undefined) || createValidator(answerSchemas.references)(splitWords(text)),
    },
  );
  return { oldHost, references: splitWords(asked) };
}

const splitWords = (text: string) => text.split(/\s+/).filter((word) => word !== "");

const check = (name: keyof typeof answerSchemas) => ({ validate: createValidator(answerSchemas[name]) });

/** Confirms a host's key. Asks for another address if a typed one does not answer, to keep the other answers. */
async function confirmAddress(
  named: string,
  port: number,
  flags: InitFlags,
): Promise<{ address: string; hostKey: string }> {
  for (let address = named; ; address = await askAddress()) {
    try {
      return { address, hostKey: await confirmHostKey(address, port, flags) };
    } catch (error) {
      if (flags.address !== undefined || !(error instanceof NoHostKeyRefusal)) throw error;
      console.error(error.message);
    }
  }
}

const askAddress = () => askText("What is the host's address?", check("address"));

const askUser = () =>
  askText("Which user logs in on the host (a user other than root needs sudo)?", {
    default: "root",
    ...check("user"),
  });

async function chooseHost({ provider, adopt }: InitFlags): Promise<{ provider: HostProvider; adopt: boolean }> {
  if (adopt) return { provider: "existing", adopt };
  if (provider !== undefined) return { provider, adopt: false };
  const choice = await askChoice("Which host?", [
    { value: "existing", name: "a new server of my own, which exists already" },
    { value: "hetzner", name: "a new server, to be ordered at Hetzner Cloud" },
    { value: "digitalocean", name: "a new server, to be ordered at DigitalOcean" },
    { value: "adopt", name: "the Pillar's present host, adopted without a change, to be retired later" },
  ]);
  return choice === "adopt" ? { provider: "existing", adopt: true } : { provider: choice, adopt: false };
}

function askNetwork(): Promise<string> {
  console.error(
    "Only the networks that you name may connect to the server's ssh. To find your address: curl -4 https://ifconfig.co",
  );
  return askText("From which network may ssh connect (such as 192.0.2.1/32)?", check("network"));
}

async function chooseLogin({ keyFile, agent, password }: InitFlags, isCloud: boolean): Promise<LoginMethod> {
  if (agent || password) return agent ? "agent" : "password";
  if (keyFile !== undefined) {
    const fault = checkKeyFile(keyFile);
    if (fault === undefined) return { keyFile };
    throw new CliRefusal(
      formatProblem({ what: `--key-file: ${keyFile} ${fault.wrong}`, needed: `give ${fault.needed}` }),
    );
  }
  const count = isCloud ? 0 : countAgentKeys();
  const held = count === 1 ? "it holds a key" : `it holds ${count} keys`;
  const byAgent = {
    value: "agent",
    name: `with the ssh agent (${count === 0 ? "no agent runs, or it has no key" : held})`,
  };
  const choice = await askChoice("How does the program log in?", [
    ...(count > 0 ? [byAgent] : []),
    ...listKeyFiles().map((file) => ({ value: file, name: `with the key in ${file}` })),
    { value: "other", name: "with a key in another file" },
    ...(isCloud ? [] : [{ value: "password", name: "with a password" }]),
    ...(count > 0 || isCloud ? [] : [byAgent]),
  ]);
  if (choice === "agent" || choice === "password") return choice;
  if (choice !== "other") return { keyFile: choice };
  const asked = await askText("Which key file?", {
    validate: (file) => {
      const fault = checkKeyFile(file);
      return fault === undefined ? true : `the file ${fault.wrong}; needed ${fault.needed}`;
    },
  });
  return { keyFile: asked };
}
