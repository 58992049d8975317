/** Answers that are kept by one accountant. */
const most = 512;
/** Longer names of events are not kept. */
export const longestName = 4096;

/**
 * A function that keeps its last results by name, as plans, reports and filters ask the same of one event
 * again and again. Under the empty name nothing is kept.
 */
export function remembering<T>(): (name: string, compute: () => T) => T {
  const answers = new Map<string, T>();
  return (name, compute) => {
    if (name === '') return compute();
    const known = answers.get(name);
    if (known !== undefined) return known;
    const found = compute();
    for (const oldest of answers.keys()) {
      if (answers.size < most) break;
      answers.delete(oldest);
    }
    answers.set(name, found);
    return found;
  };
}
