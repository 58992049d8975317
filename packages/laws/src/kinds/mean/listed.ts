import type { Moment, Norm } from '@lethe/core';
import fc from 'fast-check';
import { along, type Row } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import { named, unit } from '../clip/apply.js';
import {
  directionsOf,
  expectation,
  discreteDistributions,
  meanOf,
  momentIn,
  searchedOrders,
  varianceOf,
  type DiscreteDistribution,
} from '../clip/discrete-distribution.js';
import { biasAt, smallShapes, varianceAt, type Bounded } from './declared.js';
import { answersOf } from './outcomes.js';
import { declaredNorm, keepFacts, scaleAt, type CentralSubject, type Shape } from './release.js';

const usable = (value: number): boolean => value > 1e-250 && value < 1e250;
const opposite = (row: Row): Row => row.map((x) => -x + 0);

/**
 * Laws at which bounds of clipping and rounding are tight, or nearly:
 * rare and large, opposite, one point; along axes and corners.
 */
function tellingLaws(shape: Shape, scale: number, norm: Norm): readonly DiscreteDistribution[] {
  return [2, 0.3, 32, 1, 1 / 16, 1.5, 0.97, 4].flatMap((by) =>
    directionsOf(shape.dimension).flatMap((direction): DiscreteDistribution[] => {
      const far = along(direction, by * scale, norm);
      const zero = far.map(() => 0);
      return [
        { points: [far], weights: [1] },
        { points: [far, opposite(far)], weights: [0.5, 0.5] },
        { points: [zero, far], weights: [0.75, 0.25] },
      ];
    }),
  );
}

/** Result for one distribution with a number of outcomes. */
interface Judgement {
  readonly outcomes: number;
  readonly violation?: Violation;
}

/** Judges one law by listing everything; `null` when the randomness cannot be listed. */
function judged(
  subject: CentralSubject,
  which: Bounded,
  distribution: DiscreteDistribution,
  shape: Shape,
  moments: readonly Moment[],
): Judgement | null {
  const norm = declaredNorm(subject);
  const answers = answersOf(subject, distribution, shape);
  if (answers === null) return null;
  const largest =
    answers.values.reduce((most, value) => Math.max(most, normOf(norm, value)), 0) +
    expectation(distribution, (point) => normOf(norm, point));
  const mean = meanOf(answers.values, answers.weights);
  const truth = meanOf(distribution.points, distribution.weights);
  const measured =
    which === 'bias'
      ? normOf(
          norm,
          mean.map((x, j) => x - truth[j]),
        )
      : varianceOf(answers.values, answers.weights, norm);
  for (const moment of moments) {
    const bound = which === 'bias' ? biasAt(subject, shape, moment) : varianceAt(subject, shape, moment, 0);
    const allowed = bound * (1 + 1e-10) + 1024 * unit * (which === 'bias' ? largest : largest ** 2);
    if (measured <= allowed) continue;
    const said =
      which === 'bias'
        ? `‖E answer − E z‖ is ${measured} in ${named(norm)}; biasBound`
        : `E‖answer − E answer‖² without noise is ${measured}; varianceBound`;
    return {
      outcomes: answers.outcomes,
      violation: {
        what:
          `${said} says at most ${bound} for E‖z‖^${moment.order} ≤ ${moment.value} (dimension ` +
          `${shape.dimension}, ${shape.slots} slots)`,
        measured,
        allowed,
        input: { distribution, shape, moment },
      },
    };
  }
  return { outcomes: answers.outcomes };
}

/** Result of enumeration, if the outcomes could be listed. */
interface Listed {
  readonly finding: Finding;
  readonly listed: boolean;
}

/** Outcomes listed for one shape before the rest is left to chance. */
const patience = 60_000;

/** Listing of every outcome of telling laws, and of some found by search. */
export function searchListed(subject: CentralSubject, which: Bounded, env: LawEnv): Listed {
  const norm = declaredNorm(subject);
  let samples = 0;
  for (const shape of smallShapes(subject)) {
    let outcomes = 0;
    for (const distribution of tellingLaws(shape, scaleAt(subject, shape), norm)) {
      if (!keepFacts(subject, distribution.points)) continue;
      const moments = [2, 3, 4]
        .map((order) => ({ order, value: momentIn(distribution, order, norm) }))
        .filter(({ value }) => usable(value));
      const judgement =
        outcomes > patience ? undefined : judged(subject, which, distribution, shape, moments);
      if (judgement === null) return { finding: holds(samples), listed: false };
      if (judgement === undefined) break;
      samples++;
      outcomes += judgement.outcomes;
      if (judgement.violation !== undefined)
        return { finding: fails(samples, judgement.violation), listed: true };
    }
  }
  const inputs = fc
    .constantFrom(...smallShapes(subject))
    .chain((shape) =>
      fc.tuple(
        fc.constant(shape),
        discreteDistributions({ dimension: shape.dimension, scale: scaleAt(subject, shape), norm }),
        fc.constantFrom(...searchedOrders),
        fc.constantFrom(1, 1, 2),
        fc.boolean(),
      ),
    );
  let left = patience;
  const found = env.forAll(
    inputs,
    ([shape, distribution, order, by, knowsSecond]): Violation | undefined => {
      const few =
        distribution.points.length > 3
          ? {
              points: distribution.points.slice(0, 3),
              weights: renormalised(distribution.weights.slice(0, 3)),
            }
          : distribution;
      const value = momentIn(few, order, norm) * by;
      if (left < 0 || !usable(value) || !keepFacts(subject, few.points)) return undefined;
      const second = knowsSecond ? { second: momentIn(few, 2, norm) } : {};
      const judgement = judged(subject, which, few, shape, [{ order, value, ...second }]);
      left -= judgement?.outcomes ?? 0;
      return judgement?.violation;
    },
    { runs: 60 },
  );
  return { finding: { ...found, samples: found.samples + samples } as Finding, listed: true };
}

const renormalised = (weights: readonly number[]): readonly number[] =>
  weights.map((weight) => weight / weights.reduce((sum, x) => sum + x, 0));
