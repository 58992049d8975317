import type { RandomSource, Vector } from '@lethe/core';
import type { Data, Row } from '../../arbitraries/vectors.js';
import { enumerate } from '../../engines/exhaustive-random.js';
import { distance, normOf } from '../../engines/norms.js';
import type { DiscreteDistribution } from '../clip/discrete-distribution.js';
import { answerOf, feed, type CentralSubject, type Shape } from './release.js';

/**
 * Every answer without noise that independent records of a law
 * lead to, with its probability: over records and over randomness.
 */
export interface Answers {
  readonly values: readonly Vector[];
  readonly weights: readonly number[];
  readonly outcomes: number;
}

/** Every way to fill the slots from the points of a law. */
function fillings(
  { points, weights }: DiscreteDistribution,
  slots: number,
): readonly { readonly data: Data; readonly weight: number }[] {
  let all: readonly { readonly data: Data; readonly weight: number }[] = [{ data: [], weight: 1 }];
  for (let slot = 0; slot < slots; slot++)
    all = all.flatMap(({ data, weight }) =>
      points.map((point, i) => ({ data: [...data, point], weight: weight * weights[i] })),
    );
  return all;
}

/** Ways to fill the slots that are listed. */
const mostFillings = 2 ** 14;

/** `null` when the slots have too many fillings, or the randomness too many values, to be listed. */
export function answersOf(
  subject: CentralSubject,
  distribution: DiscreteDistribution,
  shape: Shape,
  limit = 1_024,
): Answers | null {
  if (distribution.points.length ** shape.slots > mostFillings) return null;
  const values: Vector[] = [];
  const weights: number[] = [];
  for (const { data, weight } of fillings(distribution, shape.slots)) {
    const outcomes = enumerate(
      (random) => answerOf(subject, data, { shape, randomness: random.fork('mean') }).slice(),
      { limit },
    );
    if (outcomes === null) return null;
    for (const { value, probability } of outcomes) {
      values.push(value);
      weights.push(weight * probability);
    }
  }
  return { values, weights, outcomes: values.length };
}

/** The slots of one release, drawn from a law. */
export function drawn({ points, weights }: DiscreteDistribution, slots: number, random: RandomSource): Data {
  return Array.from({ length: slots }, (): Row => {
    let left = random.uniform();
    const at = weights.findIndex((weight) => (left -= weight) < 0);
    return points[at < 0 ? points.length - 1 : at];
  });
}

/**
 * What a unit of noise on one entry of the value does to the answer, squared and added up over entries;
 * `null` when answers are not affine in the noise.
 */
export function noiseGain(
  subject: CentralSubject,
  data: Data,
  shape: Shape,
  randomness: RandomSource,
  size: number,
): number | null {
  const { length } = feed(subject, data, { shape, randomness }).value;
  const at = (noise: ArrayLike<number>): Vector =>
    answerOf(subject, data, { shape, randomness }, noise).slice();
  const zero = at(new Float64Array(length));
  const basis = Array.from({ length }, (_, j) =>
    at(Array.from({ length }, (_unused, i) => (i === j ? size : 0))).map((x, k) => x - zero[k]),
  );
  for (const by of [0.5, -3, 100]) {
    const noise = Array.from({ length }, (_, j) => by * size * (1 - 1.75 * (j % 3)));
    const expected = zero.map(
      (x, k) => x + basis.reduce((sum, column, j) => sum + (column[k] * noise[j]) / size, 0),
    );
    if (!(distance('linf', at(noise), expected) <= 1e-9 * (normOf('linf', expected) + normOf('linf', zero))))
      return null;
  }
  return basis.reduce((sum, column) => sum + (normOf('l2', column) / size) ** 2, 0);
}
