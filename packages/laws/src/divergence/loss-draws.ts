import { logBinomial, logSumExp } from '@lethe/numerics';
import { type RandomSource } from '@lethe/core';
import { logRatioAt, type ShiftedPair } from './shifted-pair.js';

/** Losses of one release, sampled under P tilted by `e^{λ·loss}`. */
export interface TiltedLosses {
  /** `log E_P e^{λ·loss}`. */
  readonly logMoment: number;
  /** Writes independent losses. */
  drawInto(out: Float64Array, random: RandomSource): Float64Array;
}

/**
 * Losses of a shifted pair under its P, tilted by `λ`. With Gaussian noise λ is an integer, and above 0 only
 * if Q is not shifted: then `p (p/q)^λ` is again a mixture of shifts. With Laplace noise without sampling any
 * λ is allowed.
 *
 * @returns `undefined` for unsupported tilts.
 */
export function tiltedLosses(pair: ShiftedPair, lambda: number): TiltedLosses | undefined {
  if (pair.noise.name === 'laplace') {
    if (pair.rate === 1) return laplaceLosses(pair.up + pair.down, lambda);
    return lambda === 0 ? untilted(pair) : undefined;
  }
  if (pair.down !== 0 && lambda > 0) return undefined;
  return lambda === 0 ? untilted(pair) : mixtureLosses(pair, lambda);
}

function untilted(pair: ShiftedPair): TiltedLosses {
  const { noise, rate, up } = pair;
  return {
    logMoment: 0,
    drawInto(out, random) {
      if (noise.name === 'gaussian') random.gaussianInto(out);
      else random.laplaceInto(out);
      for (let i = 0; i < out.length; i++)
        out[i] = logRatioAt(pair, rate === 1 || random.uniform() < rate ? out[i] + up : out[i]);
      return out;
    },
  };
}

/**
 * `((1 − r) N(0) + r N(μ))^{λ+1} / N(0)^λ`: shifts by kμ with weights
 * `C(λ+1, k) (1 − r)^{λ+1−k} r^k e^{(k² − k) μ²/2}`.
 */
function mixtureLosses(pair: ShiftedPair, lambda: number): TiltedLosses {
  const { rate, up } = pair;
  const order = lambda + 1;
  const logs = Array.from({ length: order + 1 }, (_, k) => {
    const logWeight = () => {
      if (rate === 1) return k === order ? 0 : -Infinity;
      return logBinomial(order, k) + k * Math.log(rate) + (order - k) * Math.log1p(-rate);
    };
    return logWeight() + ((k * k - k) * up * up) / 2;
  });
  const logMoment = logSumExp(logs);
  let below = 0;
  const cumulative = logs.map((log) => (below += Math.exp(log - logMoment)));
  return {
    logMoment,
    drawInto(out, random) {
      random.gaussianInto(out);
      for (let i = 0; i < out.length; i++) {
        const at = rate === 1 ? 0 : random.uniform() * below;
        let k = rate === 1 ? order : 0;
        while (k < order && cumulative[k] < at) k++;
        out[i] = logRatioAt(pair, out[i] + k * up);
      }
      return out;
    },
  };
}

/** Loss `s` up to 0, then `s − 2x` until it is `−s`: P is Laplace around 0 and Q around `s`. */
function laplaceLosses(s: number, lambda: number): TiltedLosses {
  const top = Math.exp(lambda * s) / 2;
  const bottom = Math.exp(-s - lambda * s) / 2;
  const speed = 1 + 2 * lambda;
  const middle = ((Math.exp(lambda * s) / 2) * -Math.expm1(-speed * s)) / speed;
  const total = top + middle + bottom;
  return {
    logMoment: Math.log(total),
    drawInto(out, random) {
      for (let i = 0; i < out.length; i++) {
        const at = random.uniform() * total;
        if (at < top) out[i] = s;
        else if (at < top + bottom) out[i] = -s;
        else out[i] = s + (2 * Math.log1p(((at - top - bottom) / middle) * Math.expm1(-speed * s))) / speed;
      }
      return out;
    },
  };
}
