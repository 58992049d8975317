import { shiftDivergence } from '../../divergence/half-line.js';
import { cdfOf, isExact, type MechanismSubject } from './call.js';
import { directionsOf } from './directions.js';
import { productDelta, productRenyi, quantilesOf, type ShiftedCells, shiftedCells } from './shifted-cells.js';

/** A lower bound on a divergence of the noise, and the shift that attains it. */
export interface AtLeast {
  readonly lower: number;
  readonly witness: string;
}

/** Lower bounds on divergences of the declared noise distribution under shifts of a given norm. */
export interface NoiseFacts {
  /**
   * Lower bound on the hockey-stick divergence at ε, over shifts
   * of norm up to `shift` in units of the scale, both directions.
   */
  delta(shift: number, epsilon: number): AtLeast;
  /** Lower bound on the Rényi divergence of order `alpha`. */
  renyi(shift: number, alpha: number): AtLeast;
}

/** Parts of the shift: for unusual distributions shorter shifts may have larger divergences. */
const parts = [1, 0.5, 0.125];

/**
 * Lower bounds from the distribution function alone: half lines,
 * unions of cells, and products of cells over coordinates.
 */
export function noiseFacts(subject: MechanismSubject): NoiseFacts {
  const cdf = cdfOf(subject);
  const whole = isExact(subject);
  const directions = directionsOf(subject.plugin);
  const quantiles = quantilesOf(cdf);
  const memory = new Map<
    number,
    { readonly cells: ShiftedCells; readonly delta: Map<number, (epsilon: number) => number> }
  >();
  const cellsAt = (shift: number) => {
    let known = memory.get(shift);
    if (known === undefined)
      memory.set(
        shift,
        (known = { cells: shiftedCells(cdf, quantiles, shift, { whole }), delta: new Map() }),
      );
    return known;
  };
  const moves = (shift: number) =>
    directions
      .flatMap((direction) =>
        parts.flatMap((part) =>
          [1, -1].map((side) => ({ ...direction, each: side * part * direction.each * shift })),
        ),
      )
      .filter(({ each }) => !whole || Number.isInteger(each));
  const best = (found: readonly AtLeast[]): AtLeast =>
    found.reduce((most, one) => (one.lower > most.lower ? one : most), { lower: 0, witness: 'none' });
  const deltas = new Map<string, AtLeast>();
  const deltaAt = (shift: number, epsilon: number): AtLeast =>
    best([
      // For integer noise the cells are the integers, which is
      // optimal; half lines would be evaluated next to a step.
      ...(whole ? [] : [shiftDivergence({ cdf }, shift, epsilon)]),
      ...moves(shift).map(({ name, copies, each }) => {
        const { cells, delta } = cellsAt(each);
        let product = delta.get(copies);
        if (product === undefined) delta.set(copies, (product = productDelta(cells, copies)));
        return {
          lower: product(epsilon),
          witness: `cells of the noise distribution, shifted by ${each} on ${name}`,
        };
      }),
    ]);
  return {
    delta(shift, epsilon) {
      const key = `${shift} ${epsilon}`;
      const known = deltas.get(key) ?? deltaAt(shift, epsilon);
      deltas.set(key, known);
      return known;
    },
    renyi: (shift, alpha) =>
      best(
        moves(shift).map(({ name, copies, each }) => ({
          lower: productRenyi(cellsAt(each).cells, copies, alpha),
          witness: `cells of the noise distribution, shifted by ${each} on ${name}`,
        })),
      ),
  };
}
