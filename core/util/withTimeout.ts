import { ProblemError } from "./problem.ts";

/** Waits for a promise until a timeout, which does not stop the work. @throws ProblemError `late` */
export function withTimeout<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProblemError({ kind: "late", what })), Math.max(0, milliseconds));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
