import { exponentialOf, logarithmOf } from '../linalg/elementary.js';
import { zigguratTables, type Ziggurat } from './ziggurat-tables.js';

/** Writes the next 64 bits of a stream to `words` (low, high). */
export type NextWord = (words: Uint32Array) => void;

const words = new Uint32Array(2);
const two52 = 2 ** -52;

/** Uniform in (0, 1), one word. */
function unit(next: NextWord): number {
  next(words);
  return (words[1] * 2 ** 20 + (words[0] >>> 12) + 0.5) * two52;
}

/** One N(0, 1), by the same operations as the kernel. */
export function gaussianFrom(next: NextWord): number {
  const { layers, heights, edge } = zigguratTables().gaussian;
  for (;;) {
    next(words);
    const layer = words[0] & 255;
    const x = ((words[1] | 0) * 2 ** 21 + (words[0] >>> 11) + 0.5) * layers[2 * layer];
    if (Math.abs(x) < layers[2 * layer + 1]) return x;
    if (layer === 0) {
      for (;;) {
        const far = logarithmOf(unit(next)) * (-1 / edge);
        if (-2 * logarithmOf(unit(next)) >= far * far) return x < 0 ? -(edge + far) : edge + far;
      }
    }
    if (inWedge(layer, heights, unit(next), x * x * -0.5)) return x;
  }
}

/**
 * One exponential with mean 1, or one Laplace with scale 1 (`signed`), by the same operations as the kernel.
 */
export function exponentialFrom(next: NextWord, signed: boolean): number {
  const { layers, heights, edge }: Ziggurat = zigguratTables().exponential;
  for (;;) {
    next(words);
    const layer = words[0] & 255;
    const negative = signed && (words[0] & 256) !== 0;
    const x = (words[1] * 2 ** 20 + (words[0] >>> 12) + 0.5) * layers[2 * layer];
    let size: number | null = null;
    if (x < layers[2 * layer + 1]) size = x;
    else if (layer === 0) size = edge - logarithmOf(unit(next));
    else if (inWedge(layer, heights, unit(next), -x)) size = x;
    if (size !== null) return negative ? -size : size;
  }
}

const inWedge = (layer: number, heights: Float64Array, u: number, logDensity: number): boolean =>
  heights[layer] + u * (heights[layer + 1] - heights[layer]) < exponentialOf(logDensity);
