import type { PrivacyLossDistribution } from '@lethe/core';
import { distributionOfAtoms } from '../pairs/atomic.js';
import type { Runs } from './runs.js';

/** `log₂` of the least share that a piece of an output has. */
const depth = 20;
const piecesPerHalving = 3;
/** The least mass of an outcome that is kept. */
const leastMass = 2 ** -900;

/**
 * A lower end of selections over an (ε, δ)-private base: what the best of K runs of one such base comes to.
 *
 * The base answers one bit by randomised response, except that with probability δ it tells which side it is;
 * that is the best output, the bit that is likelier on this side the worst. Either bit comes with a number
 * that is uniform on [0, 1], and more of it is better. So the worst outputs of all have probabilities `x` on
 * this side and `y` on the other with `x = e^ε y` up to the corner of the trade-off curve, and then
 * `1 − δ − x = e^−ε (1 − δ − y)`. The best run is among outputs from one of these pairs to the next with
 * probabilities `f(x′) − f(x)` and `f(y′) − f(y)`. The pieces are finer towards the better end of either bit:
 * the largest loss is at the corner.
 *
 * Probabilities are rounded down, and losses by as much as their errors, which lowers the profile.
 *
 * @returns `undefined` where rounding errors leave nothing.
 */
export function witnessOfSelection(
  runs: Runs,
  { epsilon, delta }: { readonly epsilon: number; readonly delta: number },
): PrivacyLossDistribution | undefined {
  if (!(epsilon > 0 && epsilon < 40 && delta < 1)) return undefined;
  const rest = 1 - delta;
  const heavy = rest / (1 + Math.exp(-epsilon));
  const light = (rest * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon));
  const ends = Array.from({ length: depth * piecesPerHalving + 1 }, (_, j) => 2 ** (-j / piecesPerHalving));
  // Tails of the ends of all pieces, from the worst outputs on, and their complements.
  const path = [
    ...ends.map((left) => [
      light + delta + heavy * left,
      heavy * (1 - left),
      heavy + delta + light * left,
      light * (1 - left),
    ]),
    ...ends.map((left) => [
      delta + light * left,
      heavy + light * (1 - left),
      delta + heavy * left,
      light + heavy * (1 - left),
    ]),
    [delta, rest, delta, rest],
  ];
  const all = path.map(([s, x, t, y]) => [runs.all(x, s), runs.all(y, t)] as const);
  const atoms: { readonly loss: number; readonly p: number; readonly q: number }[] = [];
  for (let i = 1; i < all.length; i++) {
    const [p, q] = [0, 1].map((side) => all[i][side] - all[i - 1][side]);
    if (!(p > leastMass && q > leastMass)) continue;
    const error = (2 * runs.allError + 2 ** -48) * (all[i][0] / p + all[i][1] / q);
    if (error > 2 ** -10) continue;
    const loss = Math.log(p / q) - 2 * error;
    atoms.push({ loss, p: p * (1 - error), q: p * (1 - error) * Math.exp(-loss) });
  }
  if (atoms.length === 0) return undefined;
  atoms.sort((a, b) => a.loss - b.loss);
  const column = (of: 'loss' | 'p' | 'q'): Float64Array => Float64Array.from(atoms, (atom) => atom[of]);
  const infinite = delta === 0 ? 0 : Math.max(0, 1 - runs.all(rest, delta) * (1 + runs.allError));
  return distributionOfAtoms({ losses: column('loss'), p: column('p'), q: column('q') }, infinite);
}
