import { fails, holds } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { directionsOf } from '../clip/discrete-distribution.js';
import { feed, noShape, scaleAt, sensitivityAt, shapesOf, wholeShape, type Shape } from './release.js';

/** Also more records than any block has. */
const many: readonly Shape[] = [{ dimension: 2, slots: 300 }];

/** Entries of the value before noise are as small as is said. */
export const largestEntry = defineMeanLaw({
  id: 'mean/largest-entry',
  tier: 'exact',
  statement:
    'where records that are all alike are in every slot, at the scale of the mean and far beyond it, no ' +
    'entry of value() is beyond largestEntry or, without one, beyond slots times the largest sensitivity',
  power: 'a number too small by a millionth for such records, at up to five shapes in up to four directions',
  exempt: noShape,
  check(subject, env) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const shape of [...shapesOf(subject, { most: 4 }), ...many]) {
      const sensitivity = sensitivityAt(subject, shape);
      if (sensitivity === undefined) continue;
      const whole = wholeShape(subject, shape);
      const allowed =
        plugin.largestEntry?.(params, whole) ??
        shape.slots * Math.max(...Object.values(sensitivity).map((size) => size ?? 0));
      for (const direction of directionsOf(shape.dimension))
        for (const by of [1, 1e3]) {
          const size = by * (plugin.privacyRestsOn === 'clip' ? scaleAt(subject, shape) : 1 / 1e3);
          const record = direction.map((x) => x * size);
          const data = Array.from({ length: Math.floor(shape.slots) }, () => record);
          const { value } = feed(subject, data, { shape, randomness: env.random('coins') });
          const measured = value.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
          samples++;
          if (measured <= allowed * (1 + 1e-6)) continue;
          return fails(samples, {
            what:
              `an entry of value() is ${measured} with ${data.length} records of size ${size}; ` +
              (plugin.largestEntry === undefined
                ? `slots times the largest sensitivity are ${allowed}`
                : `largestEntry is ${allowed}`),
            measured,
            allowed,
            input: { record, shape },
          });
        }
    }
    return holds(samples);
  },
});
