import type { Ref } from '../../plugins/plugin.js';
import { vectorAnswer } from '../answer.js';
import { statistic } from '../parts/statistic.js';
import { batch } from '../parts/tokens.js';
import { row, type Examples } from '../row.js';
import {
  list,
  number,
  record,
  reference,
  variant,
  vector,
  type RecordOf,
  type VariantOf,
} from '../schema.js';

const among = {
  list: { points: list(vector) },
  lattice: { domain: reference('domain'), spacing: number, sparsity: number },
};
/** Public points to choose from: a list, or the sparse points of a lattice in a domain. */
export type Candidates = VariantOf<'by', typeof among>;

const fields = {
  candidates: variant('by', among),
  statistic,
  batch,
  selector: reference('selector'),
  target: record({ epsilon: number }),
};
type Choose = RecordOf<typeof fields>;

const exponential: Ref<'selector'> = Object.freeze({
  kind: 'selector',
  name: 'exponential',
  params: Object.freeze({}),
});

/** One of public candidates, chosen by a selector; the smallest statistic is favoured. */
export const choose = row({
  fields,
  answer: vectorAnswer,
  build: (input: Omit<Choose, 'selector'> & Partial<Pick<Choose, 'selector'>>): Choose => ({
    selector: exponential,
    ...input,
  }),
});

/** Examples of {@link choose}. */
export const chooseExamples: Examples<typeof choose> = ({ allRecords, dimension, domain, selector }) => {
  const point = (value: number): Float64Array => new Float64Array(dimension).fill(value);
  const forms: { readonly [By in Candidates['by']]: Extract<Candidates, { readonly by: By }> } = {
    list: { by: 'list', points: [point(0), point(0.5), point(-2)] },
    lattice: { by: 'lattice', domain, spacing: 1, sparsity: 1 },
  };
  return Object.fromEntries(
    Object.values(forms).map((form) => [
      `a choice from a ${form.by}`,
      {
        query: () => ({
          candidates: form,
          statistic: { of: 'risk' as const },
          batch: allRecords,
          selector,
          target: { epsilon: 0.5 },
        }),
      },
    ]),
  );
};
