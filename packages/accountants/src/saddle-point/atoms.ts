import type { Bounds } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { type DistributionPart, isPart } from '../pld/split-distribution.js';

/**
 * A measure on finitely many losses: `masses[i]` at `positions[i]`, in ascending order. The masses need not
 * add up to 1.
 */
export interface Atoms {
  readonly positions: Float64Array;
  /** Positive. */
  readonly masses: Float64Array;
  /** Logarithms of the masses, as doubles. */
  readonly logs: Float64Array;
}

/**
 * Two measures on atoms that bound a privacy-loss distribution: whatever it is composed with, its δ(ε) is
 * between theirs.
 */
export interface Enclosure {
  readonly lower: Atoms;
  readonly upper: Atoms;
  /** Bounds on the probability of an infinite loss. */
  readonly infinite: Bounds;
}

/** By the contract of `massesInto`, an outcome may be outside its cell by this many units of `1 + |loss|`. */
const slack = 2 ** -44;
const unit = 2 ** -53;
/** Below this a double may have lost its relative precision. */
const tiny = 1e-306;
/** An upper bound on what gradual underflow can take from one mass. */
const underflow = 2 ** -1068;

/**
 * Both measures for a distribution partitioned into cells at `edges`, the first of which is `-Infinity` and
 * the last `Infinity`.
 *
 * Whatever the distribution is composed with, an outcome contributes to δ a convex, decreasing function of
 * `e^{-loss}`. By convexity, a cell with mass `p` under `P` and `q` under `Q` contributes at least as much as
 * an atom of mass `p` at `log(p/q)`, and at most as much as two atoms at the ends of the cell with the same
 * totals `p` and `q`. More mass and larger losses contribute more, so every rounding error is taken up by the
 * masses and losses in the safe direction.
 * @see Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, Section 3, for the upper measure.
 */
export function encloseDistribution(
  distribution: PrivacyLossDistribution | DistributionPart,
  edges: Float64Array,
): Enclosure {
  const cells = edges.length - 1;
  const p = new Float64Array(cells);
  const q = new Float64Array(cells);
  defined(distribution.massesInto)(p, q, edges);
  const [ownP, ownQ] = isPart(distribution) ? [new Float64Array(cells), new Float64Array(cells)] : [p, q];
  if (isPart(distribution)) distribution.ownMassesInto(ownP, ownQ, edges);
  const grain = (distribution.grain ?? slack) + 8 * unit;
  const { least, most } = distribution.support;
  const lower = { positions: new Float64Array(cells), masses: new Float64Array(cells) };
  const upper = { positions: new Float64Array(cells + 1), masses: new Float64Array(cells + 1) };
  let infinite = distribution.infinite + cells * underflow;
  let kept = 0;
  for (let i = 0; i < cells; i++) {
    const a = Math.max(edges[i], least);
    const top = Math.min(edges[i + 1], most);
    const b = top + slackOf(top);
    upper.positions[i] = a + slackOf(a);
    upper.positions[i + 1] = b;
    if (!(p[i] > 0)) continue;
    const known = p[i] > tiny && q[i] > tiny;
    const loss = known ? logRatio(p[i], q[i]) : 0;
    const mass = p[i] * (1 + grain) + (p[i] > tiny ? 0 : underflow);
    const mean = known ? Math.min(b, Math.max(a, loss + errorOf(loss, grain))) : b;
    const share = a === -Infinity ? 1 : Math.min(1, sharedUp(a, mean, b) * (1 + 16 * unit));
    if (b === Infinity) infinite += mass * share;
    else upper.masses[i + 1] += mass * share;
    if (share < 1) upper.masses[i] += mass * (1 - share) * (1 + unit);
    const at = lowerAt(ownP[i], ownQ[i], a - slackOf(a), top, grain);
    if (ownP[i] > tiny && Number.isFinite(at)) {
      lower.positions[kept] = at;
      lower.masses[kept++] = ownP[i] * (1 - grain);
    }
  }
  return {
    lower: atomsOf(lower.positions.subarray(0, kept), lower.masses.subarray(0, kept)),
    upper: atomsOf(upper.positions, upper.masses),
    infinite: {
      lower:
        most === Infinity || isPart(distribution) ? 0 : Math.max(0, distribution.hockeyStick(most).lower),
      upper: infinite * (1 + 2 ** -40),
    },
  };
}

const slackOf = (loss: number): number => (Number.isFinite(loss) ? 1.01 * slack * (1 + Math.abs(loss)) : 0);

/** Error of a cell's mean loss by the grain of its masses and of its edges. */
const errorOf = (loss: number, grain: number): number =>
  2 * grain + slackOf(loss) + 8 * unit * (1 + Math.abs(loss));

/** The loss of a cell in the lower measure: at least `floor`, where doubles do not resolve its masses. */
function lowerAt(p: number, q: number, floor: number, top: number, grain: number): number {
  if (!(p > tiny && q > tiny)) return floor;
  const loss = logRatio(p, q);
  return Math.max(floor, Math.min(top, loss - errorOf(loss, grain)));
}

const logRatio = (p: number, q: number): number => {
  const ratio = p / q;
  return ratio > 0.5 && ratio < 2 ? Math.log1p((p - q) / q) : Math.log(p) - Math.log(q);
};

/** The share at `b` of a mass on `a` and `b` whose mean of `e^{-loss}` is `e^{-mean}`. */
const sharedUp = (a: number, mean: number, b: number): number =>
  mean >= b ? 1 : Math.expm1(a - mean) / Math.expm1(a - b);

/** The atoms that have mass. */
function atomsOf(places: Float64Array, weights: Float64Array): Atoms {
  let held = 0;
  for (const weight of weights) if (weight > 0) held++;
  const positions = new Float64Array(held);
  const masses = new Float64Array(held);
  const logs = new Float64Array(held);
  let at = 0;
  for (let i = 0; i < weights.length; i++) {
    if (!(weights[i] > 0)) continue;
    positions[at] = places[i];
    masses[at] = weights[i];
    logs[at++] = Math.log(weights[i]);
  }
  return { positions, masses, logs };
}
