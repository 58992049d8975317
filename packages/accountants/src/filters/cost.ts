import { type CoreEvent, InvalidParameter, type PrivacyEvent } from '@lethe/core';
import { multiplyUp, sumUp } from '@lethe/numerics';
import type { Price } from './meter.js';
import { assertCount, type PriceList } from './pricing.js';

/** What `parseEvent` reads is not nested more deeply. */
const maximalDepth = 64;

/**
 * Prices a composition by its parts: sums over what came one after another, maxima over what ran on disjoint records, each
 * rounded up. Whatever else an event is, it is priced whole by `prices`, the second time by a look-up.
 *
 * Maxima are taken in each currency by itself. A record is in one part of a parallel event, so what happened to it costs
 * the sum along its own path, and a sum of maxima is no less.
 *
 * @throws {InvalidParameter} for what is no event. @throws {Unsupported} for a part that `prices` has no price of.
 */
export function costOf(event: PrivacyEvent, prices: PriceList): Price {
  // Of one call: parts are not frozen here, so the next call may see them changed.
  const seen = new Map<PrivacyEvent, Price>();
  const walk = (part: PrivacyEvent, depth: number): Price => {
    if (depth > maximalDepth) throw new InvalidParameter('event is nested too deeply; flatten it with counts', { depth });
    const core = part as CoreEvent | null | undefined;
    const nests = core?.kind === 'core/compose' || core?.kind === 'core/parallel';
    if (!nests || core.v !== 1 || !Array.isArray(core.parts)) return prices(part);
    const known = seen.get(part);
    if (known !== undefined) return known;
    const found = core.kind === 'core/parallel'
      ? together(core.parts.map((inner) => walk(inner, depth + 1)), largest)
      : together(core.parts.map(({ event: inner, count }) => times(walk(inner, depth + 1), count)), sumUp);
    seen.set(part, found);
    return found;
  };
  return walk(event, 0);
}

const largest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);

function times({ costs, failure }: Price, count: number): Price {
  assertCount(count);
  const one = (cost: number): number => (cost === 0 ? 0 : multiplyUp(cost, count));
  return count === 1 ? { costs, failure } : { costs: costs.map(one), failure: one(failure) };
}

/** Parts that cost nothing have no costs, so the widest list says how many currencies there are. */
function together(parts: readonly Price[], combine: (values: readonly number[]) => number): Price {
  const width = largest(parts.map(({ costs }) => costs.length));
  return {
    costs: Array.from({ length: width }, (_, i) => combine(parts.map(({ costs }) => costs[i] ?? 0))),
    failure: combine(parts.map(({ failure }) => failure)),
  };
}
