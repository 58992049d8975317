import { defined, InvalidParameter, Unsupported, expm1Up } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { gaussianLossDistribution } from './gaussian.js';
import { addNormalCells } from './normal-cells.js';
import { type NormalTerm, sumOfNormalTerms } from './normal-terms.js';
import { presentInPoisson } from './present.js';

interface Component {
  readonly shift: number;
  readonly weight: number;
  readonly offset: number;
}

/**
 * Smaller shifts are raised to `least`, an upper bound; outcomes beyond `largestOutcome` are ±∞, to avoid
 * overflow.
 */
const least = 1e-100;
const largestOutcome = 1e200;

/**
 * Privacy-loss distribution of `Σ p_i N(s_i, 1)` against `N(0, 1)` (`remove`), or of the reversed pair
 * (`add`).
 *
 * @param shifts - Finite and at least 0, in units of the noise.
 * @param probabilities - One for each shift; they sum to 1 within 1e-9.
 * @throws {InvalidParameter} otherwise; {@link Unsupported} for different shifts of which some are above
 * 1000.
 */
export function gaussianMixtureLossDistribution(
  shifts: readonly number[],
  probabilities: readonly number[],
  direction: 'remove' | 'add',
): PrivacyLossDistribution {
  if (shifts.length !== probabilities.length || !shifts.every((shift) => shift >= 0 && shift < Infinity)) {
    throw new InvalidParameter(
      'a mixture needs shifts that are finite and at least 0, and one probability for each',
      { shifts, probabilities },
    );
  }
  const total = probabilities.reduce((sum, p) => sum + (p >= 0 ? p : NaN), 0);
  if (!(Math.abs(total - 1) <= 1e-9))
    throw new InvalidParameter(
      `the probabilities of a mixture add up to ${total}; they must be at least 0 and add up to 1`,
      { probabilities },
    );
  const moving = shifts
    .map((shift, i) => ({ shift: shift === 0 ? 0 : Math.max(shift, least), weight: probabilities[i] }))
    .filter(({ shift, weight }) => shift > 0 && weight > 0);
  const still = probabilities.reduce((sum, p, i) => (shifts[i] === 0 ? sum + p : sum), 0);
  const rate = moving.reduce((sum, { weight }) => sum + weight, 0);
  if (rate === 0) return identityDistribution;
  const top = Math.max(...moving.map(({ shift }) => shift));
  const shared = moving
    .map(({ shift, weight }): Component => ({
      shift,
      weight: weight / rate,
      offset: (shift * (top - shift)) / 2 + Math.log(weight / rate),
    }))
    .toSorted((a, b) => a.shift - b.shift);
  const single = shared.every(({ shift }) => shift === shared[0].shift);
  if (!single && shared[shared.length - 1].shift > 1000)
    throw new Unsupported(
      'a mixture with a shift above 1000 times the noise cannot be accounted: ' +
        'such a shift is not hidden at all',
      { shifts },
    );
  const distribution = single
    ? gaussianLossDistribution(shared[0].shift)
    : mixtureDistribution(shared, direction);
  return still === 0 ? distribution : presentInPoisson(distribution, Math.min(1, rate), direction);
}

/** No shift: the loss is 0. */
const identityDistribution: PrivacyLossDistribution = {
  hockeyStick: (epsilon) => ({
    lower: Math.max(0, -Math.expm1(epsilon) * (1 - 2 ** -50)),
    upper: epsilon < 0 ? Math.min(1, -Math.expm1(epsilon) * (1 + 2 ** -50)) : 0,
  }),
  infinite: 0,
  support: { least: 0, most: 0 },
  massesInto(p, q, edges) {
    for (let i = 0; i < p.length; i++) {
      q[i] = edges[i] <= 0 && edges[i + 1] > 0 ? 1 : 0;
      p[i] = q[i];
    }
  },
};

/** A mixture with positive shifts only. The loss increases with the outcome; under `add` it decreases. */
function mixtureDistribution(
  components: readonly Component[],
  direction: 'remove' | 'add',
): PrivacyLossDistribution {
  const top = components[components.length - 1].shift;
  const sign = direction === 'remove' ? 1 : -1;
  // Outcomes are relative to half the largest shift, and negated under `add`, so that the loss increases with
  // them.
  const unshifted = (-sign * top) / 2;
  const outcome = outcomeOf(components);
  const shifted = components.map(({ shift, weight }) => ({ at: sign * (shift - top / 2), weight }));
  // The error of outcomes is 2^-53 of the largest shift, and that of losses is this times the other shifts.
  const isFine = top * defined(components.findLast(({ shift }) => shift < top)).shift <= 512;
  return {
    grain: 2 ** -43,
    hockeyStick(epsilon) {
      if (epsilon === Infinity) return { lower: 0, upper: 0 };
      if (epsilon === -Infinity) return { lower: 1, upper: 1 };
      const z = sign * outcome(sign * epsilon);
      const [mixture, plain] = direction === 'remove' ? [0, epsilon] : [epsilon, 0];
      const terms: readonly NormalTerm[] = [
        { sign: -sign, logSize: plain, at: z - unshifted },
        ...shifted.map(({ at, weight }) => ({ sign, logSize: mixture + Math.log(weight), at: z - at })),
      ];
      const { lower, upper } = sumOfNormalTerms(terms);
      const surely = Math.min(1, Math.max(lower, -expm1Up(epsilon)));
      return { lower: surely, upper: Math.max(surely, upper) };
    },
    infinite: 0,
    support: { least: -Infinity, most: Infinity },
    ...(isFine && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        const z = new Float64Array(edges.length);
        let start = Infinity;
        for (let i = edges.length - 1; i >= 0; i--) {
          const edge = direction === 'remove' ? i : edges.length - 1 - i;
          start = outcome(sign * edges[edge], start);
          z[edge] = sign * start;
        }
        const [mixture, plain] = direction === 'remove' ? [p, q] : [q, p];
        addNormalCells(plain.fill(0), z, unshifted, 1);
        mixture.fill(0);
        for (const { at, weight } of shifted) addNormalCells(mixture, z, at, weight);
      },
    }),
  };
}

/**
 * Inverse of the loss `log Σ w_i e^{s_i x − s_i²/2}`: the outcome minus half the largest shift; `start` is
 * the result for a larger loss, if known. The function is convex and increasing, so Newton's method from the
 * right does not overshoot; its curvature is at most a quarter of the largest shift squared.
 */
function outcomeOf(components: readonly Component[]): (loss: number, start?: number) => number {
  const n = components.length;
  const shifts = Float64Array.from(components, ({ shift }) => shift);
  const offsets = Float64Array.from(components, ({ offset }) => offset);
  const top = shifts[n - 1];
  return (loss, start = Infinity) => {
    if (Math.abs(loss) > largestOutcome) return loss < 0 ? -Infinity : Infinity;
    let z = Math.min(start, (loss - offsets[n - 1]) / top);
    if (z > largestOutcome) return Infinity;
    for (let step = 0; step < 100 + 4 * n && z >= -largestOutcome; step++) {
      let peak = -Infinity;
      for (let i = 0; i < n; i++) peak = Math.max(peak, shifts[i] * z + offsets[i]);
      let [sum, slope] = [0, 0];
      for (let i = 0; i < n; i++) {
        const term = Math.exp(shifts[i] * z + offsets[i] - peak);
        sum += term;
        slope += shifts[i] * term;
      }
      const down = Math.max(0, ((peak + Math.log(sum) - loss) * sum) / slope);
      z -= down;
      if ((down * top) ** 2 <= 2 ** -49 * (1 + Math.abs(loss))) return z;
    }
    return z < -largestOutcome ? -Infinity : z;
  };
}
