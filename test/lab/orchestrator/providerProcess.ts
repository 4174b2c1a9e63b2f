import { text } from "node:stream/consumers";
import { runProvider } from "../../providers/runProvider.ts";

/** Runs a provider's method, which it reads from its standard input, and prints the outcome (providerRun.ts). */
async function main(): Promise<void> {
  const call = JSON.parse(await text(process.stdin)) as Parameters<typeof runProvider>;
  process.stdout.write(JSON.stringify(await runProvider(...call)));
}

void main();
