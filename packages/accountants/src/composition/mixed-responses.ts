import type { Bounds } from '@lethe/numerics';
import { defined } from '@lethe/numerics';
import { between, composed, responseAtoms, type LossAtoms, type Precision, type Side } from './loss-atoms.js';
import type { Responses } from './totals.js';

/** Logarithm of the largest ratio of masses that doubles can represent. */
const mostRatio = 690;
/** Largest number of different ε to compose. */
const mostKinds = 4096;
const mostAtoms = 100_000;
const pairsPerLevel = 4e6;

/**
 * Bounds of δ(ε) of randomised responses with different ε; equal bounds if there are few different losses.
 * `undefined` if losses are too large or too many.
 *
 * The exact curve is #P-hard (Murtagh and Vadhan 2016). The privacy-loss distributions are composed in pairs.
 * If there are too many losses, the upper bound splits each mass to the ends of its grid cell, and the lower
 * bound merges the masses of a cell.
 *
 * @param tail - The δ of interest; at most a millionth of it is truncated.
 */
export function mixedCurve(
  responses: readonly Responses[],
  tail: number,
  cells = 2048,
): ((epsilon: number) => Bounds) | undefined {
  const deviation = Math.sqrt(
    responses.reduce((sum, { epsilon, count }) => sum + count * epsilon * epsilon, 0),
  );
  const share = Math.max(1e-290, tail * 1e-6) / responses.length;
  const most = responses.reduce((sum, { epsilon, count }) => sum + count * epsilon, 0);
  const largestLikely =
    responses.reduce((sum, { epsilon, count }) => sum + count * epsilon * Math.tanh(epsilon / 2), 0) +
    Math.sqrt(-2 * Math.log(share)) * deviation;
  const widest = Math.max(
    ...responses.map(({ count }) => Math.min(count, Math.sqrt(-2 * Math.log(share) * count))),
  );
  if (
    Math.min(most, largestLikely) - Math.log(share) > mostRatio ||
    responses.length > mostKinds ||
    widest > mostAtoms ||
    !responses.every(({ count }) => Number.isSafeInteger(count))
  )
    return undefined;
  const build = (side: Side): LossAtoms =>
    reduced(
      responses.toReversed().map((each) => responseAtoms(each, share, side)),
      { cells, tail: share, side },
    );
  const upper = build('upper');
  const lower = upper.merged ? build('lower') : { ...upper, infinite: 0 };
  return (epsilon) => between(upper, lower, epsilon);
}

/** Privacy-loss distribution of the free event. */
const freeAtoms: LossAtoms = {
  p: Float64Array.of(1),
  q: Float64Array.of(1),
  loss: Float64Array.of(0),
  infinite: 0,
  error: 0,
  merged: false,
};

/** Composes in a binary tree, smallest first, so the number of roundings is logarithmic. */
function reduced(distributions: readonly LossAtoms[], { cells, ...precision }: Precision): LossAtoms {
  let level = distributions.map((distribution) => composed(distribution, freeAtoms, { ...precision, cells }));
  while (level.length > 1) {
    const affordable = {
      ...precision,
      cells: Math.min(cells, Math.round(Math.sqrt(pairsPerLevel / level.length))),
    };
    level = level.flatMap((distribution, i) => {
      if (i % 2 === 1) return [];
      if (i + 1 < level.length) return [composed(distribution, level[i + 1], affordable)];
      return [distribution];
    });
  }
  return level[0];
}

/** The curve at a precision relative to δ(ε) itself. */
export function mixedDelta(responses: readonly Responses[], epsilon: number): Bounds | undefined {
  const coarse = [1e-24, 1e-190]
    .map((tail) => () => mixedCurve(responses, tail, 256)?.(epsilon))
    .reduce<Bounds | undefined>(
      (found, next) => (found !== undefined && found.lower > 0 ? found : (next() ?? found)),
      undefined,
    );
  return coarse === undefined || coarse.upper === coarse.lower || coarse.lower === 0
    ? coarse
    : defined(mixedCurve(responses, coarse.lower))(epsilon);
}
