import type { PrivacyEvent } from '../../events/schema.js';
import { batchAnswer } from '../answer.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row, type Examples } from '../row.js';
import { reference, withKind, type RecordOf } from '../schema.js';
import { overall } from './mean.js';

const fields = {
  sampler: reference('sampler'),
  from: batch,
  /**
   * Total cost of the releases of the scope, before amplification. It is charged here, so that releases may
   * depend on answers of the scope. Required of a run without a plan under a limit.
   */
  costs: { optional: withKind<PrivacyEvent>() },
};

/** Draws a secret batch with fresh curator randomness and opens a scope. */
export const draw = row({
  fields,
  answer: batchAnswer,
  build: asWritten<RecordOf<typeof fields>>,
});

/** Examples of {@link draw}. */
export const drawExamples: Examples<typeof draw> = ({
  allRecords,
  sampler,
  exactSampler,
  dimension,
  mean,
}) => {
  const after = (drawn: typeof allRecords): readonly object[] => [overall({ dimension, mean }, drawn)];
  const sensitivity = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
  const costs = {
    kind: 'core/compose',
    v: 1,
    parts: [{ event: { kind: 'core/gaussian', v: 1, sigma: 1.5, sensitivity }, count: 2 }],
  } as PrivacyEvent;
  return {
    'a draw': { query: () => ({ sampler, from: allRecords }), after },
    'a draw of a fixed size': { query: () => ({ sampler: exactSampler, from: allRecords }), after },
    'a draw that states its costs': { query: () => ({ sampler, from: allRecords, costs }), after },
  };
};
