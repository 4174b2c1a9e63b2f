/** Waits until all have ended, also after one failed, so that nothing runs on. @throws the first failure */
export function allEnded<T extends readonly unknown[] | []>(promises: T) {
  // Of several failures the first in time is the cause.
  return Promise.all(promises).finally(() => Promise.allSettled(promises));
}
