import { parseArgs } from "node:util";
import { execa } from "execa";
import { restartsVariable } from "./variables";

/** `npm run restarts -- 40`: so many restarts each way of test/lab/contracts/hourlyRestarts.long.test.ts, with their figures. */
const {
  positionals: [restarts = "40"],
} = parseArgs({ allowPositionals: true });
const { exitCode = 1 } = await execa("lab/run", ["lab/test.ts", "contracts/hourlyRestarts"], {
  ...{ env: { [restartsVariable]: restarts }, stdio: "inherit", reject: false },
});
process.exitCode = exitCode;
