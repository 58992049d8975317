import {
  addDown,
  addUp,
  divideUp,
  expDown,
  expm1Down,
  log1pUp,
  multiplyDown,
  subtractDown,
} from '@lethe/numerics';
import {
  adjacencySchema,
  assertOptions,
  defineAccountant,
  InvalidParameter,
  normalEvent,
  parseEvent,
  parseOrThrow,
  type AccountingContext,
  type Interval,
  type PrivacyEvent,
} from '@lethe/core';
import { assumptionsOf, createResolver, withoutFailures } from '@lethe/accountants';
import * as z from 'zod';

/**
 * Adds up the ε of pure differential privacy; ways to fail are added to δ. Say here which curve yours answers
 * with, and why it bounds the cost from above.
 */
export const templateAccountant = defineAccountant({
  name: 'template-accountant',
  summary: 'Adds up the ε of pure differential privacy.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'truth', statement: 'no neighbours tell more than the upper end, in either direction' },
    { property: 'count', statement: 'a list of equal events costs what the event with a count costs' },
    { property: 'regrouping', statement: 'order, brackets and free parts do not change a cost' },
    { property: 'conversion', statement: 'ε(δ) and δ(ε) are one curve: that of binary randomised response' },
  ],
  wants: ['pure'],
  epsilon(event, query) {
    assertOptions(query, 'template-accountant.epsilon');
    const { delta, ...context } = query;
    requireWithin('delta', delta, 1);
    const { pure, failing, assumptions } = study(event, context);
    const spare = subtractDown(delta, failing);
    const bound = () => {
      if (delta === 1) return 0;
      return spare < 0 ? Infinity : epsilonAt(pure, spare);
    };
    return interval(bound(), assumptions);
  },
  delta(event, query) {
    assertOptions(query, 'template-accountant.delta');
    const { epsilon, ...context } = query;
    requireWithin('epsilon', epsilon, Infinity);
    const { pure, failing, assumptions } = study(event, context);
    return interval(Math.min(1, addUp(deltaAt(pure, epsilon), failing)), assumptions);
  },
});

function study(
  input: PrivacyEvent,
  { adjacency: given, kinds }: AccountingContext,
): { readonly pure: number; readonly failing: number; readonly assumptions: readonly string[] } {
  const adjacency = parseOrThrow(adjacencySchema, given, 'adjacency');
  const event = parseEvent(input, kinds);
  const { event: sound, delta: failing } = withoutFailures(event, adjacency);
  return {
    pure: createResolver(kinds)(normalEvent(sound), 'pure', adjacency),
    failing,
    assumptions: assumptionsOf(event, kinds),
  };
}

/** Least ε, rounded up, at which every release of this pure ε is (ε, δ)-private. */
function epsilonAt(pure: number, delta: number): number {
  const lost = multiplyDown(delta, addDown(1, expDown(-pure)));
  return lost >= 1 ? 0 : Math.min(pure, Math.max(0, addUp(pure, log1pUp(-lost))));
}

/** Least δ, rounded up, at which every release of this pure ε is (ε, δ)-private. */
function deltaAt(pure: number, epsilon: number): number {
  return epsilon >= pure
    ? 0
    : Math.min(1, divideUp(-expm1Down(subtractDown(epsilon, pure)), addDown(1, expDown(-pure))));
}

const interval = (upper: number, assumptions: readonly string[]): Interval => ({
  lower: 0,
  upper,
  certificate: 'certified',
  method: 'template-accountant',
  assumptions,
});

function requireWithin(name: string, value: number, most: number): void {
  if (typeof value === 'number' && value >= 0 && value <= most) return;
  throw new InvalidParameter(`${name} is ${String(value)}; it must be a number from 0 to ${most}`, {
    [name]: value,
  });
}
