import { ProblemError } from "./problem.ts";

/** Waits for a promise until a timeout, which does not stop the work. @throws ProblemError `late` */
export function withTimeout<T>(promise: Promise<T>, milliseconds: number, words?: string): Promise<T> {
  const what = words ?? `no answer within ${milliseconds / 1000} s`;
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProblemError({ kind: "late", what })), Math.max(0, milliseconds));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
