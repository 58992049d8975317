import { along } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import { named } from '../clip/apply.js';
import { directionsOf, momentIn } from '../clip/discrete-distribution.js';
import { biasAt, varianceAt } from './declared.js';
import { noiseGain } from './outcomes.js';
import {
  declaredNorm,
  answerOf,
  keepFacts,
  scaleAt,
  sensitivityAt,
  usesRandomness,
  type CentralSubject,
  type Shape,
} from './release.js';
import { sampledBias } from './sampled.js';

/** Records too long for listing, and slots that no small number divides. */
const shapes: readonly Shape[] = [
  [1, 3],
  [2, 5],
  [7, 3],
  [21, 1],
  [40, 2],
  [2, 1000],
].map(([dimension, slots]) => ({ dimension: dimension, slots: slots }));

/**
 * The bias at records that are all the same: exact without randomness, sampled with; where a bound says
 * something.
 */
export function biasOfLongRecords(subject: CentralSubject, env: LawEnv): Finding {
  const isRandom = usesRandomness(subject, env.random('coins'));
  const norm = declaredNorm(subject);
  let samples = 0;
  // Many slots are for means whose answers need no sampling.
  const taken = shapes.filter(
    (some) => sensitivityAt(subject, some) !== undefined && !(isRandom && some.slots > 100),
  );
  for (const shape of taken) {
    const scale = scaleAt(subject, shape);
    const directions = directionsOf(shape.dimension);
    for (const direction of isRandom ? directions.slice(-1) : directions)
      for (const by of isRandom ? [0.5] : [0.5, 3]) {
        const record = along(direction, by * scale, norm);
        const distribution = { points: [record], weights: [1] };
        const moment = { order: 2, value: momentIn(distribution, 2, norm) };
        const size = normOf(norm, record);
        const bias = biasAt(subject, shape, moment);
        if (bias >= size || !keepFacts(subject, [record])) continue;
        samples++;
        if (isRandom) {
          const { samples: more, violation } = sampledBias(
            subject,
            distribution,
            shape,
            { bias, variance: varianceAt(subject, shape, moment, 0) },
            env,
            `long ${shape.dimension} ${shape.slots}`,
            4 * shapes.length,
          );
          samples += more;
          if (violation !== undefined) return fails(samples, violation);
          continue;
        }
        const answer = answerOf(
          subject,
          Array.from({ length: shape.slots }, () => record),
          { shape, randomness: env.random('coins') },
        );
        const measured = normOf(
          norm,
          answer.map((x, j) => x - record[j]),
        );
        if (!(measured <= bias * (1 + 1e-10) + 1e-9 * size))
          return fails(samples, {
            what:
              `the answer to ${shape.slots} records that are all the same is off by ${measured} in ` +
              `${named(norm)}; biasBound says at most ${bias} (dimension ${shape.dimension})`,
            measured,
            allowed: bias,
            input: { record, shape },
          });
      }
  }
  return holds(samples);
}

/**
 * Where answers are not affine in the noise, noise of a large scale
 * has a say in the bias: sampled, at records within the bound.
 */
export function biasUnderNoise(subject: CentralSubject, env: LawEnv): Finding {
  const shape = [...shapes.slice(1, 2), { dimension: 3, slots: 2 }, { dimension: 2, slots: 3 }].find(
    (some) => sensitivityAt(subject, some) !== undefined,
  );
  if (shape === undefined || subject.plugin.integers === true) return holds(0);
  const norm = declaredNorm(subject);
  const scale = scaleAt(subject, shape);
  const record = along(directionsOf(shape.dimension)[0], 0.5 * scale, norm);
  const data = Array.from({ length: shape.slots }, () => record);
  const distribution = { points: [record], weights: [1] };
  const moment = { order: 2, value: momentIn(distribution, 2, norm) };
  const bias = biasAt(subject, shape, moment);
  const noise = 30 * scale;
  if (bias >= normOf(norm, record) || noiseGain(subject, data, shape, env.random('gain'), noise) !== null)
    return holds(0);
  const { samples, violation } = sampledBias(
    subject,
    distribution,
    shape,
    { bias, variance: varianceAt(subject, shape, moment, noise ** 2) },
    env,
    'under noise',
    4,
    noise,
  );
  return violation === undefined ? holds(samples) : fails(samples, violation);
}
