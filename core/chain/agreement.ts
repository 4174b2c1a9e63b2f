/** The nodes that gave the majority's answer, and the others. `split` if no answer came from more than half of the nodes. */
type Agreement<R, W> =
  | { readonly kind: "agreed"; readonly word: W; readonly by: readonly R[]; readonly others: readonly R[] }
  | { readonly kind: "split" };

/** Decides which answer more than half of the nodes agree with. `common` picks the answer to test, or undefined. */
export function agreeOn<R, W>(
  readings: readonly R[],
  wordOf: (reading: R) => W,
  common: (words: readonly W[]) => W | undefined = commonest,
  isWith: (word: W, common: W) => boolean = (word, other) => word === other,
): Agreement<R, W> {
  const word = common(readings.map(wordOf));
  if (word === undefined) return { kind: "split" };
  const by = readings.filter((reading) => isWith(wordOf(reading), word));
  if (by.length * 2 <= readings.length) return { kind: "split" };
  return { kind: "agreed", word, by, others: readings.filter((reading) => !by.includes(reading)) };
}

function commonest<W>(words: readonly W[]): W | undefined {
  const same = Map.groupBy(words, (word) => word);
  return [...same].sort(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

export function findMedian(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[middle - 1];
  return sorted.length % 2 === 1 || upper === undefined || lower === undefined ? upper : (lower + upper) / 2;
}
