import { logAddExp, neumaierSum } from '@lethe/numerics';
import type { Ends, GridDistribution } from './grid-distribution.js';
import type { Spread } from './spread.js';
import { tilted, type TiltedDistribution } from './tilted-distribution.js';

/** The most powers of the deviation of members from their mean. */
const mostPowers = 6;

/**
 * For each interval of an ensemble, the mean of its tilted and normalised members, with what they add to it.
 * Its moment is the geometric mean of theirs. All have the same nodes.
 */
export function tiltedSpreads(
  ends: readonly Ends[],
  grid: Pick<GridDistribution, 'nodes' | 'base' | 'step'>,
  tilt: number,
): readonly (TiltedDistribution | undefined)[] {
  const known = new Map<Float64Array, TiltedDistribution | undefined>();
  const anchor = (masses: Float64Array): TiltedDistribution | undefined => {
    if (!known.has(masses)) known.set(masses, tilted(masses, grid.nodes, grid, tilt, 1));
    return known.get(masses);
  };
  const means = ends.map((one) => meanOf(one, anchor(one.first), anchor(one.second)));
  const whole = grid.nodes.map((_, i) =>
    means.reduce((sum, mean) => (mean === undefined ? sum : sum + mean.count * mean.weights[i]), 0),
  );
  const total = whole.reduce((a, b) => a + b, 0);
  const heaviest = whole.indexOf(whole.reduce((a, b) => Math.max(a, b), 0));
  const middle =
    whole[heaviest] > 0.5 * total
      ? grid.nodes[heaviest]
      : Math.round(whole.reduce((sum, weight, i) => sum + weight * grid.nodes[i], 0) / total);
  const nodes = grid.nodes.map((node) => node - middle);
  const origin = grid.base + grid.step * middle;
  return means.map(
    (mean) =>
      mean && {
        ...mean,
        nodes,
        origin,
        mean: mean.weights.reduce((sum, weight, i) => sum + weight * nodes[i], 0),
      },
  );
}

function meanOf(
  { members }: Ends,
  one: TiltedDistribution | undefined,
  other: TiltedDistribution | undefined,
): (Omit<TiltedDistribution, 'nodes' | 'origin' | 'mean'> & { readonly spread?: Spread }) | undefined {
  if (one === undefined || other === undefined) return undefined;
  const count = members.reduce((sum, member) => sum + member.count, 0);
  // Logarithms, because moments may differ by more than doubles can say.
  const apart = other.logMoment - one.logMoment;
  const moments = members.map(({ share }) => logAddExp(Math.log1p(-share), Math.log(share) + apart));
  // Shares after tilting: in proportion to the moments.
  const shares = members.map(({ share }, i) => Math.min(1, share * Math.exp(apart - moments[i])));
  const mean = neumaierSum(members.map((member, i) => member.count * shares[i])) / count;
  const deviations = shares.map((share) => share - mean);
  const sumOf = (value: (deviation: number) => number): number =>
    neumaierSum(members.map((member, i) => member.count * value(deviations[i])));
  const whole = {
    count,
    weights: one.weights.map((weight, i) => (1 - mean) * weight + mean * other.weights[i]),
    logMoment: one.logMoment + neumaierSum(members.map(({ count: times }, i) => times * moments[i])) / count,
    error: 3 * Math.max(one.error, other.error) + (members.length + 128) * 2 ** -52,
  };
  // One member is its own mean.
  if (members.length === 1) return whole;
  const difference = other.weights.map((weight, i) => weight - one.weights[i]);
  return {
    ...whole,
    spread: {
      difference,
      size: difference.reduce((sum, weight) => sum + Math.abs(weight), 0),
      floor: one.weights.map((weight, i) => Math.min(weight, other.weights[i])),
      powers: Array.from({ length: mostPowers + 1 }, (_, k) => sumOf((deviation) => deviation ** k)),
      most: deviations.reduce((most, deviation) => Math.max(most, Math.abs(deviation)), 0),
      usual: sumOf(Math.abs) / count,
    },
  };
}
