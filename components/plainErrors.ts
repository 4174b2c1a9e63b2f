import * as pulumi from "@pulumi/pulumi";
import { formatOperatorError } from "../core/util/operatorError";

/** Returns an error that the engine prints as it is: without a stack trace or the names of dependent resources. */
export function createPlainError(message: string): pulumi.RunError {
  const error = Object.assign(new pulumi.RunError(message), { stack: message });
  return Object.defineProperty(error, "message", { get: () => message, set: () => undefined });
}

/** Wraps the program so that its errors for the operator are printed without a stack trace. */
export function showPlainErrors<T>(program: () => Promise<T>): () => Promise<T> {
  return () =>
    program().catch((error: unknown) => {
      const words = formatOperatorError(error);
      throw words === undefined ? error : new pulumi.RunError(words);
    });
}
