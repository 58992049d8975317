import type { Bounds } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';

/** A measure on finitely many losses: `masses[i]` at `positions[i]`, which ascend. It need not add up to 1. */
export interface Atoms {
  readonly positions: Float64Array;
  /** Positive. */
  readonly masses: Float64Array;
  /** Logarithms of the masses, nearly. */
  readonly logs: Float64Array;
}

/** A law of loss between two measures on atoms, in the order of every composed profile. */
export interface Enclosure {
  readonly lower: Atoms;
  readonly upper: Atoms;
  /** Bounds on the probability of an infinite loss. */
  readonly infinite: Bounds;
}

/** Unit of the contract of `massesInto`: how far outcomes may be from their cell, in units of `1 + |loss|`. */
const slack = 2 ** -44;
const unit = 2 ** -53;
/** Below this a double may have lost its relative precision. */
const tiny = 1e-306;
/** More than the gradual underflow of one mass. */
const underflow = 2 ** -1068;

/**
 * Both measures of a law whose losses are cut at `edges`, the first of which is `-Infinity` and the last `Infinity`.
 *
 * Composed with anything, an outcome counts with a function of `e^{-loss}` that is convex and falls. By convexity, the mass `p`
 * of a cell, on which `Q` has `q`, counts at least what all of it at `log(p/q)` does, and at most what the share of it at
 * both ends of the cell does that has the same `q`; by monotony, more mass and larger losses count more, so that every error is rounded away there.
 * @see Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, Section 3, for the upper one.
 */
export function encloseDistribution(distribution: PrivacyLossDistribution, edges: Float64Array): Enclosure {
  const cells = edges.length - 1;
  const p = new Float64Array(cells);
  const q = new Float64Array(cells);
  distribution.massesInto!(p, q, edges);
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
    const error = 2 * grain + slackOf(loss) + 8 * unit * (1 + Math.abs(loss));
    const mass = p[i] * (1 + grain) + (p[i] > tiny ? 0 : underflow);
    const mean = known ? Math.min(b, Math.max(a, loss + error)) : b;
    const share = a === -Infinity ? 1 : Math.min(1, sharedUp(a, mean, b) * (1 + 16 * unit));
    if (b === Infinity) infinite += mass * share;
    else upper.masses[i + 1] += mass * share;
    if (share < 1) upper.masses[i] += mass * (1 - share) * (1 + unit);
    const floor = a - slackOf(a);
    const at = known ? Math.max(floor, Math.min(top, loss - error)) : floor;
    if (p[i] > tiny && Number.isFinite(at)) {
      lower.positions[kept] = at;
      lower.masses[kept++] = p[i] * (1 - grain);
    }
  }
  return {
    lower: atomsOf(lower.positions.subarray(0, kept), lower.masses.subarray(0, kept)),
    upper: atomsOf(upper.positions, upper.masses),
    infinite: { lower: most === Infinity ? 0 : Math.max(0, distribution.hockeyStick(most).lower), upper: infinite * (1 + 2 ** -40) },
  };
}

const slackOf = (loss: number): number => (Number.isFinite(loss) ? 1.01 * slack * (1 + Math.abs(loss)) : 0);

const logRatio = (p: number, q: number): number => {
  const ratio = p / q;
  return ratio > 0.5 && ratio < 2 ? Math.log1p((p - q) / q) : Math.log(p) - Math.log(q);
};

/** The share at `b` of a mass between `a` and `b` whose mean, in `e^{-loss}`, is at `mean`. */
const sharedUp = (a: number, mean: number, b: number): number => (mean >= b ? 1 : Math.expm1(a - mean) / Math.expm1(a - b));

/** Leaves out what has no mass. */
function atomsOf(positions: Float64Array, masses: Float64Array): Atoms {
  const held = positions.filter((_, i) => masses[i] > 0);
  const weights = masses.filter((mass) => mass > 0);
  return { positions: held, masses: weights, logs: weights.map(Math.log) };
}
