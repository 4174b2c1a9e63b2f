// @ts-check
const { readFileSync } = require("node:fs");

const speed = 3;
const maxPauseMs = 1000;

/**
 * Plays a recording (an asciicast of version 2) in this terminal, faster than it was; at once if the output is no
 * terminal.
 * @param {string} file
 */
async function replay(file) {
  const [header, ...events] = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { stdout } = process;
  if (stdout.isTTY && (stdout.columns < header.width || stdout.rows < header.height))
    console.log(`For a good picture: a window of ${header.width} columns and ${header.height} lines.`);
  console.log(`A recorded run of the demo, at least ${speed} times as fast as it was. To end it: Ctrl-C.`);
  let before = 0;
  for (const [at, , text] of events) {
    const pauseMs = Math.min(((at - before) * 1000) / speed, maxPauseMs);
    if (stdout.isTTY) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    stdout.write(text);
    before = at;
  }
  console.log("\nTo run it on this machine (Linux, root): npm run demo");
}

module.exports = { replay };
