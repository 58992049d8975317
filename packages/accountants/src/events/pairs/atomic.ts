import { InvalidParameter, type Bounds, expm1Up, sumUp } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';

/** Probabilities of one outcome under `P` and `Q`. */
export interface Atom {
  readonly p: number;
  readonly q: number;
}

/** Finite losses in ascending order, with their probabilities. */
export interface Atoms {
  readonly losses: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
}

/**
 * Privacy-loss distribution of two distributions on finitely many outcomes: `log(p/q)`, infinite if `q = 0`.
 *
 * @param atoms - Nonnegative probabilities that sum to 1 under each distribution, within 1e-9.
 * @throws {InvalidParameter} otherwise.
 */
export function atomicLossDistribution(atoms: readonly Atom[]): PrivacyLossDistribution {
  for (const of of ['p', 'q'] as const) {
    const total = atoms.reduce((sum, atom) => sum + (atom[of] >= 0 ? atom[of] : NaN), 0);
    if (!(Math.abs(total - 1) <= 1e-9))
      throw new InvalidParameter(
        `the probabilities ${of} of the outcomes add up to ${total}; they must be at least 0 and add up to 1`,
        { of, total },
      );
  }
  const finite = atoms
    .filter(({ p, q }) => p > 0 && q > 0)
    .map(({ p, q }) => ({ p, q, loss: lossOf(p, q) }))
    .toSorted((a, b) => a.loss - b.loss);
  const column = (of: 'p' | 'q' | 'loss'): Float64Array => Float64Array.from(finite, (atom) => atom[of]);
  return distributionOfAtoms(
    { losses: column('loss'), p: column('p'), q: column('q') },
    Math.min(1, sumUp(atoms.filter(({ q }) => q === 0).map(({ p }) => p))),
  );
}

/** `log(p/q)`, accurate for ratios near 1 and for ratios outside the range of doubles. */
function lossOf(p: number, q: number): number {
  const ratio = p / q;
  if (Math.abs(ratio - 1) < 0.5) return Math.log1p((p - q) / q);
  return ratio > 2 ** -1000 && ratio < Infinity ? Math.log(ratio) : Math.log(p) - Math.log(q);
}

/**
 * Distribution with these atoms and mass `infinite` of infinite loss; errors: `grain` per probability, 2^-47
 * per loss.
 */
export function distributionOfAtoms(
  { losses, p: under, q: against }: Atoms,
  infinite: number,
  grain = 2 ** -47,
): PrivacyLossDistribution {
  const n = losses.length;
  return {
    grain,
    hockeyStick: (epsilon) => profile({ losses, p: under, q: against }, { infinite, grain }, epsilon),
    infinite,
    support: n === 0 ? { least: 0, most: 0 } : { least: losses[0], most: losses[n - 1] },
    massesInto(p, q, edges) {
      p.fill(0);
      q.fill(0);
      let cell = 0;
      for (let i = 0; i < n && cell < p.length; i++) {
        const loss = losses[i];
        if (loss < edges[0]) continue;
        while (cell < p.length && loss >= edges[cell + 1]) cell++;
        if (cell === p.length) return;
        p[cell] += under[i];
        q[cell] += against[i];
      }
    },
  };
}

/** Error of each loss `ℓ`, relative to `1 + |ℓ|`. */
const slack = 2 ** -47;

/**
 * `infinite + Σ p·(1 − e^{ε−ℓ})` over the losses `ℓ > ε`. An error of a loss changes its term by at most the
 * error times `p e^{ε−ℓ}`.
 */
function profile(
  { losses, p }: Atoms,
  { infinite, grain }: { readonly infinite: number; readonly grain: number },
  epsilon: number,
): Bounds {
  if (epsilon === -Infinity) return { lower: 1, upper: 1 };
  let sum = 0;
  let uncertainty = 0;
  for (let i = losses.length - 1; i >= 0; i--) {
    const lossError = slack * (1 + Math.abs(losses[i]));
    const excess = losses[i] - epsilon;
    if (excess <= -lossError) break;
    const share = Math.max(0, -Math.expm1(-excess));
    sum += p[i] * share;
    uncertainty += p[i] * (2 * lossError * (1 - share) + grain * share);
  }
  // Rounding errors of the additions, and underflow of the products.
  const error =
    uncertainty +
    (sum + infinite) * (losses.length + 8) * 2 ** -52 +
    (uncertainty > 0 ? losses.length * Number.MIN_VALUE : 0);
  const atLeast = epsilon < 0 ? -expm1Up(epsilon) : 0;
  const lower = Math.min(1, Math.max(0, atLeast, sum + infinite - error));
  return {
    lower,
    upper:
      uncertainty === 0 ? Math.max(lower, infinite) : Math.min(1, Math.max(lower, sum + infinite + error)),
  };
}
