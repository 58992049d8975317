import {
  type Accountant,
  type AccountingContext,
  type Adjacency,
  assertOptions,
  canonicalJson,
  defineAccountant,
  type DominatingPair,
  type EventKind,
  InvalidParameter,
  parseOrThrow,
  type PrivacyEvent,
} from '@lethe/core';
import { addUp, defined, multiplyUp } from '@lethe/numerics';
import { z } from 'zod';
import { interval, requireWithin, soundness } from '../accountant/certify.js';
import { boundsOfPairs } from './bounds-of-pairs.js';
import type { Asked } from './asked.js';
import { characterised, understand } from '../accountant/understand.js';
import { watched } from '../accountant/watched.js';

/** Options of the privacy-loss-distribution accountant. */
export interface PrivacyLossOptions {
  /**
   * The target width of the interval for ε, where ε is between about 1 and 20; it is smaller below and larger
   * above. For δ(ε), the width of the corresponding interval for ε. It is a target, not a guarantee.
   * @defaultValue 1e-4 for up to four different releases, growing with their number up to 6e-4; 5e-4 for
   * atoms next to a density, as with Laplace noise
   */
  readonly width?: number;
}

const method = 'privacy loss distribution';
const optionsSchema = z.strictObject({ width: z.number().positive().optional() });

/**
 * An accountant that composes privacy-loss distributions on a grid. Its bounds from both sides include the
 * errors of the transform and of rounding.
 *
 * @throws {InvalidParameter} unless the width is positive and finite.
 */
export function privacyLossDistribution(options: PrivacyLossOptions = {}): Accountant {
  const { width } = parseOrThrow(optionsSchema, options, 'privacyLossDistribution');
  if (width === Infinity)
    throw new InvalidParameter('width is Infinity; it must be positive and finite', { width });
  return defineAccountant({
    name: 'pld',
    summary:
      'Composes privacy-loss distributions on an adaptive grid, tilted towards the answer; ' +
      'certified lower and upper bounds.',
    source: { id: 'doroshenko-ghazi-kamath-kumar-manurangsi-2022', item: 'Theorem 4.3' },
    claims: soundness,
    params: optionsSchema,
    wants: ['pair'],
    epsilon(event, query) {
      assertOptions(query, 'pld.epsilon');
      const { delta, ...context } = query;
      requireWithin('delta', delta, 1);
      const { pairs, assumptions } = study(event, context);
      if (delta === 1) return interval({ lower: 0, upper: 0, exact: true, method }, assumptions, 0);
      const found =
        delta === 0
          ? withoutDelta(pairs, asked(width, context))
          : boundsOfPairs(pairs, { delta }, asked(width, context));
      return interval({ ...found, exact: found.lower === found.upper, method }, assumptions, 0);
    },
    delta(event, query) {
      assertOptions(query, 'pld.delta');
      const { epsilon, ...context } = query;
      requireWithin('epsilon', epsilon, Infinity);
      const { pairs, assumptions } = study(event, context);
      if (epsilon === Infinity) return interval({ lower: 0, upper: 0, exact: true, method }, assumptions, 0);
      const found = boundsOfPairs(pairs, { epsilon }, asked(width, context));
      return interval({ ...found, exact: found.lower === found.upper, method }, assumptions, 0);
    },
  });
}

/** The accountant with the default width. */
export const pld: Accountant = privacyLossDistribution();

/** The requested width: by the accountant's option, and by the width that the context says is enough. */
function asked(width: number | undefined, { width: enough }: AccountingContext): Asked {
  if (enough !== undefined && !(enough > 0 && enough < Infinity))
    throw new InvalidParameter(`width is ${enough}; it must be positive and finite`, { width: enough });
  return { width, enough };
}

/** ε at δ = 0: the largest loss, if none is infinite. A lower bound for some δ is also one for δ = 0. */
function withoutDelta(
  pairs: readonly DominatingPair[],
  wanted: Asked,
): { readonly lower: number; readonly upper: number } {
  let upper = 0;
  for (const { factors } of pairs) {
    let most = 0;
    for (const { distribution, count } of factors) {
      if (count > 0)
        most =
          distribution.infinite > 0
            ? Infinity
            : addUp(most, multiplyUp(count, Math.max(0, distribution.support.most)));
    }
    upper = Math.max(upper, most);
  }
  if (upper === 0) return { lower: 0, upper };
  // If the upper bound is infinite, little time is spent on the lower one.
  const { lower } = boundsOfPairs(
    pairs,
    { delta: 1e-300 },
    upper === Infinity ? { ...wanted, width: Math.max(wanted.width ?? 0, 0.05) } : wanted,
  );
  return { lower: Math.min(lower, upper), upper };
}

/** The pairs of the event that was asked about last: it is often asked for several ε, or for ε and δ. */
let last:
  | {
      readonly text: string;
      readonly adjacency: Adjacency;
      readonly kinds: readonly EventKind[];
      readonly pairs: readonly DominatingPair[];
    }
  | undefined;

function study(
  input: PrivacyEvent,
  context: AccountingContext,
): { readonly pairs: readonly DominatingPair[]; readonly assumptions: readonly string[] } {
  const { event, adjacency, resolve, assumptions } = understand(input, context);
  const { kinds = [], signal } = context;
  signal?.throwIfAborted();
  const text = canonicalJson(event);
  const isLast =
    last?.text === text &&
    last.adjacency === adjacency &&
    last.kinds.length === kinds.length &&
    last.kinds.every((kind, i) => kind === kinds[i]);
  const pairs = isLast
    ? defined(last).pairs
    : characterised(event, 'pair', adjacency, kinds.length === 0 ? {} : { kinds }, resolve);
  last = { text, adjacency, kinds: [...kinds], pairs };
  return { pairs: signal === undefined ? pairs : watched(pairs, 'pair', signal), assumptions };
}
