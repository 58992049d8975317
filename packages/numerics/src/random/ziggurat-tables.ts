import { exponentialOf, logarithmOf } from '../linalg/elementary.js';

/**
 * A ziggurat of 256 layers of equal area under a decreasing density `f` with `f(0) = 1` (Marsaglia and Tsang
 * 2000). Entry i of `layers` is the pair (2⁻⁵² x[i], x[i+1]) of its widths; `heights[i] = f(x[i])`. Layer 0
 * is the base with the tail, whose width is its area divided by `f` at the edge.
 */
export interface Ziggurat {
  readonly edge: number;
  readonly layers: Float64Array;
  readonly heights: Float64Array;
}

const LAYERS = 256;

function ziggurat(
  edge: number,
  area: number,
  density: (x: number) => number,
  inverse: (height: number) => number,
): Ziggurat {
  const widths = new Float64Array(LAYERS + 1);
  widths[0] = area / density(edge);
  widths[1] = edge;
  for (let i = 2; i < LAYERS; i++) widths[i] = inverse(area / widths[i - 1] + density(widths[i - 1]));
  const layers = new Float64Array(2 * LAYERS);
  for (let i = 0; i < LAYERS; i++) {
    layers[2 * i] = widths[i] * 2 ** -52;
    layers[2 * i + 1] = widths[i + 1];
  }
  return { edge, layers, heights: widths.map((x) => density(x)) };
}

let tables: { readonly gaussian: Ziggurat; readonly exponential: Ziggurat } | undefined;

/** The edges and areas solve "256 equal layers close exactly at the top" for exp(−x²/2) and exp(−x). */
export function zigguratTables(): { readonly gaussian: Ziggurat; readonly exponential: Ziggurat } {
  tables ??= {
    gaussian: ziggurat(
      3.654152885361009,
      0.004928673233974655,
      (x) => exponentialOf(x * x * -0.5),
      (y) => Math.sqrt(-2 * logarithmOf(y)),
    ),
    exponential: ziggurat(
      7.69711747013105,
      0.003949659822581557,
      (x) => exponentialOf(-x),
      (y) => -logarithmOf(y),
    ),
  };
  return tables;
}
