import {
  type Accountant,
  type AccountingContext,
  assertOptions,
  defineAccountant,
  type FilterMaker,
  normalEvent,
  type PrivacyEvent,
  type Source,
} from '@lethe/core';
import {
  addUp,
  type Bounds,
  divideDown,
  divideUp,
  multiplyDown,
  multiplyUp,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import { approximateParts, resolveEvent } from '../events/index.js';
import * as z from 'zod';
import { interval, requireWithin, soundness } from '../accountant/certify.js';
import { orExplain, understand } from '../accountant/understand.js';
import { type Totals, totalsOf } from './totals.js';

/** Bounds of δ(ε) and ε(δ) of a product of randomised responses. */
export interface ResponseCurve {
  delta(epsilon: number): Bounds;
  epsilon(delta: number): Bounds;
  readonly method: string;
}

interface Definition {
  readonly name: string;
  readonly summary: string;
  readonly source: Source;
  /** The filter of its limits. */
  readonly filter?: FilterMaker;
  /** Probability that at least one release fails. */
  readonly failing: (totals: Totals) => Bounds;
  readonly curve: (totals: Totals) => ResponseCurve;
}

/**
 * An accountant that uses the (ε, δ) of each release in a composition, not only their sums. Each release
 * fails with probability δ and is randomised response otherwise.
 * @see Kairouz, Oh, Viswanath 2015: this is the worst composition of (ε, δ)-private releases.
 */
export function accountantOfParts({ name, summary, source, filter, failing, curve }: Definition): Accountant {
  return defineAccountant({
    name,
    summary,
    source,
    claims: soundness,
    params: z.strictObject({}),
    wants: ['approximate'],
    ...(filter === undefined ? {} : { filter }),
    epsilon(event, query) {
      assertOptions(query, `${name}.epsilon`);
      const { delta, ...context } = query;
      requireWithin('delta', delta, 1);
      const { totals, assumptions } = study(event, context);
      const fails = failing(totals);
      if (delta === 1) return interval({ lower: 0, upper: 0, exact: true, method: name }, assumptions, 0);
      if (totals.sum.upper === Infinity || delta < fails.upper)
        return interval(
          {
            lower: 0,
            upper: Infinity,
            exact: false,
            method: `${name}: the event may fail with probability ${fails.upper}`,
          },
          assumptions,
          0,
        );
      const { epsilon, method } = curve(totals);
      const upper = epsilon(divideDown(subtractDown(delta, fails.upper), subtractUp(1, fails.upper))).upper;
      const lower = totals.attained
        ? epsilon(Math.min(1, divideUp(subtractUp(delta, fails.lower), subtractDown(1, fails.lower)))).lower
        : 0;
      return interval(
        { lower: Math.min(lower, upper), upper, exact: totals.attained, method },
        assumptions,
        0,
      );
    },
    delta(event, query) {
      assertOptions(query, `${name}.delta`);
      const { epsilon, ...context } = query;
      requireWithin('epsilon', epsilon, Infinity);
      const { totals, assumptions } = study(event, context);
      const fails = failing(totals);
      if (epsilon < Infinity && totals.sum.upper === Infinity)
        return interval(
          { lower: totals.attained ? Math.min(1, fails.lower) : 0, upper: 1, exact: false, method: name },
          assumptions,
          0,
        );
      const { delta, method } = curve(totals);
      const excess = epsilon === Infinity ? { lower: 0, upper: 0 } : delta(epsilon);
      const upper = Math.min(1, addUp(fails.upper, multiplyUp(subtractUp(1, fails.upper), excess.upper)));
      const lower = totals.attained
        ? fails.lower + multiplyDown(subtractDown(1, fails.lower), excess.lower)
        : 0;
      return interval(
        {
          lower: Math.min(upper, Math.max(0, lower * (1 - 2 ** -52))),
          upper,
          exact: totals.attained,
          method,
        },
        assumptions,
        0,
      );
    },
  });
}

function study(
  input: PrivacyEvent,
  context: AccountingContext,
): { readonly totals: Totals; readonly assumptions: readonly string[] } {
  const { event, adjacency, resolve, assumptions } = understand(input, context);
  const explain = (): never => {
    resolveEvent(event, 'approximate', { ...context, adjacency });
    throw new Error('an event with (ε, δ) has parts with (ε, δ)');
  };
  return {
    totals: totalsOf(orExplain(() => approximateParts(normalEvent(event), adjacency, resolve), explain)),
    assumptions,
  };
}
