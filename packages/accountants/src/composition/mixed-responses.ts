import type { Bounds } from '@lethe/numerics';
import { between, composed, responseAtoms, type LossAtoms, type Precision, type Side } from './loss-atoms.js';
import type { Responses } from './totals.js';

/** Logarithm of the largest ratio of masses that doubles hold. */
const mostRatio = 690;
/** Runs of responses that are worth composing one by one. */
const mostKinds = 4096;
const mostAtoms = 100_000;
const pairsPerLevel = 4e6;

/**
 * δ(ε) of randomised responses that differ in ε, between bounds; the bounds meet when the losses are few. `undefined` where
 * losses are too large or too many.
 *
 * The exact curve is #P-hard to find (Murtagh and Vadhan 2016), so the laws of the losses are composed in pairs, and where
 * there are too many losses, moved outward to a grid for the upper bound, and merged for the lower one.
 *
 * @param tail - The δ that matters: a millionth of it is given up.
 */
export function mixedCurve(responses: readonly Responses[], tail: number, cells = 2048): ((epsilon: number) => Bounds) | undefined {
  const spread = Math.sqrt(responses.reduce((sum, { epsilon, count }) => sum + count * epsilon * epsilon, 0));
  const share = Math.max(1e-290, tail * 1e-6) / responses.length;
  const most = responses.reduce((sum, { epsilon, count }) => sum + count * epsilon, 0);
  const reach = responses.reduce((sum, { epsilon, count }) => sum + count * epsilon * Math.tanh(epsilon / 2), 0) + Math.sqrt(-2 * Math.log(share)) * spread;
  const widest = Math.max(...responses.map(({ count }) => Math.min(count, Math.sqrt(-2 * Math.log(share) * count))));
  if (Math.min(most, reach) - Math.log(share) > mostRatio || responses.length > mostKinds || widest > mostAtoms || !responses.every(({ count }) => Number.isSafeInteger(count))) return undefined;
  const build = (side: Side): LossAtoms => reduced(responses.toReversed().map((each) => responseAtoms(each, share, side)), { cells, tail: share, side });
  const upper = build('upper'), lower = upper.merged ? build('lower') : { ...upper, infinite: 0 };
  return (epsilon) => between(upper, lower, epsilon);
}

/** What nothing tells. */
const nothing: LossAtoms = { p: Float64Array.of(1), q: Float64Array.of(1), loss: Float64Array.of(0), infinite: 0, error: 0, merged: false };

/** Composes neighbours, the smallest first, so that each law is rounded as often as the logarithm of their number. */
function reduced(laws: readonly LossAtoms[], { cells, ...precision }: Precision): LossAtoms {
  let level = laws.map((law) => composed(law, nothing, { ...precision, cells }));
  while (level.length > 1) {
    const affordable = { ...precision, cells: Math.min(cells, Math.round(Math.sqrt(pairsPerLevel / level.length))) };
    level = level.flatMap((law, i) => (i % 2 === 1 ? [] : i + 1 < level.length ? [composed(law, level[i + 1]!, affordable)] : [law]));
  }
  return level[0]!;
}

/** The curve at the precision that δ(ε) itself asks for. */
export function mixedDelta(responses: readonly Responses[], epsilon: number): Bounds | undefined {
  const coarse = [1e-24, 1e-190].map((tail) => () => mixedCurve(responses, tail, 256)?.(epsilon)).reduce<Bounds | undefined>((found, next) => (found !== undefined && found.lower > 0 ? found : next() ?? found), undefined);
  return coarse === undefined || coarse.upper === coarse.lower || coarse.lower === 0 ? coarse : mixedCurve(responses, coarse.lower)!(epsilon);
}
