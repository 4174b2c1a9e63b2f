import * as pulumi from "@pulumi/pulumi";
import { plainFault } from "../core/util/plainFault";

/** Wraps the program so that its errors for the operator are printed without a stack trace. */
export function showPlainErrors<T>(program: () => Promise<T>): () => Promise<T> {
  return () =>
    program().catch((error: unknown) => {
      const words = plainFault(error);
      throw words === undefined ? error : new pulumi.RunError(words);
    });
}
