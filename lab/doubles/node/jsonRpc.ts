import { firstValue, rawElements, rawMembers } from "./jsonText";

/** A method of the node's RPC, with the kinds of its arguments. */
export interface Method {
  args: readonly ArgumentKind[];
  call(...args: (string | number)[]): unknown;
}

/** Type that an argument must have. */
export type ArgumentKind = "string" | "int64" | "uint32" | "uint64" | "address" | "hash";

export type Methods = Readonly<Record<string, Method>>;

/** Error in an RPC answer. The HTTP status stays 200. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Answers one HTTP body. Returns an empty text if nothing needs an answer, such as a request without an id. */
export async function answerBody(body: string, methods: Methods, parse: ArgumentParser): Promise<string> {
  let value: string | undefined;
  try {
    value = firstValue(body);
  } catch {
    return `${errorAnswer("null", new RpcError(-32700, "parse error"))}\n`;
  }
  if (value === undefined) return "";
  if (!value.startsWith("[")) return line(await answerOne(value, methods, parse));
  const requests = rawElements(value);
  if (requests.length === 0) return `${errorAnswer("null", new RpcError(-32600, "empty batch"))}\n`;
  const answers: string[] = [];
  for (const request of requests) {
    const answer = await answerOne(request, methods, parse);
    if (answer !== undefined) answers.push(answer);
  }
  return answers.length === 0 ? "" : `[${answers.join(",")}]\n`;
}

/** Parses one argument from its JSON text. Throws an Error with the reason. */
export type ArgumentParser = (kind: ArgumentKind, json: string) => string | number;

async function answerOne(request: string, methods: Methods, parse: ArgumentParser): Promise<string | undefined> {
  const members = request.startsWith("{") ? rawMembers(request) : new Map<string, string>();
  const id = members.get("id");
  const method = stringOf(members.get("method"));
  if (id === undefined && method !== "") return undefined;
  const validId = id !== undefined && !id.startsWith("{") && !id.startsWith("[");
  if (!validId) return errorAnswer("null", new RpcError(-32600, "invalid request"));
  if (method === "") {
    const isAnswer = members.has("result") || members.has("error");
    return isAnswer && !members.has("params") ? undefined : errorAnswer(id, new RpcError(-32600, "invalid request"));
  }
  try {
    const called = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (called === undefined) throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
    const result = await called.call(...readArguments(members.get("params"), called.args, parse));
    return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`;
  } catch (error) {
    return errorAnswer(id, error instanceof RpcError ? error : new RpcError(-32000, String(error)));
  }
}

function readArguments(raw: string | undefined, kinds: readonly ArgumentKind[], parse: ArgumentParser) {
  if (raw !== undefined && raw !== "null" && !raw.startsWith("[")) throw new RpcError(-32602, "non-array args");
  const given = raw === undefined || raw === "null" ? [] : rawElements(raw);
  if (given.length > kinds.length) {
    throw new RpcError(-32602, `too many arguments, want at most ${kinds.length}`);
  }
  return kinds.map((kind, index) => {
    const json = given[index];
    if (json === undefined) throw new RpcError(-32602, `missing value for required argument ${index}`);
    try {
      return parse(kind, json);
    } catch (error) {
      throw new RpcError(
        -32602,
        `invalid argument ${index}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  });
}

function errorAnswer(id: string, error: RpcError): string {
  const body = JSON.stringify({ code: error.code, message: error.message });
  return `{"jsonrpc":"2.0","id":${id},"error":${body}}`;
}

function stringOf(json: string | undefined): string {
  const value: unknown = json === undefined ? "" : JSON.parse(json);
  return typeof value === "string" ? value : "";
}

const line = (answer: string | undefined) => (answer === undefined ? "" : `${answer}\n`);
