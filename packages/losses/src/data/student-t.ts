import type { DataRandom } from './random-source.js';

/** Standard normals one at a time, drawn in blocks. */
function normalStream(random: DataRandom): () => number {
  const block = new Float64Array(1024);
  let next = block.length;
  return () => {
    if (next === block.length) {
      random.gaussianInto(block);
      next = 0;
    }
    return block[next++] as number;
  };
}

/**
 * Logarithms of Gamma(shape, 1) variates, shape > 0: exact rejection from a cubed normal, and for shape < 1
 * the identity Gamma(a) = Gamma(a + 1) · U^(1/a) (Marsaglia & Tsang 2000). The logarithm survives tiny
 * shapes, where the variate underflows.
 */
export function logGammaStream(shape: number, random: DataRandom): () => number {
  const normal = normalStream(random.fork('normal'));
  const randomness = random.fork('uniform');
  const d = (shape < 1 ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);

  function positiveUniform(): number {
    for (;;) {
      const u = randomness.uniform();
      if (u > 0) return u;
    }
  }
  return () => {
    const boost = shape < 1 ? Math.log(positiveUniform()) / shape : 0;
    for (;;) {
      const z = normal();
      const v = (1 + c * z) ** 3;
      if (v > 0 && Math.log(positiveUniform()) < (z * z) / 2 + d * (1 - v + Math.log(v)))
        return boost + Math.log(d * v);
    }
  };
}

/**
 * Student-t variates saturate here; with at least 0.1 degrees of freedom the chance is below 1e-14 per draw.
 */
export const studentTLimit = 1e150;

/**
 * Fills `out` with independent Student-t variates: a normal over the
 * root of an independent chi-square over its degrees of freedom.
 */
export function studentTInto(out: Float64Array, degreesOfFreedom: number, random: DataRandom): Float64Array {
  const logGamma = logGammaStream(degreesOfFreedom / 2, random.fork('chi-square'));
  random.fork('numerator').gaussianInto(out);
  const logHalf = Math.log(degreesOfFreedom / 2);
  for (let index = 0; index < out.length; index++) {
    const value = (out[index] as number) * Math.min(Math.exp((logHalf - logGamma()) / 2), Number.MAX_VALUE);
    out[index] = Math.min(Math.max(value, -studentTLimit), studentTLimit);
  }
  return out;
}
