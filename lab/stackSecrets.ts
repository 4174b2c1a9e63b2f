/** A value as the engine writes it into a stack's file once it has encrypted it. */
export interface Secured {
  readonly secure: string;
}

type Block = Record<string, unknown>;

/** The keys of a path such as `ssh.privateKey`, as the file has them. */
function keysOf(path: string): [first: string, ...others: string[]] {
  const [first = "", ...others] = path.split(".");
  return [`pillar-host:${first}`, ...others];
}

/** The configuration with an encrypted value at a path (pure). */
export function withSecured(config: Block, path: string, value: Secured): Block {
  const put = (block: unknown, [key = "", ...below]: readonly string[]): Block => {
    const values = (block ?? {}) as Block;
    return { ...values, [key]: below.length === 0 ? value : put(values[key], below) };
  };
  return put(config, keysOf(path));
}

/** The encrypted value at a path of what the engine wrote (pure). @throws where there is none */
export function securedAt(config: Block, path: string): Secured {
  const found = keysOf(path).reduce<unknown>((block, key) => (block as Block | undefined)?.[key], config);
  if (typeof (found as Secured | undefined)?.secure === "string") return found as Secured;
  throw new Error(`the stack's file holds no encrypted value at pillar-host:${path}`);
}
