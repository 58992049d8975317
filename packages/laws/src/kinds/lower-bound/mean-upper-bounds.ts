import type { MeanErrorValue } from '@lethe/core';
import { type Violation, fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { attempt } from '../sampler/declined.js';
import { meanErrorAt, notOfMeans } from './hard-means.js';
import { parameter, withParameters } from './subject.js';

/** Sizes of a problem with records of norm 1. */
interface Setting {
  readonly n: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
  readonly delta: number;
}

const names = ['n', 'dimension', 'sparsity', 'epsilon'] as const;
/** Failure probability of the upper bounds that a rate without constants is compared with. */
const usualFailure = 0.5;

/** A bound on the error of a mean is at most what known private means attain. */
export const belowMeanErrors = defineLaw<'lowerBound'>({
  id: 'lowerBound/below-mean-errors',
  kind: 'lowerBound',
  tier: 'exact',
  statement:
    'the bound, and a rate with constant 1, is at most the error that the projected Laplace and Gaussian ' +
    'mechanisms, the origin and a randomised response over a net of one record have, with explicit ' +
    'constants, with the complementary probability and in mean square',
  power:
    'a wrong power of n, d, s, ε or ln(1/δ), a regime without its conditions on ε and on ln(1/δ); ' +
    'a wrong constant only where both bounds are close',
  exempt: (subject) =>
    notOfMeans(subject) ??
    (names.every((name) => parameter(subject, name) !== undefined)
      ? undefined
      : `it has not all of the parameters ${names.join(', ')}`),
  check(subject) {
    let compared = 0;
    const hasDelta = parameter(subject, 'delta') !== undefined;
    for (const setting of settings(subject.params as Setting, hasDelta)) {
      const { delta, ...rest } = setting;
      const params = withParameters(subject, { ...rest, ...(hasDelta ? { delta } : {}) });
      if (params === undefined) continue;
      const found = attempt(() => meanErrorAt(subject, params));
      if (found.declined !== undefined) continue;
      compared++;
      const violation = above(setting, found.value, parameter({ ...subject, params }, 'radius') ?? 1);
      if (violation !== undefined) return fails(compared, { ...violation, input: params });
    }
    return compared === 0 ? skipped('it refuses all settings') : holds(compared);
  },
});

/** The parameters, and settings in which a regime ends, at many n. */
function* settings(given: Setting, hasDelta: boolean): Generator<Setting> {
  const shapes = [
    [given.dimension, given.sparsity],
    [3, 1],
    [1000, 10],
    [1e6, 1],
    [1e6, 2000],
  ] as const;
  for (const [dimension, sparsity] of shapes)
    for (const epsilon of [given.epsilon, 0.01, 1, 10 * Math.log(dimension)])
      for (const n of [given.n, 1, 10, 1e3, 1e6, 1e9, 1e12])
        for (const delta of hasDelta ? [given.delta, n ** -2 / 2, 1e-12] : [0])
          yield { n, dimension, sparsity, epsilon, delta };
}

function above(
  setting: Setting,
  { value, probability, rootMeanSquare }: MeanErrorValue,
  radius: number,
): Violation | undefined {
  const upper = radius * errorWithin(setting, probability ?? usualFailure);
  const square = radius * rootMeanSquareError(setting);
  if (value > upper * (1 + 1e-9))
    return {
      what:
        `the bound is ${value} with probability ${probability ?? 'unknown'}; ` +
        `a private mean errs by at most ${upper} with the rest`,
      measured: value,
      allowed: upper,
    };
  return rootMeanSquare === null || rootMeanSquare <= square * (1 + 1e-9)
    ? undefined
    : {
        what:
          `the bound on the root mean square is ${rootMeanSquare}; ` +
          `that of a private mean is at most ${square}`,
        measured: rootMeanSquare,
        allowed: square,
      };
}

/**
 * What the best of known means errs by at most, but with probability `failure`. Laplace noise of scale
 * `2√s/(nε)` has norm at most `√d` and, projected onto the ℓ1 ball of radius `√s`, error at most
 * `√(2√s·‖ξ‖∞)`, `‖ξ‖∞ ≤ scale·ln(d/failure)`; Gaussian noise of the classical deviation likewise.
 *
 * @see Ghazi and others, Lemma 3.1, Theorems 3.2 and 3.3.
 */
function errorWithin(setting: Setting, failure: number): number {
  const { n, dimension: d, sparsity: s, epsilon, delta } = setting;
  const laplace = (2 * Math.sqrt(s) * Math.log(d / failure)) / (n * epsilon);
  const found = [
    1,
    Math.sqrt(d) * laplace,
    Math.sqrt(2 * Math.sqrt(s) * laplace),
    netError(setting, failure),
  ];
  if (delta > 0 && epsilon <= 1) {
    const deviation = gaussianDeviation(setting);
    found.push(
      deviation * (Math.sqrt(d) + Math.sqrt(-2 * Math.log(failure))),
      Math.sqrt(2 * Math.sqrt(s) * deviation * Math.sqrt(2 * Math.log((2 * d) / failure))),
    );
  }
  return Math.min(...found);
}

function rootMeanSquareError(setting: Setting): number {
  const { n, dimension: d, sparsity: s, epsilon, delta } = setting;
  const scale = (2 * Math.sqrt(s)) / (n * epsilon);
  const squares = [1, 2 * d * scale ** 2, 2 * Math.sqrt(s) * scale * (1 + Math.log(d))];
  if (delta > 0 && epsilon <= 1) {
    const deviation = gaussianDeviation(setting);
    squares.push(d * deviation ** 2, 2 * Math.sqrt(s) * deviation * Math.sqrt(2 * Math.log(2 * d)));
  }
  return Math.sqrt(Math.min(...squares));
}

const gaussianDeviation = ({ n, epsilon, delta }: Setting): number =>
  (2 * Math.sqrt(2 * Math.log(1.25 / delta))) / (n * epsilon);

/**
 * Error of a randomised response over a net of `C(d,s)(1 + 2/η)^s` points, one for each record within η,
 * which is right with probability `1 − failure` where ε is at least ln of the number over
 * `failure/(1 − failure)`; for one record.
 */
function netError({ n, dimension: d, sparsity: s, epsilon }: Setting, failure: number): number {
  if (n !== 1) return 1;
  let logSupports = 0;
  for (let i = 0; i < s; i++) logSupports += Math.log((d - i) / (i + 1));
  const room = (epsilon + Math.log(failure / (1 - failure)) - logSupports) / s;
  return room > 0 ? Math.min(1, 2 / Math.expm1(room)) : 1;
}
