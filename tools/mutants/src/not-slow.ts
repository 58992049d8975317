/** Seconds that slow mutants or subjects take, by id; the others are not listed. */
export type SlowSeconds = Readonly<Record<string, number>>;

/** All that are not slow, and of those with one key the quickest. */
export function notSlow<T extends { readonly id: string }>(
  all: readonly T[],
  seconds: SlowSeconds,
  keyOf: (one: T) => string,
): readonly T[] {
  const secondsOf = ({ id }: T): number => seconds[id] ?? 0;
  const quickest = new Map<string, T>();
  for (const one of all) {
    const known = quickest.get(keyOf(one));
    if (known === undefined || secondsOf(one) < secondsOf(known)) quickest.set(keyOf(one), one);
  }
  return all.filter((one) => secondsOf(one) === 0 || quickest.get(keyOf(one)) === one);
}
