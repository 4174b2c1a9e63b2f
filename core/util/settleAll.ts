/** Waits until all promises have settled, so that no work continues unnoticed. @throws the first failure */
export function settleAll<T extends readonly unknown[] | []>(promises: T) {
  // Promise.all rejects with the earliest failure, which is usually the cause of the others.
  return Promise.all(promises).finally(() => Promise.allSettled(promises));
}
