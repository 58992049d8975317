import { adjacencies } from '@lethe/core';
import { logThreshold, noteTest } from '../../evidence/index.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from './declined.js';
import { drawn, participationOf } from './draws.js';

/** Around a power of two and a round number, beyond blocks and bytes. */
const slotCounts = [1003, 4099] as const;
/** Positions that a setting may draw. */
const mostPositions = 400_000;

/** The probability with which a slot is left out of a draw, if the declared sampler says it. */
function leftOut({ plugin, params }: Subject<'sampler'>, slots: number): number | undefined {
  const declared = attempt(() => plugin.amplification(params, slots));
  if (declared.declined !== undefined) return undefined;
  const specs = adjacencies.flatMap((adjacency) => declared.value[adjacency]?.sampler ?? []);
  const spec = specs.find(({ kind }) => kind === 'core/poisson' || kind === 'core/fixed-size');
  return spec && 1 - participationOf(spec, slots).pattern(1, 1);
}

/** No slot is left out for ever. */
export const everySlot = defineLaw<'sampler'>({
  id: 'sampler/every-slot',
  kind: 'sampler',
  property: 'marginals',
  tier: 'statistical',
  invariant: 'I-6',
  statement: 'of 1003 and of 4099 slots each is drawn, in as many draws as make that nearly certain',
  power: 'one slot, wherever it is, that is never drawn; for rates and shares of 1 % or more',
  check(subject, env) {
    let samples = 0;
    for (const slots of slotCounts) {
      const absent = leftOut(subject, slots);
      if (absent === undefined || !(absent < 1)) continue;
      // Each of the slots is left out of all draws with this probability.
      const needed = Math.ceil((logThreshold(env.alpha / 2) + Math.log(slots)) / -Math.log(absent));
      if (!(needed * slots * (1 - absent) <= mostPositions)) continue;
      noteTest(env.alpha, Infinity);
      const random = env.random(slots);
      const left = new Set(Array.from({ length: slots }, (_, slot) => slot));
      for (let i = 0; i < Math.max(1, needed) && left.size > 0; i++) {
        samples++;
        for (const slot of drawn(subject, slots, random.fork(i)) ?? []) left.delete(slot);
      }
      if (left.size > 0)
        return fails(samples, {
          what: `of ${slots} slots ${[...left].slice(0, 5).join(', ')} are in none of ${needed} draws`,
          measured: left.size,
          allowed: 0,
          input: { slots },
        });
    }
    return samples === 0 ? skipped('its declared sampler is none of core’s, or too rare') : holds(samples);
  },
});
