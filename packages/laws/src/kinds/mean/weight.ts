import type { Adjacency, MeanShape } from '@lethe/core';
import { along, type Row } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import { fails, holds } from '../../law/finding.js';
import { directionsOf } from '../clip/discrete-distribution.js';
import { named, unit } from '../clip/apply.js';
import { defineMeanLaw } from './define-mean-law.js';
import {
  declaredNorm,
  noShape,
  scaleAt,
  shapesOf,
  wholeShape,
  type CentralSubject,
  type Shape,
} from './release.js';

const weights = [0.5, 2, 5, 40];
/** Lipschitz constants of every record, for means whose privacy rests on one. */
const constants = [1, 0.25, 6];

/** A shape with a weight and a Lipschitz constant, and the longest record that these allow. */
interface Weighed {
  readonly whole: MeanShape;
  readonly longest: number;
}

/** By the fact `lipschitz` of each gradient, or far beyond any clip. */
const weighedShapes = (subject: CentralSubject, shape: Shape, weight: number): readonly Weighed[] => {
  const whole = { ...wholeShape(subject, shape), weight };
  if (subject.plugin.privacyRestsOn === 'clip') return [{ whole, longest: 1e3 * scaleAt(subject, shape) }];
  return constants.map((value) => ({
    whole: { ...whole, facts: { lipschitz: { value, scope: 'every-record', provenance: 'declared' } } },
    longest: weight * value,
  }));
};

/** Sums of gradients are as long as their weights. */
export const weight = defineMeanLaw({
  id: 'mean/weight',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'where a record’s vector is a sum of gradients with weights of total size ½, 2, 5 or 40, each within ' +
    'the facts that privacy rests on, value() moves by at most the sensitivity declared for that weight',
  power:
    'a sensitivity that forgets the weights, or a Lipschitz constant of ¼ or 6, at three shapes in up to ' +
    'four directions',
  exempt: noShape,
  check(subject, env) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const shape of shapesOf(subject, { most: 3 }))
      for (const { whole, longest } of weights.flatMap((total) => weighedShapes(subject, shape, total))) {
        const declared = plugin.sensitivity(params, whole);
        const valueOf = (first: Row | null): Float64Array => {
          const run = plugin.begin(params, whole, env.random('coins'));
          if (first !== null) run.add(0, Float64Array.from(first));
          return run.value().slice();
        };
        for (const direction of directionsOf(shape.dimension)) {
          const size = longest * (1 - 2 ** -50);
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
                `with weights of total size ${whole.weight}, value() moves by ${measured} in ` +
                `${named(declaredNorm(subject))} between ${adjacency} neighbours; the declared sensitivity ` +
                `is ${allowed} (dimension ${shape.dimension}, ${shape.slots} slots)`,
              measured,
              allowed,
              input: { record, other, shape, weight: whole.weight, facts: whole.facts },
            });
          }
        }
      }
    return holds(samples);
  },
});
