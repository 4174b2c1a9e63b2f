import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import { expect, test } from "vitest";
import { Chapters, chapters, formatHeading } from "../lab/demo/chapters.ts";
import { Recording, Redraws } from "../lab/demo/recording.ts";

const demo = join(import.meta.dirname, "../lab/demo");
const file = readFileSync(join(demo, "recording.cast"), "utf8");
const [header, ...events] = file
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const shown = events.map(([, , text]) => text).join("");

test("the recording of the demo has the demo's chapters: else record it again (npm run demo -- --record FILE)", () => {
  const headings = stripVTControlCharacters(shown)
    .split("\r\n")
    .filter((line) => line.startsWith("── "));
  expect(headings).toEqual(chapters.map((_, index) => formatHeading(index)));
  expect(shown).toContain("two producers at once: never");
  expect(shown).toContain("So it went well: the exit code is 0.");
});

test("the recording has nothing of the machine that made it, and fits into a usual terminal and a checkout", () => {
  expect(shown).not.toMatch(
    /\/(?:root|home|Users|tmp|work|var\/folders)\b|\.cache|a pass phrase of the demo|BEGIN OPENSSH/,
  );
  expect(shown).not.toContain(homedir());
  expect(header).toEqual({ version: 2, width: 110, height: 30 });
  expect(file.length).toBeLessThan(200_000);
});

test("the recording plays without any package", async () => {
  const { stdout, exitCode } = await execa("node", [join(demo, "start.cjs"), "--replay"], { cwd: "/" });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^A recorded run of the demo/);
  expect(stdout).toContain("So it went well: the exit code is 0.");
});

test("a recording keeps the order and names no directory of this machine, in whatever pieces it arrives", () => {
  const recording = new Recording([["/root/lab/program", "~/pillar-host"]]);
  for (const piece of ["in /root/lab/", "program\r\n", "done"]) recording.add(piece);
  const [first, ...lines] = recording
    .format()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(first).toEqual({ version: 2, width: 110, height: 30 });
  expect(lines.map(([, , text]) => text).join("")).toBe("in ~/pillar-host\r\ndone");
});

test("a redraw's unchanged lines are left out, and the screen is the same", () => {
  const redraws = new Redraws();
  expect(redraws.thin("a\u001b[K\r\nb\u001b[K\r\n")).toBe("a\u001b[K\r\nb\u001b[K\r\n");
  expect(redraws.thin("\r\u001b[2Aa\u001b[K\r\nc\u001b[K\r\n")).toBe("\r\u001b[2A\r\nc\u001b[K\r\n");
  // A further line comes in pieces, then a prompt over it, which is not compared.
  expect(redraws.thin("\r\u001b[2Aa\u001b[K\r\nc")).toBe("\r\u001b[2A\r\nc");
  expect(redraws.thin("\u001b[K\r\n? d\u001b[K\r\n")).toBe("\u001b[K\r\n? d\u001b[K\r\n");
  expect(redraws.thin("e\u001b[1A\u001b[G\r\u001b[2Aa\u001b[K\r\n")).toContain("a\u001b[K");
});

test("a chapter begins at its command's line, in whatever pieces the line arrives, and each chapter once", () => {
  let text = "";
  const screen = new Chapters((piece) => {
    text += piece;
  });
  for (const piece of [
    "Hello\r\n>",
    " ./pillar-host in",
    "it prod-2\r\n? A question\r\n> no",
    "\r\n",
    "> pulumi up -s prod-2\r\n",
  ])
    screen.print(piece);
  expect(text).toBe(
    `Hello\r\n\r\n${formatHeading(0)}\r\n\r\n> ./pillar-host init prod-2\r\n? A question\r\n> no\r\n> pulumi up -s prod-2\r\n`,
  );
  screen.openWallet("Collect");
  expect(text).not.toContain("Collect");
  expect(screen.isComplete).toBe(false);
});
