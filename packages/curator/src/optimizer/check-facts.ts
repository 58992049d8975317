import type { Fact, Provenance, Validity } from '@lethe/core';
import { InvalidParameter, Unsupported } from '@lethe/numerics';

const scopes: readonly Validity[] = ['every-record', 'population'];
/** Where the number of a plan may come from. */
const provenances: readonly Provenance[] = ['declared', 'from-domain', 'released'];
const listed = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' or ');

/**
 * Checks facts: each needs a known provenance that makes it public.
 *
 * @throws {InvalidParameter} naming the first fact that is malformed.
 * @throws {Unsupported} for facts computed from the records.
 */
export function assertPublicFacts(facts: Readonly<Record<string, Fact>>): void {
  if (typeof facts !== 'object' || facts === null)
    throw new InvalidParameter(
      `problem.facts is ${describe(facts)}; it must be a record of facts by name, {} for none`,
      {},
    );
  const computed: string[] = [];
  for (const name of Object.keys(facts)) {
    const fact: unknown = facts[name];
    if (typeof fact !== 'object' || fact === null) {
      throw new InvalidParameter(
        `the fact '${name}' is ${describe(fact)}; a fact is { value, scope, provenance }, for example ` +
          "{ value: 1, scope: 'population', provenance: 'declared' }. One that is not known is left out.",
        { fact: name },
      );
    }
    const { value, scope, provenance } = fact as Fact;
    if (typeof value !== 'number' || Number.isNaN(value))
      throw new InvalidParameter(
        `the fact '${name}' has the value ${describe(value)}; it must be a number. ` +
          'One that is not known is left out.',
        { fact: name },
      );
    assertEach(name, fact as Fact);
    if (!scopes.includes(scope))
      throw new InvalidParameter(
        `the fact '${name}' has the scope ${describe(scope)}; it must be ${listed(scopes)}: ` +
          'whether it holds for all possible records or only on average',
        { fact: name, allowed: scopes },
      );
    if (provenance === 'computed') computed.push(name);
    else if (!provenances.includes(provenance)) {
      throw new InvalidParameter(
        `the fact '${name}' has the provenance ${describe(provenance)}; it must be ` +
          `${listed(provenances)}. A plan is public: a number computed from the records has no place in ` +
          'it; declare a bound that holds without looking, or release the number through a curator.',
        { fact: name, allowed: provenances },
      );
    }
  }
  if (computed.length > 0) {
    const rest = computed.length > 3 ? ` and ${computed.length - 3} more` : '';
    throw new Unsupported(
      `a plan is public, and takes no fact that was computed from the records: ` +
        `${computed.slice(0, 3).join(', ')}${rest}. Declare bounds that hold without looking, or release ` +
        'the numbers through a curator, which charges for them.',
      { computed },
    );
  }
}

/** @throws {InvalidParameter} unless a list is of numbers, of which the value is the largest. */
function assertEach(name: string, { value, each }: Fact): void {
  if (each === undefined) return;
  const numbers: unknown = each;
  const isList = Array.isArray(numbers) && numbers.length > 0 && numbers.every((one) => one <= value);
  if (isList && numbers.includes(value)) return;
  throw new InvalidParameter(
    `the fact '${name}' has a list, each, that is not one of numbers with the largest ${value}; ` +
      'give one number for each coordinate, and the largest as value',
    { fact: name, value },
  );
}

const describe = (value: unknown): string => {
  if (typeof value === 'string') return `'${value}'`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};
