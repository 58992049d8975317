import {
  type Accountant,
  type AccountingContext,
  type Adjacency,
  assertOptions,
  defineAccountant,
  type DominatingPair,
  type Interval,
  InvalidParameter,
  parseOrThrow,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { addUp, type Bounds, multiplyUp } from '@lethe/numerics';
import * as z from 'zod';
import { interval, requireWithin, soundness } from '../accountant/certify.js';
import { consistent } from '../accountant/consistent.js';
import { boundsOfPairs } from './bounds-of-pairs.js';
import { intersection } from './intersection.js';
import { type Asked, decidingShare } from './asked.js';
import { remembering } from '../accountant/remembered.js';
import { characterised, nameOf, understand } from '../accountant/understand.js';
import { createResolver } from '../events/resolve.js';
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
    ...answersFrom(study, width),
  });
}

/**
 * ε and δ of one direction of add-remove alone, from the same pairs as {@link pld}: `remove`, when the first
 * data set has the record and the second has not; `add`, the other way round. The larger of both is the cost;
 * one alone protects from nothing that the other tells, so that it is no accountant, and no certificate.
 *
 * @throws {InvalidParameter} for another direction, or a width that is not positive and finite.
 */
export function oneDirection(
  direction: 'add' | 'remove',
  options: PrivacyLossOptions = {},
): Pick<Accountant, 'epsilon' | 'delta'> {
  const { width } = parseOrThrow(optionsSchema, options, 'oneDirection');
  parseOrThrow(z.enum(['add', 'remove']), direction, 'oneDirection');
  return answersFrom((event, context) => {
    const { name, pairs, assumptions, adjacency } = study(event, context);
    if (adjacency !== 'add-remove')
      throw new Unsupported(
        `${adjacency} has no directions; ask for one under add-remove, or for the cost of both`,
        { adjacency, direction },
      );
    return {
      name: name && `${direction} ${name}`,
      adjacency,
      assumptions,
      pairs: () => pairs().filter((pair) => pair.direction === direction || pair.direction === 'symmetric'),
    };
  }, width);
}

/** Answers about the pairs that `studied` finds. */
function answersFrom(
  studied: (event: PrivacyEvent, context: AccountingContext) => Studied,
  width: number | undefined,
): Pick<Accountant, 'epsilon' | 'delta'> {
  return {
    epsilon(event, query) {
      assertOptions(query, 'pld.epsilon');
      const { delta, ...context } = query;
      requireWithin('delta', delta, 1);
      const { name, pairs, assumptions } = studied(event, context);
      if (delta === 1) return nothing(pairs, assumptions);
      const wanted = asked(width, context);
      const near = expected(context);
      const found = remembered(name && `ε ${delta} ${wanted.width} ${wanted.enough} ${near} ${name}`, () =>
        delta === 0 ? withoutDelta(pairs(), wanted) : atDelta(pairs(), { delta, near }, wanted),
      );
      return interval({ ...found, exact: found.lower === found.upper, method }, assumptions, 0);
    },
    delta(event, query) {
      assertOptions(query, 'pld.delta');
      const { epsilon, ...context } = query;
      requireWithin('epsilon', epsilon, Infinity);
      const { name, pairs, assumptions } = studied(event, context);
      if (epsilon === Infinity) return nothing(pairs, assumptions);
      const wanted = asked(width, context);
      const found = remembered(name && `δ ${epsilon} ${wanted.width} ${wanted.enough} ${name}`, () =>
        boundsOfPairs(pairs(), { epsilon }, wanted),
      );
      return interval({ ...found, exact: found.lower === found.upper, method }, assumptions, 0);
    },
  };
}

/** An answer that is 0 for every event with pairs. */
function nothing(pairs: () => unknown, assumptions: readonly string[]): Interval {
  pairs();
  return interval({ lower: 0, upper: 0, exact: true, method }, assumptions, 0);
}

/** The accountant with the default width. */
export const pld: Accountant = privacyLossDistribution();

/** The requested width: by the accountant's option, and by the width that the context says is enough. */
function asked(width: number | undefined, { width: enough }: AccountingContext): Asked {
  if (enough !== undefined && !(enough > 0 && enough < Infinity))
    throw new InvalidParameter(`width is ${enough}; it must be positive and finite`, { width: enough });
  return { width, enough };
}

/** Where ε is expected, by the context. */
function expected({ near }: AccountingContext): number | undefined {
  if (near !== undefined && !(near > 0 && near < Infinity))
    throw new InvalidParameter(`near is ${near}; it must be positive and finite`, { near });
  return near;
}

/**
 * ε at δ in (0, 1). What is composed at `near` answers a question that allows a width. Of other questions it
 * narrows an answer that leaves open whether ε is above `near`.
 */
function atDelta(
  pairs: readonly DominatingPair[],
  { delta, near }: { readonly delta: number; readonly near: number | undefined },
  wanted: Asked,
): Bounds {
  if (near === undefined || wanted.enough !== undefined) return boundsOfPairs(pairs, { delta, near }, wanted);
  const found = boundsOfPairs(pairs, { delta }, wanted);
  return found.lower <= near && near < found.upper
    ? intersection(found, boundsOfPairs(pairs, { delta, near }, { ...wanted, enough: decidingShare * near }))
    : found;
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
  if (upper === 0 && pairs.every(({ witness }) => witness === undefined)) return { lower: 0, upper };
  // If the upper bound is infinite, little time is spent on the lower one.
  const { lower } = boundsOfPairs(
    pairs,
    { delta: 1e-300 },
    upper === Infinity ? { ...wanted, width: Math.max(wanted.width ?? 0, 0.05) } : wanted,
  );
  return consistent({ lower, upper }, 'epsilon', {
    lower: 'what some neighbours come to',
    upper: 'the largest loss of the dominating pair of their event',
  });
}

const remembered = remembering<Bounds>();

/** The pairs of the event that was asked about last: it is often asked for several ε, or for ε and δ. */
let last:
  | {
      readonly name: string;
      readonly pairs: readonly DominatingPair[];
      readonly signal: AccountingContext['signal'];
      /** The pairs with checks of the signal. */
      readonly checked: readonly DominatingPair[];
    }
  | undefined;

interface Studied {
  /** By {@link nameOf}. */
  readonly name: string;
  readonly adjacency: Adjacency;
  readonly pairs: () => readonly DominatingPair[];
  readonly assumptions: readonly string[];
}

function study(input: PrivacyEvent, context: AccountingContext): Studied {
  const { event, adjacency, resolve, assumptions } = understand(input, context);
  const { kinds = [], signal } = context;
  signal?.throwIfAborted();
  const name = nameOf(event, context);
  return {
    name,
    adjacency,
    assumptions,
    pairs() {
      const known = name !== '' && last?.name === name ? last : undefined;
      if (known !== undefined && known.signal === signal) return known.checked;
      const found =
        known?.pairs ?? characterised(event, 'pair', { adjacency, kinds }, createResolver, resolve);
      const checked = signal === undefined ? found : watched(found, 'pair', signal);
      last = name === '' ? undefined : { name, pairs: found, signal, checked };
      return checked;
    },
  };
}
