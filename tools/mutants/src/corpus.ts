import type { Mutant, Tight } from './mutant.js';

/** Exports of each folder of this tree. */
interface Folder {
  readonly [name: string]: unknown;
}

const isMutant = (value: unknown): value is Mutant =>
  typeof value === 'object' && value !== null && 'killedBy' in value;
const isTight = (value: unknown): value is Tight =>
  typeof value === 'object' && value !== null && 'plant' in value && !('killedBy' in value);
const each = <T>(folders: Record<string, Folder>, is: (value: unknown) => value is T): readonly T[] =>
  Object.values(folders).flatMap((folder) => Object.values(folder).filter(is));
const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** Every mutant, by id. Files are found by a glob: a new file needs no list. */
export const mutants: readonly Mutant[] = each(
  import.meta.glob<Folder>(['./*/*.ts', '!./*/index.ts', '!./reference/*', '!./tight/*', '!./**/*.test.ts'], {
    eager: true,
  }),
  isMutant,
).toSorted(byId);

/** Every correct subject that no law may reject. */
export const tightSubjects: readonly Tight[] = each(
  import.meta.glob<Folder>('./tight/*.ts', { eager: true }),
  isTight,
).toSorted(byId);

/** The mutants of the design's list, which every accepted change must detect; the others are additional. */
export const coreIds: readonly string[] = [
  'mechanism/noise-0-9-times-scale',
  'mechanism/variance-passed-standard-deviation-expected',
  'mechanism/classical-root-2-ln-1-25-delta',
  'mechanism/one-draw-added-every-entry',
  'mechanism/source-seeded-anew-every-call',
  'mechanism/last-entry-gets-no-noise',
  'mechanism/one-call-hundred-adds-no-noise',
  'mechanism/laplace-noise-same-variance-goes-name-gaussian',
  'release/noise-sparse-vector-queries-not-grow-number',
  'mechanism/laplace-noise-inverting-distribution-function-doubles-said',
  'curator/scale-follows-number-records-not-public-normaliser',
  'mean/sensitivity-asymmetric-bounds-lower-one',
  'accountant/replacing-record-given-sensitivity-removing-one',
  'release/shuffled-batches-accounted-poisson-samples',
  'optimizer/steps-counted-epochs',
  'ledger/two-releases-one-run-one-batch-charged',
  'accountant/privacy-losses-record-removed-not-one-added',
  'accountant/privacy-losses-rounded-down-grid',
  'accountant/asking-epsilon-takes-last-run-out-history',
  'mean/mean-clipped-not-each-record',
  'clip/every-layer-clipped-radius-whole-root-layers',
  'clip/coordinates-clipped-l2-norm-claimed',
  'mean/divisor-number-records-came-not-public-number',
  'mean/copy-clipped-record-summed',
  'clip/min-1-radius-norm-lets-nan-through',
  'mean/radius-mean-norm-raw-batch-smaller',
  'mean/means-micro-batches-clipped-replaced-record-said',
  'sketch/random-subset-not-scaled-dimension-size',
  'sketch/shuffle-behind-random-subset-swaps-any-place',
  'mean/countsketch-one-sign-all-rows-no-longer',
  'local-randomiser/stochastic-rounding-starts-trunc-instead-floor-negative',
  'prefix-sum/noise-node-drawn-again-each-query',
  'prefix-sum/running-sums-end-block-2-k-steps',
  'prefix-sum/depth-tree-taken-log2-t-instead-log2',
  'curator/noise-divided-batch-size-twice',
  'optimizer/raw-gradient-enters-momentum',
  'mechanism/every-worker-draws-share-noise-one-stream',
  'sampler/batches-fixed-size-qn-declared-poisson-samples',
  'curator/empty-batch-skipped-without-noise',
  'mean/earlier-records-count-less-order-records-decides',
];

/** The seeds on which a mutant must be detected. The first is that of every suite. */
export const seeds = ['lethe', 'lethe-2', 'lethe-3', 'lethe-4'] as const;
