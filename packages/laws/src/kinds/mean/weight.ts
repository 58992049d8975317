import type { Adjacency } from '@lethe/core';
import { along, type Row } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import { fails, holds } from '../../law/finding.js';
import { directionsOf } from '../clip/discrete-distribution.js';
import { named, unit } from '../clip/apply.js';
import { defineMeanLaw } from './define-mean-law.js';
import { declaredNorm, noShape, scaleAt, shapesOf, wholeShape, type CentralSubject } from './release.js';

const weights = [0.5, 2, 5];

/**
 * Longest record that the shape allows: by the fact `lipschitz` of 1 for each gradient, or far beyond any
 * clip.
 */
const longest = ({ plugin }: CentralSubject, weight: number, scale: number): number =>
  plugin.privacyRestsOn === 'clip' ? 1e3 * scale : weight;

/** Sums of gradients are as long as their weights. */
export const weight = defineMeanLaw({
  id: 'mean/weight',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'where a record’s vector is a sum of gradients with weights of total size ½, 2 or 5, each within the ' +
    'facts that privacy rests on, value() moves by at most the sensitivity declared for that weight',
  power: 'a sensitivity that forgets the weights, at three shapes in up to four directions',
  exempt: noShape,
  check(subject, env) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const shape of shapesOf(subject, { most: 3 }))
      for (const total of weights) {
        const whole = { ...wholeShape(subject, shape), weight: total };
        const declared = plugin.sensitivity(params, whole);
        const valueOf = (first: Row | null): Float64Array => {
          const run = plugin.begin(params, whole, env.random('coins'));
          if (first !== null) run.add(0, Float64Array.from(first));
          return run.value().slice();
        };
        for (const direction of directionsOf(shape.dimension)) {
          const size = longest(subject, total, scaleAt(subject, shape)) * (1 - 2 ** -50);
          const record = along(
            direction,
            size,
            plugin.privacyRestsOn === 'clip' ? declaredNorm(subject) : 'l2',
          );
          const ends: Readonly<Record<Adjacency, Row | null>> = {
            'replace-one': record.map((x) => -x + 0),
            'add-remove': null,
            'zero-out': record.map(() => 0),
          };
          for (const [adjacency, other] of Object.entries(ends)) {
            const allowed = declared[adjacency as Adjacency];
            if (allowed === undefined) continue;
            const measured = distance(declaredNorm(subject), valueOf(record), valueOf(other));
            samples++;
            if (measured <= allowed * (1 + 64 * shape.dimension * unit)) continue;
            return fails(samples, {
              what:
                `with weights of total size ${total}, value() moves by ${measured} in ` +
                `${named(declaredNorm(subject))} between ${adjacency} neighbours; the declared sensitivity ` +
                `is ${allowed} (dimension ${shape.dimension}, ${shape.slots} slots)`,
              measured,
              allowed,
              input: { record, other, shape, weight: total },
            });
          }
        }
      }
    return holds(samples);
  },
});
