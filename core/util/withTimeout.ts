/** Waits for a promise until a timeout, which does not stop the work. @throws an Error `what` ({@link isLate}) */
export function withTimeout<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(what), { isLate: true })), Math.max(0, milliseconds));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export function isLate(error: unknown): boolean {
  return error instanceof Error && "isLate" in error;
}
