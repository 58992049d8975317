import type { RandomSource, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { nonNegativeMean } from '../../evidence/non-negative-mean.js';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import { smallShapes, varianceAt } from './declared.js';
import { otherShapes } from './other-shapes.js';
import { noiseGain } from './outcomes.js';
import {
  answerOf,
  declaredNorm,
  mechanismOf,
  scaleAt,
  sensitivityAt,
  shapesOf,
  usesRandomness,
  type CentralSubject,
  type Shape,
} from './release.js';
import { drawsIn, pairVariance } from './sampled.js';

/** Pairs of answers from which on a variance twice as large as the bound can be seen. */
const fewestPairs = 50;

/** A release of many entries, where the noise is affine: what counts entries counts all of them. */
const wideShapes = (subject: CentralSubject): readonly Shape[] =>
  [{ dimension: 67, slots: 2 }].filter((shape) => sensitivityAt(subject, shape) !== undefined);

/**
 * The part of the variance that is noise: at records that are
 * all zero, and none from randomness where answers are affine.
 */
export function noiseVariance(subject: CentralSubject, env: LawEnv): Finding {
  let samples = 0;
  const isRandom = usesRandomness(subject, env.random('coins'));
  for (const shape of [...smallShapes(subject), ...wideShapes(subject)]) {
    const scale = scaleAt(subject, shape);
    const zeros = Array.from({ length: shape.slots }, () => Array.from({ length: shape.dimension }, () => 0));
    const gains: (number | null)[] = [];
    while (gains.length < (isRandom ? 20 : 1) && !gains.includes(null))
      gains.push(noiseGain(subject, zeros, shape, env.random(`gain ${gains.length}`), scale / shape.slots));
    for (const variance of [1e-6, 1, 100].map((by) => by * (scale / shape.slots) ** 2)) {
      const bound = varianceAt(subject, shape, { order: 2, value: 1e-12 * scale * scale }, variance);
      samples++;
      if (gains.includes(null)) {
        const violation = sampledNoise(subject, shape, variance, bound, env);
        if (violation !== undefined) return fails(samples, violation);
        continue;
      }
      // With randomness the mean gain of 20 tosses says something for certain only when all of them are
      // above.
      const gain = Math.min(...gains.map((x) => defined(x)));
      const measured = (gain * variance) / (declaredNorm(subject) === 'linf' ? shape.dimension : 1);
      const allowed = bound * (1 + 1e-9);
      if (!(measured <= allowed))
        return fails(samples, {
          what:
            `noise of variance ${variance} on every entry of value() gives the answer ` +
            `a variance of ${measured}; varianceBound says at most ${bound} (dimension ` +
            `${shape.dimension}, ${shape.slots} slots)`,
          measured,
          allowed,
          input: { shape, noiseVariance: variance },
        });
    }
  }
  const elsewhere = isRandom ? undefined : noiseElsewhere(subject, env);
  if (elsewhere !== undefined) return fails(samples + 1, elsewhere);
  // Norms part from ℓ2 in many entries. Noise on whole numbers has no such small scale.
  const long =
    declaredNorm(subject) === 'l2' || subject.plugin.integers === true
      ? undefined
      : shapesOf(subject).find(({ dimension }) => dimension >= 6);
  if (long === undefined) return holds(samples);
  const variance = 1e-6 * (scaleAt(subject, long) / long.slots) ** 2;
  const bound = varianceAt(subject, long, { order: 2, value: 1e-12 * scaleAt(subject, long) ** 2 }, variance);
  const violation = sampledNoise(subject, long, variance, bound, env);
  return violation === undefined ? holds(samples + 1) : fails(samples + 1, violation);
}

/** The part of noise in releases of other shapes, of a handful of records, where answers are affine in it. */
function noiseElsewhere(subject: CentralSubject, env: LawEnv): Violation | undefined {
  for (const shape of otherShapes(subject)) {
    const scale = scaleAt(subject, shape);
    const variance = (scale / shape.slots) ** 2;
    const zero = [Array.from({ length: shape.dimension }, () => 0)];
    const gain = noiseGain(subject, zero, shape, env.random('gain'), scale / shape.slots);
    if (gain === null) return undefined;
    const measured = (gain * variance) / (declaredNorm(subject) === 'linf' ? shape.dimension : 1);
    const bound = varianceAt(subject, shape, { order: 2, value: 1e-12 * scale * scale }, variance);
    if (measured <= bound * (1 + 1e-9)) continue;
    return {
      what:
        `noise of variance ${variance} on every entry of value() gives the answer a variance of ` +
        `${measured}; varianceBound says at most ${bound} (dimension ${shape.dimension}, ` +
        `${shape.slots} slots)`,
      measured,
      allowed: bound,
      input: { shape, noiseVariance: variance },
    };
  }
  return undefined;
}

/** Real noise through a `finish` that is not affine. */
function sampledNoise(
  subject: CentralSubject,
  shape: Shape,
  variance: number,
  bound: number,
  env: LawEnv,
): Violation | undefined {
  const mechanism = mechanismOf(subject);
  if (mechanism === undefined) return undefined;
  const scale = Math.sqrt(variance) / mechanism.plugin.standardDeviation(mechanism.params);
  const alpha = env.alpha / 20;
  const zeros = Array.from({ length: shape.slots }, () => Array.from({ length: shape.dimension }, () => 0));
  const process = nonNegativeMean({ atMost: bound });
  const answer = (random: RandomSource): Vector => {
    const length = answerOf(subject, zeros, { shape, randomness: random.fork('mean') }).length;
    const noise = new Float64Array(Math.max(length, 4096));
    mechanism.plugin.addNoise(mechanism.params, noise, scale, random.fork('noise'));
    return answerOf(subject, zeros, { shape, randomness: random.fork('mean') }, noise).slice();
  };
  const pairs = Math.max(env.samples(drawsIn(shape, 600)), fewestPairs);
  for (let i = 0; i < pairs; i++) {
    const [a, b] = [answer(env.random(`noise ${2 * i}`)), answer(env.random(`noise ${2 * i + 1}`))];
    process.push(Math.min(1e300, pairVariance(subject, a, b)));
    if (process.rejects(alpha))
      return {
        what: `with noise of variance ${variance} answers vary by more than varianceBound's ${bound}`,
        allowed: bound,
        logE: process.peak,
        input: { shape, noiseVariance: variance },
      };
  }
  return undefined;
}
