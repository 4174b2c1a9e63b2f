import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type OwnProcess, startDetached } from "../../lab/hosts/machine.ts";
import { operatorAddress } from "../../lab/hosts/network.ts";
import type { Lab } from "../../lab/lab.ts";

/** Writes received notifications into a file, one per line. A heartbeat has no body. */
const source = `require("node:http").createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => { body += piece; }).on("end", () => {
    const { "x-title": title, "x-message": message, "x-template": template } = request.headers;
    const line = body === "" ? { beat: request.url } : { title, message, template, body: JSON.parse(body) };
    require("node:fs").appendFileSync(process.argv[1], JSON.stringify(line) + "\\n");
    response.end();
  });
}).listen(9009, "${operatorAddress}");`;

/** A received notification. */
export interface Heard {
  readonly title: string;
  readonly message: string;
  readonly template: string;
  readonly body: { readonly event: string; readonly title: string; readonly message: string };
}

/** A webhook at the operator's end. */
export interface LabWebhook {
  readonly process: OwnProcess;
  /** Its address holds a topic that nobody guesses. */
  readonly address: string;
  readonly topic: string;
  notices(): Promise<Heard[]>;
  /** Returns the paths of the calls without a body. */
  beats(): Promise<string[]>;
}

/** Starts one; the test ends its process. */
export async function startWebhook(lab: Lab): Promise<LabWebhook> {
  const file = join(lab.dir, "heard");
  const topic = "s3cret-topic";
  const lines = async () =>
    (await readFile(file, "utf8").catch(() => ""))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Heard | { readonly beat: string });
  const argv = lab.atOperator([process.execPath, "-e", source, file]);
  return {
    process: await startDetached(argv, join(lab.dir, "hook.log")),
    topic,
    address: `http://${operatorAddress}:9009/${topic}`,
    notices: async () => (await lines()).flatMap((line) => ("beat" in line ? [] : [line])),
    beats: async () => (await lines()).flatMap((line) => ("beat" in line ? [line.beat] : [])),
  };
}
