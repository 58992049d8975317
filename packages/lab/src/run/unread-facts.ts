/** Declared facts of a problem, and those that were read. */
export interface FactsOfProblem {
  /** Name of the problem, if it has one. */
  readonly problem?: string;
  /** Names as they stand in the experiment. */
  readonly declared: readonly string[];
  /** Names that plans, steps, rates and lower bounds read; of a list, one name for each coordinate. */
  readonly read: readonly string[];
}

/** One sentence that lists declared facts which nothing read; `null` if all were read. */
export function unreadFacts(problems: readonly FactsOfProblem[]): string | null {
  const unread = problems.flatMap(({ problem, declared, read }) => {
    const known = new Set(read);
    const wasRead = (name: string): boolean =>
      known.has(name) || read.some((one) => one.startsWith(`${name}.`));
    const names = declared.filter((name) => !wasRead(name));
    return names.length === 0
      ? []
      : [
          names.map((name) => `'${name}'`).join(', ') +
            (problem === undefined ? '' : ` of problem '${problem}'`),
        ];
  });
  return unread.length === 0
    ? null
    : `declared, and read by nothing: ${unread.join('; ')}. Facts that nothing reads change no plan; ` +
        'check their names, or leave them out';
}
