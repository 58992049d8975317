import {
  adjacencies,
  relativeTo,
  resolvePlugin,
  sensitivityUnder,
  unprotectedEvent,
  type Mechanism,
  type Norm,
  type PrivacyEvent,
  type Ref,
  type Resolved,
  type Sensitivity,
  type Target,
} from '@lethe/core';
import { largest, smallest } from '@lethe/core/internal';
import { IncompatiblePlugins, InvalidParameter, multiplyUp, ownCopy, Unsupported } from '@lethe/numerics';
import { costsNothing } from '../events/costs-nothing.js';
import type { PublicContext } from './context.js';
import { shareOf } from './noise-share.js';
import { publicGrid } from './public-grid.js';

/**
 * What a value reaches on so many records, when none moves it
 * by more than its sensitivity and none at all give zero.
 */
export const sizeOf = (sensitivity: Sensitivity, normaliser: number): number =>
  Math.max(
    ...Object.values(sensitivity as Readonly<Record<string, number | undefined>>).map((one) => one ?? 0),
  ) * normaliser;

/** What is to be noised, by public numbers. */
export interface NoisedValue {
  /** In which norm its sensitivity is. */
  readonly norm: Norm | 'any';
  /** How many entries it has. */
  readonly length: number;
  /** Whether all of them are whole. */
  readonly integers: boolean;
  /** What they reach on as many records as the normaliser says. */
  readonly size: number;
}

/** The noise of one release, worked out from public values. */
export interface PlannedNoise {
  readonly mechanism: Resolved<Mechanism> | null;
  readonly noiseMultiplier: number;
  /** Scale of the noise on the released value; 0 when unprotected. */
  readonly scale: number;
  /** What the noised value is rounded to; null for whole noise, which is exact, and for none. */
  readonly grid: number | null;
  readonly event: PrivacyEvent;
}

/** @throws {InvalidParameter} unless every sensitivity leaves room for sums and noise in doubles. */
export function assertComputable(sensitivity: Sensitivity): void {
  for (const value of Object.values(sensitivity)) {
    if (value !== undefined && !(typeof value === 'number' && value >= smallest && value <= largest)) {
      throw new InvalidParameter(
        `the sensitivity of the release is ${typeof value === 'number' ? value : `a ${typeof value}`}; it ` +
          `must be a number from ${smallest} to ${largest}. ` +
          'Change the bound on records, or the weights.',
        { sensitivity: value },
      );
    }
  }
}

/**
 * Turns target and sensitivity into scale and event: scale = multiplier × sensitivity, rounded up; the event
 * keeps the multiplier and exact ratios between adjacencies.
 *
 * @param shares - In how many shares the noise is drawn, each of its own scale. @defaultValue 1
 * @throws {InvalidParameter} for a multiplier that is not positive, or a scale too small or too large to
 * compute with, or too small for values of that size.
 * @throws {Unsupported} for a scale that the mechanism does not draw.
 */
export function planNoise(
  context: PublicContext,
  ref: Ref<'mechanism'>,
  target: Target,
  sensitivity: Sensitivity,
  value: NoisedValue,
  shares = 1,
): PlannedNoise {
  assertComputable(sensitivity);
  if ('unprotected' in target) {
    if (!context.allowUnprotected)
      throw new Unsupported(
        'this curator does not release without noise; build it with allowUnprotected for a baseline on ' +
          'data that need no protection',
        {},
      );
    return { mechanism: null, noiseMultiplier: 0, scale: 0, grid: null, event: unprotectedEvent };
  }
  const mechanism = resolvePlugin<Mechanism>(context.registry, ref);
  const { plugin, params } = mechanism;
  assertFits(plugin, value);
  const noiseMultiplier =
    'noiseMultiplier' in target ? target.noiseMultiplier : plugin.multiplierFor(params, target);
  if (!(noiseMultiplier > 0 && Number.isFinite(noiseMultiplier)))
    throw new InvalidParameter(`the noise multiplier is ${noiseMultiplier}; it must be positive and finite`, {
      noiseMultiplier,
    });
  const event = eventOf(context, mechanism, noiseMultiplier, relativeTo(sensitivity, context.adjacency));
  const scale = multiplyUp(noiseMultiplier, sensitivityUnder(sensitivity, context.adjacency, 'the release'));
  if (context.isEstimate === true) return { mechanism, noiseMultiplier, scale, grid: null, event };
  if (!(scale >= smallest && scale <= largest))
    throw new InvalidParameter(
      `the noise scale is ${scale}, from multiplier ${noiseMultiplier}; bound and multiplier must give a ` +
        `scale from ${smallest} to ${largest}`,
      { scale, noiseMultiplier },
    );
  plugin.assertScale?.(params, shareOf(scale, shares));
  const grid = plugin.numerics === 'exact' ? null : publicGrid(scale, value.size);
  return { mechanism, noiseMultiplier, scale, grid, event };
}

/**
 * Checks the event of a release that reads records and adds noise to them.
 *
 * @throws {IncompatiblePlugins} for what is no event, and one that costs nothing.
 */
function assertCost(event: unknown, what: string): asserts event is PrivacyEvent {
  const isEvent =
    typeof event === 'object' && event !== null && 'kind' in event && typeof event.kind === 'string';
  if (isEvent && !costsNothing(event as PrivacyEvent)) return;
  throw new IncompatiblePlugins(
    `the event of ${what} is ${isEvent ? 'that of a release that costs nothing' : String(event)}; a ` +
      'release ' +
      'reads records, so that its event is that of its noise, or more. Correct its event function.',
    { what },
  );
}

/**
 * The event of a plugin as it is charged from now on: a copy, which the plugin cannot change after the check.
 *
 * @throws as {@link assertCost}.
 */
export function ownCost(event: unknown, what: string): PrivacyEvent {
  const own: unknown = typeof event === 'object' ? ownCopy(event) : event;
  assertCost(own, what);
  return own;
}

/** @throws {IncompatiblePlugins} when the mechanism's guarantee does not cover such a value. */
function assertFits({ name, norm, numerics, scalar }: Mechanism, value: NoisedValue): void {
  if (value.norm !== 'any' && norm !== value.norm) {
    throw new IncompatiblePlugins(
      `mechanism '${name}' needs a sensitivity in ${norm}, the value is bounded in ${value.norm}; ` +
        'use a mechanism or a bound in the same norm',
      { mechanism: name, needs: norm, has: value.norm },
    );
  }
  if (scalar === true && value.length !== 1) {
    throw new IncompatiblePlugins(
      `mechanism '${name}' is private on single numbers, ` +
        `the value has ${value.length} entries; use one for vectors`,
      { mechanism: name, length: value.length },
    );
  }
  if (numerics === 'exact' && !value.integers) {
    throw new IncompatiblePlugins(
      `mechanism '${name}' adds whole noise to whole numbers, and this value is real; ` +
        "release it through a mean that rounds records to a grid, such as 'lattice-mean'",
      { mechanism: name },
    );
  }
}

interface LastEvent {
  readonly mechanism: Resolved<Mechanism>;
  readonly noiseMultiplier: number;
  readonly relative: Sensitivity;
  readonly event: PrivacyEvent;
}
const lastEvents = new WeakMap<PublicContext, LastEvent>();

/**
 * The same object for equal releases in a row, so that the ledger need not compare their texts. `mechanism`
 * is one object for equal references of the curator's own.
 */
function eventOf(
  context: PublicContext,
  mechanism: Resolved<Mechanism>,
  noiseMultiplier: number,
  relative: Sensitivity,
): PrivacyEvent {
  const last = lastEvents.get(context);
  const isSame =
    last?.mechanism === mechanism &&
    last.noiseMultiplier === noiseMultiplier &&
    adjacencies.every((a) => last.relative[a] === relative[a]);
  if (isSame) return last.event;
  const event = ownCost(
    mechanism.plugin.event(mechanism.params, noiseMultiplier, relative),
    `mechanism '${mechanism.plugin.name}'`,
  );
  lastEvents.set(context, { mechanism, noiseMultiplier, relative, event });
  return event;
}
