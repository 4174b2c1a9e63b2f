import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Asks in the terminal, without showing what is typed. Ctrl-C ends the program, as it does at any other prompt. */
export function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_piece, _encoding, done) => done() });
  const asking = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve) => {
    asking.on("SIGINT", () => {
      process.stderr.write("\n");
      process.exit(130);
    });
    asking.question("", (answer) => {
      process.stderr.write("\n");
      asking.close();
      resolve(answer);
    });
  });
}
