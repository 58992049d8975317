import { impulseResponse, type BufferedToeplitz, type ImpulseResponse } from './buffered-inverse.js';
import { doubleGeometricSum, geometricSum } from './geometric-sum.js';

/** `1 − x y`, at least 0. */
const productComplement = (x: number, xComplement: number, y: number, yComplement: number): number =>
  x < 0 && y < 0 ? Math.max(0, 1 + x - x * (1 + y)) : xComplement + x * yComplement;

/** `Σ` over all products of two terms of the response of a sum over powers of the product's ratio. */
function overPairs(
  { limit, weights, decays, complements }: ImpulseResponse,
  ofOne: number,
  ofRatio: (ratio: number, complement: number) => number,
): number {
  let sum = limit * limit * ofOne;
  for (let i = 0; i < weights.length; i++) {
    sum += 2 * limit * weights[i] * ofRatio(decays[i], complements[i]);
    for (let j = 0; j <= i; j++) {
      const pair = (i === j ? 1 : 2) * weights[i] * weights[j];
      sum +=
        pair *
        ofRatio(
          decays[i] * decays[j],
          productComplement(decays[i], complements[i], decays[j], complements[j]),
        );
    }
  }
  return sum;
}

/** Squared norm of row `step` of `A C^{-1}`. */
export const rowVariance = (response: ImpulseResponse, step: number): number =>
  overPairs(response, step + 1, (ratio, complement) => geometricSum(ratio, complement, step + 1));

/** {@link rowVariance} of the first steps, by adding squares from one closed form to the next. */
export function rowVariancesInto(out: Float64Array, response: ImpulseResponse): void {
  const { limit, weights, decays } = response;
  const parts = new Float64Array(weights.length);
  for (let step = 0, variance = 0; step < out.length; step++) {
    if (step % 256 === 0) {
      for (let i = 0; i < parts.length; i++) parts[i] = weights[i] * decays[i] ** step;
      variance = rowVariance(response, step);
    } else {
      let entry = limit;
      for (let i = 0; i < parts.length; i++) {
        parts[i] *= decays[i];
        entry += parts[i];
      }
      variance += entry * entry;
    }
    out[step] = variance;
  }
}

/** Mean of the squared norms of the first `steps` rows. */
export const meanVariance = (response: ImpulseResponse, steps: number): number =>
  overPairs(response, ((steps + 1) / 2) * steps, (ratio, complement) =>
    doubleGeometricSum(ratio, complement, steps),
  ) / steps;

const responses = new WeakMap<BufferedToeplitz, ImpulseResponse>();

/** {@link impulseResponse}, found once for each object of parameters. */
export function responseOf(params: BufferedToeplitz): ImpulseResponse {
  let response = responses.get(params);
  if (response === undefined) responses.set(params, (response = impulseResponse(params)));
  return response;
}
