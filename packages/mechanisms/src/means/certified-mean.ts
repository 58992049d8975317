import {
  boundedMean,
  defineMean,
  factBound,
  referenceTo,
  type MeanShape,
  type RecordBound,
} from '@lethe/core';
import { addUp, divideUp, multiplyUp } from '@lethe/numerics';
import * as z from 'zod/mini';
import { assertMoment, cappedSquareUp } from '../clips/moment.js';
import { gaussian } from '../noise/gaussian.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { assertNoiseVariance } from './checks.js';

const params = z.strictObject({
  mechanism: referenceTo('mechanism'),
  fact: z._default(z.string().check(z.minLength(1)), 'lipschitz'),
});
type Params = z.output<typeof params>;

const boundOf = ({ fact }: Params, shape: MeanShape): RecordBound => factBound(shape, fact);

/**
 * The average of gradients that a fact bounds for every record, with noise. The curator scales longer vectors
 * down to the bound: no change if the fact is true, and the sensitivity holds if it is false. For some
 * coordinates only, `lipschitz` is the constant along these. The bound is a fact of the data set and no
 * parameter, so the mean cannot be scaled to other units.
 *
 * Bias and variance bounds are for independent records that satisfy the fact.
 *
 * @param params - `mechanism`: for sensitivities in ℓ2. `fact`: of the data set, `lipschitz` if left out.
 */
export const certifiedMean = defineMean({
  name: 'certified',
  summary: 'Mean of records within a certified bound, with noise.',
  source: { id: 'bassily-feldman-talwar-thakurta-2019', item: 'noisy stochastic gradient descent' },
  params,
  examples: [{ mechanism: gaussian({}) }],
  claims: [
    {
      property: 'sensitivity',
      statement: '2·bound/slots under replace-one, bound/slots under zero-out and add-remove',
    },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    {
      property: 'variance-bound',
      statement: 'dimension · noise variance + min(bound², (E‖z‖^k)^(2/k)) / slots',
    },
  ],
  ...boundedMean(boundOf),
  privacyRestsOn: 'every-record constants',
  mechanism: ({ mechanism }) => mechanism,
  biasBound(_params, { slots }, moment) {
    assertPublicSlots(slots);
    assertMoment(moment);
    return 0;
  },
  varianceBound(given, shape, moment, noiseVariance) {
    const { dimension, slots } = shape;
    assertPublicSlots(slots);
    assertNoiseVariance(noiseVariance);
    return addUp(
      multiplyUp(dimension, noiseVariance),
      divideUp(cappedSquareUp(moment, boundOf(given, shape).radius), slots),
    );
  },
});
