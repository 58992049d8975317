import { MissingFact, type Fact } from '@lethe/core';
import { nearestName } from '@lethe/numerics';

type Facts = Readonly<Record<string, Fact>>;

/** A declared fact may be anything that is public; no plan that is made of this one is used. */
const standIn: Fact = { value: 1, scope: 'every-record', provenance: 'declared' };
/** Facts that are named at most. */
const most = 12;

/**
 * An error that names every fact that a plan lacks, where planning failed at the first of them: planning is
 * tried again with stand-ins for those named so far, until it ends in anything else. Any other error stays as
 * it is.
 *
 * @param known - The facts of the problem.
 * @param retry - Plans with more facts; changes nothing, and calibrates nothing.
 */
export function allMissing(first: unknown, known: Facts, retry: (more: Facts) => void): unknown {
  if (!(first instanceof MissingFact)) return first;
  const found: MissingFact[] = [];
  const more: Record<string, Fact> = {};
  for (let error: unknown = first; error instanceof MissingFact && found.length < most;) {
    const wanted = error.need === 'all' ? error.missing : error.missing.slice(0, 1);
    if (wanted.every((name) => Object.hasOwn(more, name))) break;
    found.push(error);
    for (const name of wanted) more[name] = standIn;
    error = failureOf(() => retry(more));
  }
  const names = found.flatMap(({ missing }) => missing);
  const messages = [...misspelt(known, names), ...found.map(({ message }) => message)];
  const [name, ...others] = new Set(names);
  return messages.length === 1 ? first : new MissingFact(messages.join('; also, '), [name, ...others], 'all');
}

function failureOf(attempt: () => void): unknown {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Declared facts whose names are nearly those of missing ones. */
const misspelt = (known: Facts, missing: readonly string[]): readonly string[] =>
  Object.entries(known)
    .filter(([name, { provenance }]) => provenance === 'declared' && !name.includes('.'))
    .flatMap(([name]) => {
      const meant = missing.includes(name) ? undefined : nearestName(name, missing);
      return meant === undefined ? [] : [`nothing reads a fact '${name}'; is '${meant}' meant?`];
    });
