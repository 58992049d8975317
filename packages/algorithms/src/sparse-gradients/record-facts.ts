import { MissingFact, type Problem } from '@lethe/core';

/**
 * The value of a fact that holds for every record.
 *
 * @throws {Unsupported} when it is not declared, or holds for the population only.
 */
export function factOfEveryRecord({ facts }: Problem, name: string): number {
  const fact = facts[name];
  if (fact?.scope === 'every-record') return fact.value;
  throw new MissingFact(
    `the problem declares no fact '${name}' that holds for every ` +
      `record${fact === undefined ? '' : ': the one there is holds for the population only'}; declare the ` +
      'record domain it follows from',
    [name],
  );
}

/** `s`: entries of a gradient that may differ from zero; the dimension where no fact says less. */
export function sparsityOf(problem: Problem): number {
  const fact = problem.facts['sparsity'];
  const most = fact?.scope === 'every-record' ? fact.value : Infinity;
  return Math.min(most, problem.dimension);
}
