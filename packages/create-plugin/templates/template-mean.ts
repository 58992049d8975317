import { addUp, divideUp, multiplyUp, powDown } from '@lethe/numerics';
import { defineMean, InvalidParameter, type Moment, type Vector } from '@lethe/core';
import * as z from 'zod';

/**
 * Drops each record longer than the radius, averages over the slots,
 * adds Gaussian noise. Say here what one record can move, and why.
 *
 * @param params - `radius`: positive, at most 1e100 so that nothing overflows, in the unit of the records.
 */
export const templateMean = defineMean({
  name: 'template-mean',
  summary: 'Mean of the records within a radius, with Gaussian noise.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({ radius: z.number().min(1e-100).max(1e100) }),
  examples: [{ radius: 1 }],
  claims: [
    {
      property: 'sensitivity',
      statement: '2·radius/slots under replace-one, radius/slots under zero-out and add-remove',
    },
    { property: 'sensitivity-attained', statement: 'by opposite records on the sphere, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    { property: 'bias-bound', statement: 'E‖z‖^k / radius^(k−1), whatever the number of slots' },
    { property: 'variance-bound', statement: 'dimension · noise variance + radius² / slots' },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  hiddenSize: true,
  mechanism: () => ({ kind: 'mechanism', name: 'gaussian', params: {} }),
  norm: () => 'l2',
  sensitivity({ radius }, { slots }) {
    const one = divideUp(radius, positive('slots', slots));
    return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
  },
  begin({ radius }, { dimension, slots }) {
    positive('slots', slots);
    const sum = new Float64Array(dimension);
    return {
      add(_slot, gradient) {
        if (gradient.length !== dimension)
          throw new InvalidParameter(
            `a vector of length ${gradient.length} was added; the mean has dimension ${dimension}`,
            { length: gradient.length, dimension },
          );
        if (isWithin(gradient, radius)) for (let j = 0; j < dimension; j++) sum[j] += gradient[j];
      },
      value: () => sum.map((total) => total / slots),
      finish: (noised) => noised,
    };
  },
  scaled: ({ radius }, factor) => ({ radius: radius * factor }),
  event: (_params, noise) => noise,
  biasBound({ radius }, { slots }, moment) {
    positive('slots', slots);
    assertMoment(moment);
    return divideUp(moment.value, powDown(radius, moment.order - 1));
  },
  varianceBound({ radius }, { dimension, slots }, moment, noiseVariance) {
    assertMoment(moment);
    if (!(noiseVariance >= 0 && noiseVariance < Infinity))
      throw new InvalidParameter(
        `a noise variance of ${noiseVariance} was given; it must be finite and at least 0`,
        { noiseVariance },
      );
    return addUp(
      multiplyUp(dimension, noiseVariance),
      divideUp(multiplyUp(radius, radius), positive('slots', slots)),
    );
  },
});

/**
 * Compares ratios, so that nothing overflows or underflows
 * where it matters; false when an entry is not finite.
 */
function isWithin(vector: Vector, radius: number): boolean {
  let sum = 0;
  for (const entry of vector) sum += (entry / radius) ** 2;
  return sum <= 1;
}

function positive(name: string, value: number): number {
  if (value > 0 && value < Infinity) return value;
  throw new InvalidParameter(`${name} is ${value}; it must be positive and finite`, { [name]: value });
}

function assertMoment({ order, value }: Moment): void {
  if (order >= 2 && order < Infinity && value >= 0 && value < Infinity) return;
  throw new InvalidParameter(
    `a moment of order ${order} and value ${value} was given; it needs a finite order of at least 2 and ` +
      'a finite value that is not negative',
    { order, value },
  );
}
