import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Lab, testLabPrefix } from "../../lab/lab";
import { noteSecret } from "../../lab/testRun/printed";
import { type Exchange, typed } from "./readme";

const checkout = join(import.meta.dirname, "../..");
const name = `${testLabPrefix(Number(process.env.PILLAR_TEST_RUN ?? process.ppid))}s`;
const prompt = /pillar-host\$ /;
const passphrase = "Correct Horse 'battery' 8";
const unlock: Exchange = [/passphrase to unlock config\/secrets/, `${passphrase}\r`];

afterAll(async () => {
  if (Lab.exists(name)) await (await Lab.open(name)).down();
});

/** `npm run lab -- shell` in a terminal, and what is typed in it. */
async function shell(...lines: readonly (string | Exchange)[]) {
  const exchanges = lines.map((line): Exchange => (typeof line === "string" ? [prompt, `${line}\r`] : line));
  noteSecret("the pass phrase that is typed", passphrase);
  const command = `stty cols 150 rows 50; lab/run lab/main.ts shell --lab ${name}`;
  return typed(["script", "-qefc", command, "/dev/null"], { cwd: checkout, env: { ...process.env, TERM: "xterm" } }, [
    ...exchanges,
    [prompt, "exit\r"],
  ]);
}

it("an operator's shell: README's commands act on hosts of the lab from nothing, and the next shell finds them as they were", {
  timeout: 1_200_000,
}, async () => {
  const first = await shell(
    "echo variables: $PULUMI_CONFIG_PASSPHRASE $PULUMI_BACKEND_URL $PULUMI_STACK.",
    "./pillar-host init prod-2",
    [/Which Pillar/, "Anvil\r"],
    [/Which host\?/, "\r"],
    [/Its address\?/, "10.77.0.12\r"],
    [/Which user/, "\r"],
    [/Is it the same\?/, "y\r"],
    [/How does the program log in\?/, "\r"],
    [/Choose a pass phrase:/, `${passphrase}\r`],
    [/Again:/, `${passphrase}\r`],
    "pulumi up -s prod-2",
    unlock,
    [/Do you want to perform this update/, "yes\r"],
    "./pillar-host status prod-2",
  );
  expect(first.exitCode, first.shown).toBe(0);
  expect(first.shown).toMatch(/^variables: +\.$/m);
  expect(first.shown).toMatch(/The node of Anvil is synced\. Now, in the desktop wallet:/);
  const [, status = ""] = first.shown.split("pillar-host$ ./pillar-host status prod-2").map((part) => part.trim());
  expect(status.split("pillar-host$ ")[0]).toMatch(/done so far .*synced /);

  const again = await shell("./pillar-host next prod-2", "wallet collect");
  expect(again.exitCode, again.shown).toBe(0);
  expect(again.shown).not.toContain("making the lab");
  expect(again.shown).toContain("  pulumi up -s prod-2");
  expect(again.shown).toContain("collected: all that was paid until now");
});
