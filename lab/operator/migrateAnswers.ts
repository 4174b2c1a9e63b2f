import type { Answer } from "./typist.ts";

/** Returns what an operator answers in `migrate prod-1 prod-2`, but for the approvals. */
export const answerQuestions = ({
  old,
  fresh,
  version,
  passphrase,
}: Readonly<Record<"old" | "fresh" | "version" | "passphrase", string>>): Answer[] => {
  const phrase = `${passphrase}\r`;
  const sameKey = () => ({ seen: /shows this host key:[\s\S]*?Is it the same key\?/, reply: "y\r" });
  return [
    { seen: /the Pillar's name on chain\?/, reply: "Anvil\r" },
    { seen: /Which host\?/, reply: "\r" },
    { seen: /the host's address\?/, reply: `${fresh}\r` },
    sameKey(),
    { seen: /Which user/, reply: "\r" },
    { seen: /What is the address of the Pillar's present host/, reply: `${old}\r` },
    sameKey(),
    { seen: /independent nodes' RPCs/, reply: "\r" },
    { seen: /address of its newest release for Linux/, reply: "\r" },
    { seen: /The controller's release:[\s\S]*?Install this release\?/, reply: "y\r" },
    { seen: /the node's release for linux-amd64/, reply: "none\r" },
    { seen: /How does the program log in\?/, reply: "\r" },
    { seen: /Choose a pass phrase:/, reply: phrase },
    { seen: /Repeat the pass phrase:/, reply: phrase },
    { seen: /Pass phrase of stack \S+:/, reply: phrase },
    { seen: /passphrase to unlock config\/secrets[^:]*:/, reply: phrase },
    { seen: /The orchestrator's release for the new host:[\s\S]*?Install this release\?/, reply: "y\r" },
    { seen: /Which version is it\?/, reply: `${version}\r` },
    { seen: /Type\s+never:/, reply: "never\r" },
  ];
};

/** Pulumi's questions, each below its own command. */
export const asks = {
  setUp: /(?<=> pulumi up -s prod-2\n(?:(?!orchestrator-move )[\s\S])*)Do you want to perform this update\?/,
  move: /(?<=> pulumi up -s prod-2\n[\s\S]*orchestrator-move [\s\S]*)Do you want to perform this update\?/,
  resume: /(?<=running: pulumi up -s prod-\d\n[\s\S]*)Do you want to perform this update\?/,
  retire: /(?<=> (?:\.\/pillar-host retire|pulumi up -s) prod-1[\s\S]*)Do you want to perform this update\?/,
  destroy: /(?<=> pulumi destroy -s prod-1\n[\s\S]*)Do you want to perform this destroy\?/,
} as const;

export const yes = (seen: RegExp): Answer => ({ seen, reply: "yes\r" });
