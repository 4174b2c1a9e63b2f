import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkStackFile } from "../cli/init/checkAnswers.ts";
import { type Answers, formatStackFile } from "../cli/init/stackText.ts";
import { labExample, welcome } from "../lab/shell/texts.ts";
import { uncommentEach } from "./core/config/commentedBlocks.ts";
import { codeBlocks, commandsOf } from "./lab/readme.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const network = {
  releaseUrl: "https://releases.example/node-controller.zip",
  references: ["http://192.0.2.9:35997"],
  epochSeconds: 30,
  momentumSeconds: 1,
  tickMomentums: 20,
};
const answers: Answers = {
  stack: "prod-2",
  pillar: "Anvil",
  provider: "existing",
  adopt: false,
  address: "192.0.2.1",
  user: "root",
  port: 22,
  sshFrom: ["192.0.2.1/32"],
  login: { keyFile: "~/.ssh/id_ed25519" },
  references: network.references,
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
  // As init asks for them in a terminal.
  release: network.releaseUrl,
  releaseSha256: "ab".repeat(32),
};

const oldHost = {
  address: "192.0.2.2",
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8zWlQBrYTQw5rLvxVNWYKmKTYCy1Wq4VJv0e7a9rQb",
};

test.each([
  ["own-server", answers, {}],
  ["own-server", { ...answers, oldHost }, {}],
  ["old-host", { ...answers, adopt: true, release: undefined, releaseSha256: undefined }, {}],
  [
    "hetzner",
    { ...answers, provider: "hetzner", hostKey: undefined },
    { endpoint: ["hcloud:endpoint", "http://x/v1"] },
  ],
] as const)("the lab's shell init creates a valid stack file from the lab's example: %s", (file, given, more) => {
  const example = labExample(read(`examples/${file}.yaml`), { ...network, ...more });
  const text = formatStackFile(example, given);
  const blocks = uncommentEach(text);
  expect(blocks.some((block) => block.includes("move: true"))).toBe(file !== "old-host");
  for (const each of [text, ...blocks]) {
    const faults = checkStackFile("prod-2", each, "endpoint" in more ? [["host.token", "0".repeat(64)]] : []);
    // This machine may have no key.
    expect(
      faults.filter((fault) => !fault.includes("ssh.privateKeyFile")),
      each,
    ).toEqual([]);
  }
  if (file !== "old-host") expect(text).toContain(`sha256: "${"ab".repeat(32)}"`);
  expect(text).toContain("epoch: 30s");
  expect(text).toContain("http://192.0.2.9:35997");
  expect(text).not.toMatch(/go-zenon|znn_controller-linux|_64\.zip/);
  if ("endpoint" in more) expect(text).toContain(`${more.endpoint[0]}: ${more.endpoint[1]}`);
});

test("the lab's shell begins with the commands of README and docs/steps.md, in their order", () => {
  const release = {
    url: "https://releases.example/orchestrator-linux-amd64.zip",
    sha256: "ab".repeat(32),
    version: "v0.0.9a",
  };
  const lines = welcome({ old: "198.51.100.9", fresh: { address: "203.0.113.7" }, orchestratorRelease: release })
    .split("\n")
    .map((line) => line.replace(/^ *(\d\. )?/, "").trim())
    .filter((line) => /^(\.\/pillar-host|pulumi) /.test(line));
  const named = `--from prod-1 --release ${release.url} --release-version ${release.version} --no-up`;
  const [migrate] = commandsOf(codeBlocks(read("README.md"))).filter(({ command }) => command.includes(" migrate "));
  const steps = commandsOf(codeBlocks(read("docs/steps.md"))).map(({ command }) =>
    command.replace("--from prod-1 --no-up", named),
  );
  expect(lines).toEqual([
    `${migrate?.command} --release ${release.url} --release-version ${release.version}`,
    ...steps,
  ]);
});
