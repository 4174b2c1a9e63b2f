import { expect, test } from "vitest";
import { type Answer, inTerminal, typeCommand } from "../lab/operator/typist.ts";

const size = { columns: 40, rows: 6 };
const type = (script: string, answers: readonly Answer[], isOrdered = false, limits = {}) =>
  typeCommand(inTerminal(`sh -c '${script}'`, size), {
    cwd: "/",
    env: process.env,
    size,
    answers,
    isOrdered,
    ...limits,
  });
const ask = (question: string) => `printf "? ${question} "; read answer; echo "got $answer"; `;
const name: Answer = { seen: /Name/, reply: "Anvil\r" };
const age: Answer = { seen: /Age/, reply: "7\r" };

test("the typist answers each question once, and shows the lines above the prompt", async () => {
  const { exitCode, screen, shown } = await type(`seq 9; ${ask("Name")}${ask("Age")}exit 3`, [age, name]);
  expect(exitCode).toBe(3);
  expect(shown).toMatch(/^1\n[\s\S]*got Anvil\n[\s\S]*got 7\n$/);
  expect(screen).toBe("9\n? Name Anvil\ngot Anvil\n? Age 7\ngot 7\n");
});

test.each<[string, string, readonly Answer[], boolean, RegExp]>([
  [
    "a question without an answer",
    ask("Colour"),
    [name],
    false,
    /question that no answer is for; the screen:\n\? Colour/,
  ],
  [
    "a question that does not come",
    "echo over",
    [name],
    true,
    /did not ask \/Name\/ \(exit code 0\); the screen:\nover/,
  ],
  ["questions in another order", ask("Age"), [name, age], true, /question that no answer is for; the screen:\n\? Age/],
  ["a command that does not end", "echo begun; sleep 60", [name], false, /did not end in 3 s; the screen:\nbegun/],
])("the typist fails at %s, with the screen", async (_, script, answers, isOrdered, message) => {
  await expect(type(script, answers, isOrdered, { questionMs: 300, limitMs: 3000 })).rejects.toThrow(message);
});

test("the typist leaves out an optional question of an order", async () => {
  const { shown } = await type(ask("Age"), [{ ...name, isOptional: true }, age], true);
  expect(shown).toContain("got 7");
});
