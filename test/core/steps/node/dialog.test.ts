import { describe, expect } from "vitest";
import { createScript } from "../../../../core/steps/step";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";
import { controllerOf, hasty } from "./controllers";

/** Chooses a label; every line that on_line gets, then the result, is on stdout. */
async function talk(box: Sandbox, label: string, seconds = 10) {
  const values = { controller_dir: box.dir, controller_name: "node-controller" };
  const script = `${hasty(box.local(createScript(values, "node/dialog")))}
known_questions=("Are you sure you want to proceed?" "Continue using the existing configuration?")
on_line() { printf 'line:%s\\n' "$1"; }
dialog ${label} ${seconds}
printf 'result:%s\\nquestion:%s\\n' "$dialog_result" "$dialog_question"
`;
  const started = Date.now();
  const { code, stdout, stderr } = await box.run(script);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n");
  const of = (kind: string) => lines.filter((line) => line.startsWith(kind)).map((line) => line.slice(kind.length));
  return { lines: of("line:"), result: of("result:")[0], question: of("question:")[0], took: Date.now() - started };
}

describe("dialog", () => {
  describe("the menu", () => {
    test.for<[string, string[], string]>([
      ["1 Deploy, 2 Status", ["Deploy", "Status", "Quit"], "2\n"],
      ["1 Migrate, 2 Deploy, 3 Status", ["Migrate", "Deploy", "Status", "Quit"], "3\n"],
      ["coloured labels", ["\\e[1;32mDeploy\\e[0m", "\\e[36mStatus\\e[0m"], "2\n"],
      ["a longer label before it", ["Status of the network", "Status"], "2\n"],
    ])("chooses the number by its label: %s", async ([_what, labels, choice], { box }) => {
      controllerOf(box, {}, labels);
      expect((await talk(box, "Status")).result).toBe("ended");
      expect(box.read("choice")).toBe(choice);
      expect(box.read("no-terminal")).toBeUndefined();
    });

    test("chooses nothing without the label, and names the present labels", async ({ box }) => {
      controllerOf(box, {}, ["Migrate", "Quit"]);
      const { result, question } = await talk(box, "Deploy");
      expect(result).toBe("question");
      expect(question).toMatch(/^a menu without "Deploy": (Migrate Quit|Quit Migrate)$/);
      expect(box.read("choice")).toBeUndefined();
    });
  });

  test("gives the controller a shell that it knows", async ({ box }) => {
    // Bash sets SHELL if it is missing.
    controllerOf(box, { Status: "xargs -0 -n 1 echo < /proc/$$/environ | grep ^SHELL= || echo none" });
    // The menu's prompt is before it if the terminal echoed the choice first.
    const lines = (await talk(box, "Status")).lines.map((line) => line.replace(/^> /, ""));
    expect(lines).toContain("SHELL=/bin/bash");
  });

  test("prints lines without colours and carriage returns", async ({ box }) => {
    controllerOf(box, { Status: "printf '\\e[31mred\\e[0m\\n\\tindented \\e[1;4mx\\e[m\\nlast\\n'" });
    const talked = await talk(box, "Status");
    const lines = talked.lines.map((line) => line.replace(/^> /, ""));
    expect(lines).toContain("red");
    expect(lines.slice(lines.indexOf("red"))).toEqual(["red", "\tindented x", "last"]);
  });

  describe("questions", () => {
    test("answers a known question with y once, although the terminal echoes it", async ({ box }) => {
      const ask =
        "printf '\\e[33mAre you sure you want to proceed?\\e[0m [Y/n] '; IFS= read -r a; echo \"$a\" >> $sandbox/answers";
      controllerOf(box, {
        Deploy: `${ask}; if IFS= read -r -t 0.5 b; then echo "too much: $b" >> $sandbox/answers; fi; echo built`,
      });
      const { result, lines } = await talk(box, "Deploy");
      expect(result).toBe("ended");
      expect(box.read("answers")).toBe("y\n");
      expect(lines.at(-1)).toBe("built");
    });

    test("answers two known questions in turn", async ({ box }) => {
      const ask = (text: string) => `printf '${text} '; IFS= read -r a; echo "$a" >> $sandbox/answers`;
      controllerOf(box, {
        Deploy: `${ask("Are you sure you want to proceed?")}; ${ask("Continue using the existing configuration?")}`,
      });
      expect((await talk(box, "Deploy")).result).toBe("ended");
      expect(box.read("answers")).toBe("y\ny\n");
    });

    test.for(["Overwrite the producer key?", "Enter the password:"])(
      "stops at an unknown question: %s",
      async (text, { box }) => {
        controllerOf(box, { Deploy: `printf '${text} '; IFS= read -r a; echo "$a" > $sandbox/answers` });
        const { result, question } = await talk(box, "Deploy");
        expect(result).toBe("question");
        expect(question?.trim()).toBe(text);
        expect(box.read("answers")).toBeUndefined();
      },
    );

    test("waits through a pause without a question", async ({ box }) => {
      controllerOf(box, { Deploy: "printf 'Compiling ...'; sleep 0.9; echo done" });
      const { result, lines } = await talk(box, "Deploy");
      expect(result).toBe("ended");
      // The menu's prompt is before it if the terminal echoed the choice first.
      expect(lines.at(-1)).toMatch(/^(> )?Compiling \.\.\.done$/);
    });
  });

  describe("the deadline", () => {
    test.for<[string, string]>([
      ["silent", "sleep 30"],
      ["talking", "while :; do echo building; sleep 0.05; done"],
    ])("stops a %s controller", async ([_what, body], { box }) => {
      controllerOf(box, { Deploy: body });
      const { result, took } = await talk(box, "Deploy", 1);
      expect(result).toBe("deadline");
      // Half of the time for which a controller that nobody stops would sleep.
      expect(took).toBeLessThan(15_000);
    });
  });

  test("passes on the whole output of a build, in order", async ({ box }) => {
    controllerOf(box, {
      Deploy: "for ((i = 1; i <= 5000; i++)); do printf '\\e[32mgo build\\e[0m step %d\\n' $i; done",
    });
    const { result, lines } = await talk(box, "Deploy", 60);
    expect(result).toBe("ended");
    // The menu's prompt is before the first line if the terminal echoed the choice first.
    const steps = lines.map((line) => line.replace(/^> /, "")).filter((line) => line.startsWith("go build"));
    expect(steps).toEqual(Array.from({ length: 5000 }, (_, index) => `go build step ${index + 1}`));
  }, 70_000);
});
