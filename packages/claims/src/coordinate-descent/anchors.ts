import type { ConvergenceSubject } from './convergence-subject.js';
import { bitsOf, type Quadratic } from './quadratics.js';
import { sketchCase, type SketchInput } from './sketch-inputs.js';

/** A small run with known expectations. */
export interface Anchor {
  readonly name: 'A' | 'B' | 'C' | 'D';
  readonly hessian: readonly number[];
  readonly smoothness: readonly number[];
  readonly sketch: SketchInput;
  /** Noise scale of each set, by its bits. */
  readonly noise: Readonly<Record<number, number>>;
  readonly start: readonly number[];
  readonly innerSteps: number;
  readonly rounds: number;
  /**
   * Known: `E f(θ^k)` of each round where given, `E f(w^t)`, `N`,
   * `N′`, and the right sides of Lemma E.1 and of the sharper bound.
   */
  readonly risks: readonly (readonly number[])[];
  readonly averages: readonly number[];
  readonly stepNoise: number;
  readonly riskNoise: number;
  readonly bounds?: readonly [stated: number, sharp: number];
}

const tridiagonal = { hessian: [3, 1, 0, 1, 2, -0.5, 0, -0.5, 1], smoothness: [4, 3.5, 1.5] };

/** Singles, pairs, blocks with a restart, and all coordinates with a restart. */
export const anchors: readonly Anchor[] = [
  {
    name: 'A',
    hessian: [4, 1, 1, 2],
    smoothness: [5, 3],
    sketch: { family: 'single', choice: [1, 3] },
    noise: { 1: 0.5, 2: 0.2 },
    start: [1, -2],
    innerSteps: 3,
    rounds: 1,
    risks: [[4, 2.388_333_333_333_333_6, 1.582_361_111_111_111_3, 1.125_836_342_592_592_6]],
    averages: [1.530_807_047_325_102_8],
    stepNoise: 0.063_333_333_333_333_34,
    riskNoise: 0.0225,
    bounds: [7.396_666_666_666_666_5, 6.042_916_666_666_667],
  },
  {
    name: 'B',
    ...tridiagonal,
    sketch: { family: 'nice', tau: 2 },
    noise: { 3: 0.3, 5: 0.1, 6: 0.4 },
    start: [1, 1, -1],
    innerSteps: 4,
    rounds: 1,
    risks: [
      [
        4.5, 1.022_520_313_681_028, 0.377_440_234_405_574_56, 0.192_838_574_360_177_26,
        0.121_025_523_265_901_42,
      ],
    ],
    averages: [0.275_010_805_971_086_57],
    stepNoise: 0.104_880_952_380_952_41,
    riskNoise: 0.069_920_634_920_634_92,
    bounds: [2.917_380_952_380_952_4, 1.774_900_793_650_793_7],
  },
  {
    name: 'C',
    ...tridiagonal,
    sketch: { family: 'blocks', blocks: [[0, 2], [1]], choice: [2, 3] },
    noise: { 5: 0.2, 2: 0.1 },
    start: [2, -1, 0.5],
    innerSteps: 2,
    rounds: 2,
    risks: [
      [5.375, 3.632_614_512_471_655, 2.457_566_235_262_056_4],
      [2.872_728_768_620_071, 1.964_598_101_515_166, 1.345_253_137_302_998_3],
    ],
    averages: [2.872_728_768_620_071, 1.564_587_492_933_014_1],
    stepNoise: 0.039_523_809_523_809_53,
    riskNoise: 0.016_380_952_380_952_385,
  },
  {
    name: 'D',
    hessian: [2, 0, 0, 8],
    smoothness: [2, 8],
    sketch: { family: 'full' },
    noise: { 3: 1 },
    start: [3, -1],
    innerSteps: 4,
    rounds: 2,
    risks: [
      [13, 0.3125, 0.3125, 0.3125, 0.3125],
      [0.078_125, 0.3125, 0.3125, 0.3125, 0.3125],
    ],
    averages: [0.078_125, 0.078_125],
    stepNoise: 0.625,
    riskNoise: 0.625,
  },
];

/** The problem of an anchor. */
export function anchored(
  subject: ConvergenceSubject,
  { hessian, smoothness, sketch, noise, start }: Anchor,
): Quadratic {
  const M = Float64Array.from(smoothness);
  return {
    dimension: M.length,
    hessian: Float64Array.from(hessian),
    smoothness: M,
    start: Float64Array.from(start),
    noiseScale: (coordinates) => noise[bitsOf(coordinates)],
    ...sketchCase(subject, sketch, M),
  };
}
