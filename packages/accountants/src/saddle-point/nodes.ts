import { type Factor, type TotalTilt, unit } from './tilt.js';

/**
 * The factor of the integrand at `λ + it` that does not depend on ε: modulus, phase about the mean, and
 * absolute error.
 */
export interface Node {
  readonly t: number;
  readonly modulus: number;
  readonly phase: number;
  readonly error: number;
}

/**
 * After this many nodes, sines are computed afresh; the nodes between are obtained by rotating from the node
 * before.
 */
const turns = 16;
const usualNodes = 256;
const mostNodes = 1 << 14;
/** The sum stops at a node whose modulus is below this. */
const negligible = 1e-13;

/**
 * Modulus and phase about the mean of the tilted sum's characteristic function, at multiples of `step` up to
 * where it is negligible.
 *
 * With `u = e^{itx} − 1` and `d = e^{i step x} − 1`, the value at the next node is `u + d + ud`. Each
 * rotation adds at most `8 (|u| + |d| + |u||d|)` half units to the error of `u`, which is below `32 t|x|`;
 * after {@link turns} nodes sines are computed afresh.
 *
 * @param mostRotations - For more than the usual number of nodes: how many of them times atoms there may be.
 */
export function nodesOf(
  factors: readonly Factor[],
  { parts }: TotalTilt,
  step: number,
  mostRotations = 0,
): readonly Node[] {
  const rotations = factors.map(({ atoms: { positions } }, index) =>
    rotationsOf(positions, parts[index].mean, step),
  );
  const atoms = factors.reduce((sum, { atoms: { positions } }) => sum + positions.length, 0);
  const most = Math.max(usualNodes, Math.min(mostNodes, mostRotations / Math.max(1, atoms)));
  const nodes: Node[] = [];
  for (let n = 1; n <= most && (n === 1 || nodes[n - 2].modulus > negligible); n++) {
    const t = n * step;
    let log = 0;
    let phase = 0;
    let error = 0;
    factors.forEach(({ atoms: { positions }, count }, index) => {
      const { weights, mean, variance, exponent } = parts[index];
      const { real, imaginary } = (n % turns === 1 ? fromSines : rotated)(rotations[index], weights, t);
      const logModulus = Math.log1p(real * (2 + real) + imaginary * imaginary) / 2;
      const argument = Math.atan2(imaginary, 1 + real);
      log += count * logModulus;
      phase += count * argument;
      // Each term's relative error comes from its angle, its weight and the additions, of which there are at
      // most as many as atoms.
      error +=
        count *
        unit *
        (t * Math.sqrt(variance) * (64 + 32 * turns + 4 * exponent + positions.length) +
          8 * Math.abs(logModulus) +
          8 * Math.abs(argument) +
          t * Math.abs(mean) * 4);
    });
    nodes.push({
      t,
      modulus: Math.exp(log),
      phase,
      error: error + 16 * unit * Math.exp(log) * (1 + Math.abs(log)),
    });
  }
  return nodes;
}

/** The atoms' offsets from their mean, `e^{itx} − 1` for each, and the same for one step. */
interface Rotations {
  readonly offsets: Float64Array;
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
  readonly stepReal: Float64Array;
  readonly stepImaginary: Float64Array;
}

interface Sum {
  readonly real: number;
  readonly imaginary: number;
}

function rotationsOf(positions: Float64Array, mean: number, step: number): Rotations {
  const offsets = positions.map((position) => position - mean);
  const stepReal = offsets.map((offset) => -2 * Math.sin((step * offset) / 2) ** 2);
  const stepImaginary = offsets.map((offset) => Math.sin(step * offset));
  return { offsets, real: stepReal.slice(), imaginary: stepImaginary.slice(), stepReal, stepImaginary };
}

/** The weighted sum of all `e^{itx} − 1`, computed with sines. */
function fromSines({ offsets, real, imaginary }: Rotations, weights: Float64Array, t: number): Sum {
  let [sum, side] = [0, 0];
  for (let i = 0; i < offsets.length; i++) {
    const angle = t * offsets[i];
    const half = Math.sin(angle / 2);
    real[i] = -2 * half * half;
    imaginary[i] = Math.sin(angle);
    sum += weights[i] * real[i];
    side += weights[i] * imaginary[i];
  }
  return { real: sum, imaginary: side };
}

/** The same sum one step further, by rotation. */
function rotated({ real, imaginary, stepReal, stepImaginary }: Rotations, weights: Float64Array): Sum {
  let [sum, side] = [0, 0];
  for (let i = 0; i < real.length; i++) {
    const a = real[i];
    const b = imaginary[i];
    const p = stepReal[i];
    const q = stepImaginary[i];
    const x = a + p + (a * p - b * q);
    const y = b + q + (a * q + b * p);
    real[i] = x;
    imaginary[i] = y;
    sum += weights[i] * x;
    side += weights[i] * y;
  }
  return { real: sum, imaginary: side };
}
