import { type CoreEvent, InvalidParameter, type PrivacyEvent } from '@lethe/core';
import { multiplyUp, sumUp } from '@lethe/numerics';
import type { Price } from './meter.js';
import { assertCount, type PriceList } from './pricing.js';

/** Maximum nesting depth, as in `parseEvent`. */
const maximalDepth = 64;

/**
 * Prices a composition by its parts: sums over sequential parts and maxima over parallel parts, rounded up.
 * `prices` prices all other events and caches them.
 *
 * Maxima are taken separately in each currency. A record is in one part of a parallel event, so its cost is
 * the sum along its own path, which a sum of maxima bounds.
 *
 * @throws {InvalidParameter} for an invalid event. @throws {Unsupported} for a part that `prices` does not
 * support.
 */
export function costOf(event: PrivacyEvent, prices: PriceList): Price {
  // Cache for one call only: parts are not frozen here and may change before the next call.
  const priced = new Map<PrivacyEvent, Price>();
  const walk = (part: PrivacyEvent, depth: number): Price => {
    if (depth > maximalDepth)
      throw new InvalidParameter('event is nested too deeply; flatten it with counts', { depth });
    const core = part as CoreEvent | null | undefined;
    const nests = core?.kind === 'core/compose' || core?.kind === 'core/parallel';
    if (!nests || core.v !== 1 || !Array.isArray(core.parts)) return prices(part);
    const known = priced.get(part);
    if (known !== undefined) return known;
    const found =
      core.kind === 'core/parallel'
        ? combined(
            core.parts.map((inner) => walk(inner, depth + 1)),
            largest,
          )
        : combined(
            core.parts.map(({ event: inner, count }) => times(walk(inner, depth + 1), count)),
            sumUp,
          );
    priced.set(part, found);
    return found;
  };
  return walk(event, 0);
}

const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

function times({ costs, failure }: Price, count: number): Price {
  assertCount(count);
  const one = (cost: number): number => (cost === 0 ? 0 : multiplyUp(cost, count));
  return count === 1 ? { costs, failure } : { costs: costs.map(one), failure: one(failure) };
}

/**
 * Combines prices. A free part may have an empty list, so the longest list gives the number of currencies.
 */
function combined(parts: readonly Price[], combine: (values: readonly number[]) => number): Price {
  const width = largest(parts.map(({ costs }) => costs.length));
  return {
    costs: Array.from({ length: width }, (_, i) => combine(parts.map(({ costs }) => costs[i] ?? 0))),
    failure: combine(parts.map(({ failure }) => failure)),
  };
}
