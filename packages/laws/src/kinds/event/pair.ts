import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import type { Violation } from '../../law/finding.js';
import { examplesOf, knownOf, scenesOf } from './known.js';

const epsilons = [0, 0.05, 0.2, 0.5, 1, 1.5, 2, 3, 5, 8] as const;

export const pair = defineLaw<'event'>({
  id: 'event/pair', kind: 'event', tier: 'search',
  statement: 'dominating pairs cover both directions, each with a profile that lies in [0, 1], its bounds in order, falling in ε and convex in e^ε',
  source: { id: 'zhu-dong-wang-2022', item: 'Lemma 8' },
  power: 'any of these off by 1e-9 at 10 ε, on 1 of 20 events',
  exempt: ({ plugin }) => (plugin.characterise.pair === undefined ? 'it gives no dominating pairs' : undefined),
  check: (subject, { forAll }) => forAll(fc.record({ scene: scenesOf(subject) }), ({ scene: { event, adjacency } }): Violation | undefined => {
    const { pair: pairs } = knownOf(subject, event, adjacency);
    if (pairs === undefined) return undefined;
    const directions = pairs.map(({ direction }) => direction);
    if (!directions.includes('symmetric') && !(directions.includes('remove') && directions.includes('add'))) return { what: `under ${adjacency}, its pairs are for ${directions.join(', ')}; both 'remove' and 'add' are needed, or 'symmetric'`, input: event };
    for (const { direction, hockeyStick } of pairs) {
      const profile = epsilons.map((epsilon) => ({ epsilon, x: Math.exp(epsilon), ...hockeyStick(epsilon) }));
      for (const [i, { epsilon, x, lower, upper }] of profile.entries()) {
        const at = `under ${adjacency}, the pair for '${direction}' has δ in [${lower}, ${upper}] at ε = ${epsilon}`;
        if (!(lower >= 0 && lower <= upper && upper <= 1)) return { what: `${at}; bounds lie in [0, 1], the lower one first`, input: event };
        const before = profile[i - 1], after = profile[i + 1];
        if (before !== undefined && !(lower <= before.upper * (1 + 1e-9))) return { what: `${at}, more than ${before.upper} at ε = ${before.epsilon}; δ falls as ε grows`, measured: lower, allowed: before.upper, input: event };
        if (before === undefined || after === undefined) continue;
        const line = before.upper + (after.upper - before.upper) * (x - before.x) / (after.x - before.x);
        if (!(lower <= line + 1e-9)) return { what: `${at}, above the line between its neighbours, ${line}: δ is convex in e^ε`, measured: lower, allowed: line, input: event };
      }
    }
    return undefined;
  }, { runs: 15, examples: examplesOf(subject).map((scene) => ({ scene })) }),
});
