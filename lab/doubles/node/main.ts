import { basename } from "node:path";
import { parseArgs } from "node:util";
import { readLabHost } from "../labHost.ts";
import { nodeCommit, nodeVersion } from "./logLines.ts";
import { NodeDouble } from "./node.ts";

// pkill finds the process by this title. Without one, the process has the name of the interpreter's thread.
process.title = basename(process.argv[1] ?? "", ".cjs");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string", default: "/root/.znn" },
    listen: { type: "string", default: "0.0.0.0" },
    rpc: { type: "string", default: "35997" },
    ws: { type: "string", default: "35998" },
    p2p: { type: "string", default: "35995" },
    chain: { type: "string" },
    name: { type: "string" },
  },
});

if (positionals[0] === "version") {
  console.log(`go-node version ${nodeVersion}\ncommit ${nodeCommit}`);
} else {
  const host = readLabHost();
  const node = new NodeDouble({
    dataDir: values.data,
    listen: values.listen,
    ports: { rpc: Number(values.rpc), ws: Number(values.ws), p2p: Number(values.p2p) },
    chainUrl: values.chain ?? host?.chain ?? "http://127.0.0.1:1",
    name: values.name ?? host?.name ?? "unnamed",
  });
  // The real node knows the signal only once it has started: before that, a stop is a kill (go-zenon: app/manager.go).
  void node.start().then(() => process.once("SIGTERM", () => void node.end()));
}
