import { MissingFact, type Fact } from '@lethe/core';
import { misspelt } from './watched-facts.js';

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
    const { missing, need } = error;
    const wanted = missing.slice(0, need === 'all' ? most : 1);
    if (wanted.every((name) => Object.hasOwn(more, name))) break;
    found.push(error);
    for (const name of wanted) more[name] = standIn;
    try {
      retry(more);
      break;
    } catch (next) {
      error = next;
    }
  }
  const [name, ...others] = new Set(found.flatMap(({ missing }) => missing));
  const messages = [
    ...misspelt(known, [name, ...others]).map(
      ([fact, meant]) => `nothing reads a fact '${fact}'; is '${meant}' meant?`,
    ),
    ...found.map(({ message }) => message),
  ];
  return messages.length === 1 ? first : new MissingFact(messages.join('; also, '), [name, ...others], 'all');
}
