import { expect } from "vitest";
import { createScript } from "../../../../core/steps/step.ts";
import { type Sandbox, test } from "../sandbox.ts";
import { controllerOf, hasty } from "./controllers.ts";

/** Chooses a label. Returns the lines that on_line gets, and the result. */
async function talk(box: Sandbox, label: string, seconds = 10) {
  const values = { controller_dir: box.dir, controller_name: "node-controller" };
  const script = `${hasty(box.local(createScript(["node/dialog"], values)))}
known_questions=("Are you sure you want to proceed?" "Continue using the existing configuration?")
on_line() { printf 'line:%s\\n' "$1"; }
dialog ${label} ${seconds}
printf 'result:%s\\nquestion:%s\\n' "$dialog_result" "$dialog_question"
`;
  const { code, stdout, stderr } = await box.run(script);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const of = (kind: string) =>
    stdout.split("\n").flatMap((line) => (line.startsWith(kind) ? [line.slice(kind.length)] : []));
  // The menu's prompt is before a line if the terminal echoed the choice first.
  const lines = of("line:").map((line) => line.replace(/^> /, ""));
  return { lines, result: of("result:")[0], question: of("question:")[0]?.trim(), answers: box.read("answers") };
}

test.for<[string, string[], string]>([
  ["1 Deploy, 2 Status", ["Deploy", "Status", "Quit"], "2\n"],
  ["1 Migrate, 2 Deploy, 3 Status", ["Migrate", "Deploy", "Status", "Quit"], "3\n"],
  ["coloured labels", ["\\e[1;32mDeploy\\e[0m", "\\e[36mStatus\\e[0m"], "2\n"],
  ["a longer label before it", ["Status of the network", "Status"], "2\n"],
])("the menu's number is chosen by its label, in a terminal: %s", async ([, labels, choice], { box }) => {
  controllerOf(box, {}, labels);
  expect((await talk(box, "Status")).result).toBe("ended");
  expect([box.read("choice"), box.read("no-terminal")]).toEqual([choice, undefined]);
});

test("nothing is chosen without the label, and the present ones are named", async ({ box }) => {
  controllerOf(box, {}, ["Migrate", "Quit"]);
  const { result, question } = await talk(box, "Deploy");
  expect([result, question]).toEqual(["question", expect.stringMatching(/^a menu without "Deploy": \w+ \w+$/)]);
  expect(box.read("choice")).toBeUndefined();
});

test("the controller gets a shell that it knows; its lines come without colours and carriage returns", async ({
  box,
}) => {
  // Bash sets SHELL if it is missing.
  const shell = "xargs -0 -n 1 echo < /proc/$$/environ | grep ^SHELL= || echo none";
  controllerOf(box, { Status: `${shell}; printf '\\e[31mred\\e[0m\\n\\tindented \\e[1;4mx\\e[m\\nlast\\n'` });
  expect((await talk(box, "Status")).lines.slice(-4)).toEqual(["SHELL=/bin/bash", "red", "\tindented x", "last"]);
});

const sure = "Are you sure you want to proceed?";
const ask = (text: string) => `printf '${text} '; IFS= read -r a; echo "$a" >> $sandbox/answers`;

test.for([
  [
    "once, although the terminal echoes it",
    `${ask(`\\e[33m${sure}\\e[0m [Y/n]`)}; if IFS= read -r -t 0.5 b; then echo "too much: $b" >> $sandbox/answers; fi`,
    "y\n",
  ],
  ["of two in turn", `${ask(sure)}; ${ask("Continue using the existing configuration?")}`, "y\ny\n"],
] as const)("a question that is known is answered with y: %s", async ([, body, answers], { box }) => {
  controllerOf(box, { Deploy: `${body}; echo built` });
  const talked = await talk(box, "Deploy");
  expect([talked.result, talked.answers, talked.lines.at(-1)]).toEqual(["ended", answers, "built"]);
});

test.for(["Overwrite the producer key?", "Enter the password:"])(
  "that is unknown ends it: %s",
  async (text, { box }) => {
    controllerOf(box, { Deploy: ask(text) });
    expect(await talk(box, "Deploy")).toMatchObject({ result: "question", question: text, answers: undefined });
  },
);

test("a question is not a pause of a build", async ({ box }) => {
  controllerOf(box, { Deploy: "printf 'Compiling ...'; sleep 0.9; echo done" });
  const { result, lines } = await talk(box, "Deploy");
  expect([result, lines.at(-1)]).toEqual(["ended", "Compiling ...done"]);
});

test.for([
  ["sleep 30", 1],
  ["while :; do echo building; sleep 0.05; done", 1],
  // More than a pipe holds, once nobody reads it.
  ["yes building", 1],
  // On a busy machine it may have passed before the first look.
  ["sleep 30", 0],
] as const)("a deadline ends %s after %i s", async ([body, seconds], { box }) => {
  controllerOf(box, { Deploy: body });
  const started = Date.now();
  expect((await talk(box, "Deploy", seconds)).result).toBe("deadline");
  // Half of the time for which a controller that nobody stops would sleep.
  expect(Date.now() - started).toBeLessThan(15_000);
});
