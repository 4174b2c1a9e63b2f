import { parseArgs } from "node:util";
import { execa } from "execa";
import { copiesVariable } from "./copies";

/** `npm run copies -- 20`: so many rounds of test/lab/chainCopy/manyCopies.long.test.ts; its figures are in a line of their own. */
const {
  positionals: [rounds = "20"],
} = parseArgs({ allowPositionals: true });
const { exitCode = 1 } = await execa("lab/run", ["lab/test.ts", "chainCopy/manyCopies"], {
  ...{ env: { [copiesVariable]: rounds }, stdio: "inherit", reject: false },
});
process.exitCode = exitCode;
