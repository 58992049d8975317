import { defined, expm1Up } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { addNormalCells } from './normal-cells.js';
import { type NormalTerm, sumOfNormalTerms } from './normal-terms.js';

/** `N(mean, 1)` with a weight above 0. */
export interface Component {
  readonly mean: number;
  readonly weight: number;
}

/** Outcomes beyond it are ±∞, to avoid overflow. */
const largestOutcome = 1e200;
/** Largest `|log|` of a term at which its rounding moves losses by less than `2^-44`. */
const largestTerm = 256;

/**
 * Privacy-loss distribution of `Σ p_i N(a_i, 1)` against `Σ q_j N(b_j, 1)`, where no `a_i` is below a `b_j`,
 * so that the loss increases with the outcome and a half-line is the best set at every ε. It grows with every
 * `a_i` and falls with every `b_j`.
 *
 * A mean that both sides have must not be the only one of a side: the loss is bounded then.
 *
 * @param first - Weights sum to 1, as those of `second`; ascending means.
 */
export function mixturePairLossDistribution(
  first: readonly Component[],
  second: readonly Component[],
): PrivacyLossDistribution {
  const line = lineOf(first, second);
  const { span, outcome } = line;
  const upper = first.map(({ mean, weight }) => ({ at: line.positionOf(mean), weight }));
  const lower = second.map(({ mean, weight }) => ({ at: line.positionOf(mean), weight }));
  return {
    grain: 2 ** -43 + span * 2 ** -46,
    hockeyStick(epsilon) {
      if (epsilon === Infinity) return { lower: 0, upper: 0 };
      if (epsilon === -Infinity) return { lower: 1, upper: 1 };
      const { lower: least, upper: most } = sumOfNormalTerms(
        termsOf(upper, lower, epsilon, outcome(epsilon)),
      );
      const surely = Math.min(1, Math.max(least, -expm1Up(epsilon)));
      return { lower: surely, upper: Math.max(surely, most) };
    },
    infinite: 0,
    support: { least: -Infinity, most: Infinity },
    ...(line.isFine && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        const z = new Float64Array(edges.length);
        let next = Infinity;
        for (let i = edges.length - 1; i >= 0; i--) {
          next = outcome(edges[i], next);
          z[i] = next;
        }
        p.fill(0);
        q.fill(0);
        for (const { at, weight } of upper) addNormalCells(p, z, at, weight);
        for (const { at, weight } of lower) addNormalCells(q, z, at, weight);
      },
    }),
  };
}

interface Place {
  readonly at: number;
  readonly weight: number;
}

/** `P(z, ∞) − e^ε Q(z, ∞)`; a component that both sides have alike counts once, at `1 − e^ε`. */
function termsOf(
  upper: readonly Place[],
  lower: readonly Place[],
  epsilon: number,
  z: number,
): readonly NormalTerm[] {
  const shared = Math.abs(epsilon) < 30 ? lower.find((one) => isIn(upper, one)) : undefined;
  const without = (places: readonly Place[]): readonly Place[] =>
    shared === undefined ? places : places.filter(({ at }) => at !== shared.at);
  return [
    ...without(upper).map(({ at, weight }) => ({ sign: 1, logSize: Math.log(weight), at: z - at })),
    ...without(lower).map(({ at, weight }) => ({
      sign: -1,
      logSize: epsilon + Math.log(weight),
      at: z - at,
    })),
    ...(shared === undefined
      ? []
      : [
          {
            sign: -Math.sign(epsilon),
            logSize: Math.log(shared.weight) + Math.log(Math.abs(Math.expm1(epsilon))),
            at: z - shared.at,
          },
        ]),
  ];
}

const isIn = (places: readonly Place[], { at, weight }: Place): boolean =>
  places.some((place) => place.at === at && place.weight === weight);

interface Line {
  /** Distance between the lowest and the highest mean. */
  readonly span: number;
  /** A mean, relative to the origin of outcomes. */
  positionOf(mean: number): number;
  /**
   * Outcome of a loss, relative to the middle of the lowest and the highest mean, or for two mixtures to a
   * mean between both.
   *
   * @param above - An outcome of a larger loss, if known.
   */
  outcome(loss: number, above?: number): number;
  /** Whether outcomes are accurate enough for masses of cells. */
  readonly isFine: boolean;
}

/**
 * The loss is `A(z) − B(z)`, each side the logarithm of `Σ w e^{s z + o}`: slopes `s` relative to a mean
 * between both sides, so that `A` grows and `B` falls, and `o` at most half the span squared in size. Its
 * curvature is at most a quarter of the span squared, so that a step of Newton's method by `d` leaves an
 * error below `(d · span)²/8`.
 */
function lineOf(first: readonly Component[], second: readonly Component[]): Line {
  const bottom = second[0].mean;
  const top = defined(first.at(-1)).mean;
  const span = top - bottom;
  const from = second.length === 1 ? bottom : first[0].mean;
  // Two mixtures cancel near that mean, one mixture far from it.
  const areBothMixed = first.length > 1 && second.length > 1;
  const offsetOf = (mean: number): number =>
    areBothMixed ? -((mean - from) ** 2) / 2 : ((mean - bottom) * (top - mean)) / 2;
  const sideOf = (components: readonly Component[]): Side => ({
    slopes: Float64Array.from(components, ({ mean }) => mean - from),
    offsets: Float64Array.from(components, ({ mean, weight }) => offsetOf(mean) + Math.log(weight)),
  });
  const [a, b] = [sideOf(first), sideOf(second)];
  const logTop = a.offsets[first.length - 1];
  const logBottom = b.offsets[0];
  const reached = { value: 0, slope: 0 };
  const lossAt = (z: number): void => {
    sumInto(reached, a, z);
    const { value, slope } = reached;
    sumInto(reached, b, z);
    reached.value = value - reached.value;
    reached.slope = slope - reached.slope;
  };
  const outcome = (loss: number, above = Infinity): number => {
    if (Math.abs(loss) > largestOutcome) return loss < 0 ? -Infinity : Infinity;
    // B is at most the largest of its terms without weights, and A at least its highest term; and vice versa.
    let high = -Infinity;
    for (const { mean } of second) high = Math.max(high, (loss - logTop + offsetOf(mean)) / (top - mean));
    if (high > largestOutcome) return Infinity;
    let low = Infinity;
    for (const { mean } of first) low = Math.min(low, (loss + logBottom - offsetOf(mean)) / (mean - bottom));
    if (low < -largestOutcome) return -Infinity;
    high = Math.min(high, above);
    low = Math.min(low, high);
    let z = high;
    let last = Infinity;
    for (let step = 0; step < 400; step++) {
      lossAt(z);
      const gap = reached.value - loss;
      if (gap > 0) high = Math.min(high, z);
      else low = Math.max(low, z);
      const move = gap / reached.slope;
      if ((move * span) ** 2 <= 2 ** -49 * (1 + Math.abs(loss)))
        return Math.min(high, Math.max(low, z - move));
      const newton = z - move;
      const middle = low + (high - low) / 2;
      const next = newton >= low && newton <= high && Math.abs(move) < last ? newton : middle;
      if (next === z) return z;
      last = Math.abs(next - z);
      z = next;
    }
    return z;
  };
  const sizes = [...first, ...second].map(
    ({ mean, weight }) => Math.abs(offsetOf(mean)) - (areBothMixed ? Math.log(weight) : 0),
  );
  return {
    span,
    positionOf: (mean) => (areBothMixed ? mean - from : mean - bottom - span / 2),
    outcome,
    isFine: Math.max(...sizes) <= largestTerm,
  };
}

interface Side {
  readonly slopes: Float64Array;
  readonly offsets: Float64Array;
}

/** `log Σ e^{s z + o}` and its derivative. */
function sumInto(into: { value: number; slope: number }, { slopes, offsets }: Side, z: number): void {
  const n = slopes.length;
  if (n === 1) {
    into.value = slopes[0] * z + offsets[0];
    into.slope = slopes[0];
    return;
  }
  let peak = -Infinity;
  for (let i = 0; i < n; i++) peak = Math.max(peak, slopes[i] * z + offsets[i]);
  let [sum, slope] = [0, 0];
  for (let i = 0; i < n; i++) {
    const term = Math.exp(slopes[i] * z + offsets[i] - peak);
    sum += term;
    slope += slopes[i] * term;
  }
  into.value = peak + Math.log(sum);
  into.slope = slope / sum;
}
