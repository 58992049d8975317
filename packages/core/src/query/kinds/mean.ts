import type { Batch } from '../basics.js';
import { vectorAnswer } from '../answer.js';
import { gradient, termsOf, type Gradient } from '../parts/gradient.js';
import { bound, noise, target } from '../parts/noise.js';
import { batch } from '../parts/tokens.js';
import { row, type ExampleParts } from '../row.js';
import { reference, variant, type RecordOf, type VariantOf } from '../schema.js';

const releases = {
  noise: { bound, noise },
  oracle: { oracle: reference('meanOracle'), target },
  shuffle: { randomiser: reference('localRandomiser'), target },
};
type Release = VariantOf<'by', typeof releases>;

const fields = {
  of: gradient,
  batch,
  release: variant('by', releases),
};
type Mean = RecordOf<typeof fields>;

/** A mean with noise of all the records of a batch at the origin. */
export const overall = ({ dimension, clip, mechanism }: Pick<ExampleParts, 'dimension' | 'clip' | 'mechanism'>, over: Batch): Mean & { readonly ask: 'mean' } => ({
  ask: 'mean', of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] }, batch: over,
  release: { by: 'noise', bound: { by: 'clip', clip }, noise: { mechanism, target: { noiseMultiplier: 1.5 } } },
});

/** A private mean `(1/normaliser) Σ_batch`. */
export const mean = row({
  fields, answer: vectorAnswer,
  build: (input: Gradient & Pick<Mean, 'batch' | 'release'>): Mean => ({ of: termsOf(input), batch: input.batch, release: input.release }),
  examples: ({ allRecords, dimension, clip, mechanism, oracle, randomiser }) => {
    const point = (value: number): Float64Array => new Float64Array(dimension).fill(value);
    const two = { terms: [{ weight: 2, at: point(0.5) }, { weight: -1, at: point(0) }], coordinates: Uint32Array.of(0, 2) };
    const one = { terms: [{ weight: 2, at: point(0.5) }] };
    const noised = { mechanism, target: { noiseMultiplier: 1.5 } };
    const forms: { readonly [By in Release['by']]: { readonly of: Mean['of']; readonly release: Extract<Release, { readonly by: By }> } } = {
      noise: { of: two, release: { by: 'noise', bound: { by: 'clip', clip }, noise: noised } },
      oracle: { of: one, release: { by: 'oracle', oracle, target: { rho: 0.5 } } },
      shuffle: { of: one, release: { by: 'shuffle', randomiser, target: { epsilon: 0.25, delta: 1e-6 } } },
    };
    return {
      ...Object.fromEntries(Object.values(forms).map(({ of, release }) => [`a mean by ${release.by}`, { query: () => ({ of, batch: allRecords, release }) }])),
      'a certified mean': { query: () => ({ of: two, batch: allRecords, release: { by: 'noise', bound: { by: 'certificate', fact: 'lipschitz' }, noise: noised } }) },
    };
  },
});
