import type { PrivacyLossDistribution } from '@lethe/core';
import type { Enclosure } from './atoms.js';
import { tilt } from './tilt.js';

type Supported = Pick<PrivacyLossDistribution, 'support'>;

/** Weight of the untilted distribution, so that no region with mass is left without cells. */
const untilted = 1e-6;

/** Edges for losses of every magnitude, `perOctave` to the octave. */
export function firstEdges({ support: { least, most } }: Supported, perOctave = 4): Float64Array {
  const sizes = Array.from({ length: 110 * perOctave + 1 }, (_, i) => 2 ** (i / perOctave - 60));
  const inside = [...sizes.toReversed().map((size) => -size), 0, ...sizes].filter(
    (edge) => edge > least && edge < most,
  );
  return Float64Array.from([-Infinity, ...inside, Infinity]);
}

/**
 * About `cells` cells for a tilt by `lambda`, from the masses of coarser ones. The error of a cell grows with
 * its weight and the square of its width, so the total is least when a coarse cell is divided in proportion
 * to the cube root of that product.
 */
export function refineEdges(
  edges: Float64Array,
  distribution: Supported,
  { lower, upper }: Enclosure,
  lambda: number,
  cells: number,
): Float64Array {
  const count = edges.length - 1;
  const weights = new Float64Array(count);
  addMasses(weights, edges, lower.positions, tilt(lower, lambda).weights, 1);
  addMasses(weights, edges, upper.positions, tilt(upper, lambda).weights, 1);
  addMasses(weights, edges, lower.positions, tilt(lower, 0).weights, untilted);
  const { least, most } = distribution.support;
  const shares = new Float64Array(count);
  let [total, held] = [0, 0];
  for (let i = 0; i < count; i++) {
    const width = Math.min(edges[i + 1], most) - Math.max(edges[i], least);
    if (Number.isFinite(width)) shares[i] = Math.cbrt(weights[i] * width * width);
    total += shares[i];
    if (weights[i] > 0) held++;
  }
  const wanted = Math.max(cells / 4, cells - held) / total;
  // Each share gives at most one part more than in proportion.
  const refined = new Float64Array(2 * count + Math.ceil(wanted * total || 0) + 2);
  refined[0] = -Infinity;
  let last = 0;
  for (let i = 0; i < count; i++) {
    const start = Math.max(edges[i], least);
    if (i > 0 && (weights[i] > 0 || weights[i - 1] > 0)) refined[++last] = edges[i];
    if (!(shares[i] > 0)) continue;
    const width = Math.min(edges[i + 1], most) - start;
    const parts = Math.ceil(shares[i] * wanted);
    for (let j = 1; j < parts; j++) {
      const edge = start + (width * j) / parts;
      if (edge > refined[last] && edge < edges[i + 1] && edge > least && edge < most) refined[++last] = edge;
    }
  }
  refined[++last] = Infinity;
  return refined.slice(0, last + 1);
}

/**
 * Adds half of each atom's mass to the cell that contains it and half to the cell before, because an atom may
 * be on an edge.
 */
function addMasses(
  weights: Float64Array,
  edges: Float64Array,
  positions: Float64Array,
  masses: Float64Array,
  share: number,
): void {
  let cell = 0;
  for (let i = 0; i < positions.length; i++) {
    while (cell < weights.length - 1 && positions[i] >= edges[cell + 1]) cell++;
    weights[cell] += (share * masses[i]) / 2;
    weights[Math.max(0, cell - 1)] += (share * masses[i]) / 2;
  }
}
