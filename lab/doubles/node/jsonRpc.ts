/** A method of the node's RPC. It requires as many arguments as the function has parameters. */
export type Method = (...params: never[]) => unknown;

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

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: never[];
}

/** Answers a body with one call. The real node also takes batches and notifications, which nobody here sends. */
export async function answerBody(body: string, methods: Methods): Promise<string> {
  const { id, method, params } = JSON.parse(body) as Call;
  const answer = await answerCall(methods, method, params).then(
    (result) => ({ jsonrpc: "2.0", id, result }),
    (error: unknown) => {
      const { code, message } = error instanceof RpcError ? error : new RpcError(-32000, String(error));
      return { jsonrpc: "2.0", id, error: { code, message } };
    },
  );
  return `${JSON.stringify(answer)}\n`;
}

async function answerCall(methods: Methods, method: string, params: never[]): Promise<unknown> {
  const called = methods[method];
  if (called === undefined) throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
  if (params.length < called.length) throw new RpcError(-32602, `missing value for required argument ${params.length}`);
  return called(...params);
}
