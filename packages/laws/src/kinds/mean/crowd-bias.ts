import { fails, holds, skipped } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { biasAt } from './declared.js';
import { directionsOf } from '../clip/discrete-distribution.js';
import { normOf } from '../../engines/norms.js';
import {
  answerOf,
  declaredNorm,
  noShape,
  scaleAt,
  sensitivityAt,
  usesRandomness,
  type Shape,
} from './release.js';

const shapes: readonly Shape[] = [
  { dimension: 1, slots: 300 },
  { dimension: 3, slots: 300 },
];

/**
 * The moment of records that are all of a size, of an order so high that a clip of more than that has next to
 * no bias; lower only where it would not be finite.
 */
function momentAt(size: number): { readonly order: number; readonly value: number } {
  const order = Math.max(2, Math.min(16, 900 / Math.abs(Math.log2(size))));
  return { order, value: size ** order };
}

/** Many records that are all alike have themselves as their mean. */
export const crowdBias = defineMeanLaw({
  id: 'mean/crowd-bias',
  tier: 'exact',
  property: 'bias-bound',
  statement:
    'without noise and randomness, the answer on 300 records that are all alike is at most biasBound ' +
    'away from the record',
  power: 'an error of a relative 10⁻⁶ at records of three sizes, in up to four directions',
  exempt: noShape,
  check(subject, env) {
    if (usesRandomness(subject, env.random('coins'))) return skipped('its answers depend on randomness');
    let samples = 0;
    for (const shape of shapes) {
      if (sensitivityAt(subject, shape) === undefined) continue;
      const scale = subject.plugin.privacyRestsOn === 'clip' ? scaleAt(subject, shape) : 1;
      for (const direction of directionsOf(shape.dimension))
        for (const by of [0.1, 0.5, 1]) {
          const length = normOf('l2', direction);
          const record = direction.map((x) => (x * by * scale) / length);
          const answer = answerOf(
            subject,
            Array.from({ length: shape.slots }, () => record),
            { shape, randomness: env.random('coins') },
          );
          const size = normOf(declaredNorm(subject), record);
          const off = normOf(
            declaredNorm(subject),
            record.map((x, j) => x - answer[j]),
          );
          const allowed = biasAt(subject, shape, momentAt(size));
          samples++;
          if (off <= allowed + 1e-6 * size) continue;
          return fails(samples, {
            what:
              `${shape.slots} records [${record.join(', ')}] have an answer that is ${off} away; ` +
              `biasBound says at most ${allowed}`,
            measured: off,
            allowed,
            input: { record, shape },
          });
        }
    }
    return holds(samples);
  },
});
