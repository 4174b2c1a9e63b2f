// Runs one method of a provider from its text, as the SDK's dynamic provider does, and prints what came of it. Each
// line of standard input is a call: {text, method, args}.
const requireFromString = require("require-from-string");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const readline = require("node:readline");

const providers = new Map();
/** Each text is loaded once in a process. */
function providerOf(text) {
  if (!providers.has(text)) providers.set(text, requireFromString(text).handler());
  return providers.get(text);
}

const log = [];
console.log = (line) => log.push(line);

async function run({ text, method, args }) {
  log.length = 0;
  const provider = providerOf(text);
  try {
    const result = await provider[method](...args);
    if (method === "diff" || result === undefined) return { result };
    return { result: { ...result, outs: Struct.fromJavaScript(result.outs).toJavaScript() } };
  } catch (error) {
    const { message, id, reasons, properties } = error;
    let sent;
    try {
      sent = properties && Struct.fromJavaScript(properties).toJavaScript();
    } catch (unsendable) {
      return { error: { message, id, reasons, unsendable: unsendable.message } };
    }
    return { error: { message, id, reasons, properties: sent } };
  }
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const outcome = await run(JSON.parse(line));
    process.stdout.write(`${JSON.stringify({ ...outcome, log })}\n`);
  }
}

main();
