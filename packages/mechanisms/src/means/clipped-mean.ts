import {
  boundedMean,
  clipBound,
  defineMean,
  referenceTo,
  resolvePlugin,
  type Clip,
  type Registry,
  type Resolved,
} from '@lethe/core';
import { addUp, divideUp, multiplyUp } from '@lethe/numerics';
import * as z from 'zod/mini';
import { l2Clip } from '../clips/l2-clip.js';
import { gaussian } from '../noise/gaussian.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { assertNoiseVariance } from './checks.js';

const params = z.strictObject({ clip: referenceTo('clip'), mechanism: referenceTo('mechanism') });
type Params = z.output<typeof params>;

const clipOf = ({ clip }: Params, registry: Registry): Resolved<Clip> => resolvePlugin<Clip>(registry, clip);

/**
 * Factor from the variance of one noisy entry to `E‖·‖²` in the norm
 * of the clip: the number of entries in ℓ2 and ℓ∞, its square in ℓ1.
 */
const noiseGain = ({ norm }: Clip, dimension: number): number =>
  norm === 'l1' ? multiplyUp(dimension, dimension) : dimension;

/**
 * `E‖Σ x‖² ≤ slots · E‖x‖²` for centred independent x in ℓ2; in
 * other norms up to the factor between them and ℓ2.
 */
const spread = ({ norm }: Clip, dimension: number): number => (norm === 'l2' ? 1 : dimension);

/**
 * Clips each record, averages over the slots and adds noise; any clip and any mechanism of the same norm.
 *
 * Sensitivity of the mean: `radius / slots` for a record that becomes null, leaves or enters, and twice that
 * for a replaced one. Where the size of a batch is hidden, `slots` is a public normaliser, such as its
 * expected size, never the realised count. Slots without a record count as zero.
 *
 * A clip with a `factor` makes the mean linear; a curator then computes
 * it without gradients for losses of one margin.
 *
 * Bias and variance are those of independent records with the moment: the bias is that of the clip, the
 * variance that of the noise and of a mean of clipped records. In ℓ1 and ℓ∞ both follow from ℓ2 bounds, with
 * a factor of at most the dimension.
 *
 * @param params - `clip` and `mechanism`: references, in one norm. The radius is from 1e-280 to 1e280.
 */
export const clippedMean = defineMean({
  name: 'clipped',
  summary: 'Mean of clipped records with noise.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 1' },
  params,
  examples: [
    { clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) },
    { clip: l2Clip({ radius: 0.25 }), mechanism: gaussian({}) },
  ],
  claims: [
    {
      property: 'sensitivity',
      statement: '2·radius/slots under replace-one, radius/slots under zero-out and add-remove',
    },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    {
      property: 'bias-bound',
      statement: 'that of the clip, whatever the number of slots',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 6' },
    },
    {
      property: 'variance-bound',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 6' },
      statement:
        'dimension · noise variance + E‖clip(z) − E clip(z)‖² / slots in ℓ2; ' +
        'in ℓ1 and ℓ∞ the second term counts dimension times, and in ℓ1 the first too',
    },
  ],
  ...boundedMean(({ clip }: Params, shape) => clipBound(shape, clip)),
  privacyRestsOn: 'clip',
  mechanism: ({ mechanism }) => mechanism,
  scaled(given, factor, registry) {
    const { plugin, params: own } = clipOf(given, registry);
    if (plugin.scaled === undefined) return null;
    return { clip: { name: plugin.name, params: plugin.scaled(own, factor) }, mechanism: given.mechanism };
  },
  biasBound(given, { slots, registry }, moment) {
    assertPublicSlots(slots);
    const { plugin, params: own } = clipOf(given, registry);
    return plugin.biasBound(own, moment);
  },
  varianceBound(given, { dimension, slots, registry }, moment, noiseVariance) {
    assertPublicSlots(slots);
    assertNoiseVariance(noiseVariance);
    const { plugin, params: own } = clipOf(given, registry);
    const clipped = divideUp(multiplyUp(spread(plugin, dimension), plugin.varianceBound(own, moment)), slots);
    return addUp(multiplyUp(noiseGain(plugin, dimension), noiseVariance), clipped);
  },
});
