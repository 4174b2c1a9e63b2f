import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Lab, ownLabPrefix } from "../../lab/lab";
import { noteSecret } from "../../lab/testRun/printed";
import { type Exchange, typed } from "./readme";

const checkout = join(import.meta.dirname, "../..");
const name = `${ownLabPrefix()}s`;
const prompt = /pillar-host\$ /;
const passphrase = "Correct Horse 'battery' 8";

afterAll(async () => {
  if (Lab.exists(name)) await (await Lab.open(name)).down();
});

/** Runs `npm run lab -- shell` in a terminal and types these lines. */
async function shell(...lines: readonly (string | Exchange)[]) {
  const exchanges = lines.map((line): Exchange => (typeof line === "string" ? [prompt, `${line}\r`] : line));
  noteSecret("the pass phrase that is typed", passphrase);
  const command = `stty cols 150 rows 50; lab/run lab/main.ts shell --lab ${name}`;
  return typed(["script", "-qefc", command, "/dev/null"], { cwd: checkout, env: { ...process.env, TERM: "xterm" } }, [
    ...exchanges,
    [prompt, "exit\r"],
  ]);
}

it("an operator's shell: README's first command creates a stack, and the next shell finds it", {
  timeout: 1_200_000,
}, async () => {
  const first = await shell(
    "echo variables: $PULUMI_CONFIG_PASSPHRASE $PULUMI_BACKEND_URL $PULUMI_STACK.",
    "./pillar-host init prod-2",
    [/the Pillar's name on chain\?/, "Anvil\r"],
    [/Which host\?/, "\r"],
    [/the host's address\?/, "10.77.0.12\r"],
    [/Which user/, "\r"],
    [/Is it the same key\?/, "y\r"],
    [/the Pillar's present host/, "10.77.0.11\r"],
    [/Is it the same key\?/, "y\r"],
    [/independent nodes' RPCs/, "\r"],
    [/How does the program log in\?/, "\r"],
    [/Choose a pass phrase:/, `${passphrase}\r`],
    [/Repeat the pass phrase:/, `${passphrase}\r`],
  );
  expect(first.exitCode, first.shown).toBe(0);
  expect(first.shown).toMatch(/^variables: +\.$/m);
  expect(first.shown).toContain("Made: stack prod-2, and its file Pulumi.prod-2.yaml");

  const again = await shell("ls Pulumi.prod-2.yaml", "wallet collect");
  expect(again.exitCode, again.shown).toBe(0);
  expect(again.shown).not.toContain("making the lab");
  expect(again.shown).toMatch(/^Pulumi\.prod-2\.yaml$/m);
  expect(again.shown).toContain("collected: all that was paid until now");
});
