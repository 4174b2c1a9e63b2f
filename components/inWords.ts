import * as pulumi from "@pulumi/pulumi";
import { plainFault } from "../core/util/plainFault";

/** Prints errors for the operator without a stack trace. */
export function showPlainErrors<T>(program: () => Promise<T>): () => Promise<T> {
  return () =>
    program().catch((error: unknown) => {
      const words = plainFault(error);
      throw words === undefined ? error : new pulumi.RunError(words);
    });
}
