import type { PrivacyLossDistribution } from '@lethe/core';
import type { Enclosure } from './atoms.js';
import { tilt } from './tilt.js';

/** Share of the untilted law, so that no place with mass is lost. */
const untilted = 1e-6;

/** Edges that see losses of every size, `perOctave` to the octave. */
export function firstEdges({ support: { least, most } }: PrivacyLossDistribution, perOctave = 4): Float64Array {
  const sizes = Array.from({ length: 110 * perOctave + 1 }, (_, i) => 2 ** (i / perOctave - 60));
  const inside = [...sizes.toReversed().map((size) => -size), 0, ...sizes].filter((edge) => edge > least && edge < most);
  return Float64Array.from([-Infinity, ...inside, Infinity]);
}

/**
 * About `cells` cells for a tilt by `lambda`, from what coarser ones have told: the error of a cell grows with its weight and the square of its
 * width, so that their sum is least with as many cells to a place as the cube root of that says.
 */
export function refineEdges(edges: Float64Array, distribution: PrivacyLossDistribution, { lower, upper }: Enclosure, lambda: number, cells: number): Float64Array {
  const count = edges.length - 1;
  const weights = new Float64Array(count);
  spread(weights, edges, lower.positions, tilt(lower, lambda).weights, 1);
  spread(weights, edges, upper.positions, tilt(upper, lambda).weights, 1);
  spread(weights, edges, lower.positions, tilt(lower, 0).weights, untilted);
  const { least, most } = distribution.support;
  const widths = weights.map((_, i) => Math.min(edges[i + 1], most) - Math.max(edges[i], least));
  const shares = weights.map((weight, i) => (Number.isFinite(widths[i]) ? Math.cbrt(weight * widths[i] * widths[i]) : 0));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const held = weights.reduce((sum, weight) => sum + (weight > 0 ? 1 : 0), 0);
  const refined: number[] = [-Infinity];
  for (let i = 0; i < count; i++) {
    const start = Math.max(edges[i], least);
    if (i > 0 && (weights[i] > 0 || weights[i - 1] > 0)) refined.push(edges[i]);
    if (!(weights[i] > 0) || !Number.isFinite(widths[i]) || total === 0) continue;
    const parts = Math.ceil((shares[i] / total) * Math.max(cells / 4, cells - held));
    for (let j = 1; j < parts; j++) {
      const edge = start + (widths[i] * j) / parts;
      if (edge > refined[refined.length - 1]! && edge < edges[i + 1] && edge > least && edge < most) refined.push(edge);
    }
  }
  refined.push(Infinity);
  return Float64Array.from(refined);
}

/** Adds what atoms hold to the cells they are in, half of it to the cell before where one is on an edge. */
function spread(weights: Float64Array, edges: Float64Array, positions: Float64Array, masses: Float64Array, share: number): void {
  let cell = 0;
  for (let i = 0; i < positions.length; i++) {
    while (cell < weights.length - 1 && positions[i] >= edges[cell + 1]) cell++;
    weights[cell] += (share * masses[i]) / 2;
    weights[Math.max(0, cell - 1)] += (share * masses[i]) / 2;
  }
}
