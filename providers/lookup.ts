import { judge, type Verdict } from "./gate/verdict";
import { createNodeClient, type NodeTarget } from "./rpc/node";

/** A node as it is this minute. */
export interface NodeNow extends Verdict {
  /** Whether the node answered at all: without an answer nothing is known. */
  readonly known: boolean;
  readonly state?: number;
  readonly currentHeight?: number;
  readonly targetHeight?: number;
}

const deadline = 20_000;

/** Looks once, in preview too: it only reads, has a deadline, and never throws but says what is not known. */
export async function lookAtNode(target: NodeTarget): Promise<NodeNow> {
  const client = createNodeClient(target);
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${deadline / 1000} s`)), deadline);
    });
    const observation = await Promise.race([client.observe(), late]);
    const verdict = judge(observation);
    return observation.kind === "answer"
      ? { ...verdict, known: true, ...observation.info }
      : { ...verdict, known: false };
  } catch (error) {
    return { synced: false, known: false, why: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
    client.close();
  }
}
