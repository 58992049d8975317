import type { Stream, Vector } from '../basics.js';
import { vectorAnswer } from '../answer.js';
import { gradient, termsOf, type Gradient } from '../parts/gradient.js';
import { batch, stream } from '../parts/tokens.js';
import { row, type Examples } from '../row.js';
import { vector, type RecordOf } from '../schema.js';
import { opened, pushed } from './open.js';

const fields = {
  stream,
  of: gradient,
  batch,
  /**
   * Public centre of the bound: each record adds `bound(gradient − centre)`, and a null record adds 0. The
   * optimizer adds the centre back. @defaultValue the origin
   */
  centre: { optional: vector },
};
type Push = RecordOf<typeof fields>;

/**
 * Adds one increment; the answer is the noisy increment
 * `x_t + (Bz)_t − (Bz)_{t−1}`, whose running sum is post-processing.
 */
export const push = row({
  fields,
  answer: vectorAnswer,
  build: ({ stream: to, batch: from, centre, ...where }: Gradient & Omit<Push, 'of'>): Push => ({
    stream: to,
    of: termsOf(where),
    batch: from,
    ...(centre === undefined ? {} : { centre }),
  }),
});

/** Examples of {@link push}. */
export const pushExamples: Examples<typeof push> = (parts) => ({
  'an increment': {
    before: { ask: 'open', ...opened(parts) },
    query: (to: Stream) => pushed(parts, to),
    after: (_answer: Vector, to: Stream) => [{ ask: 'push', ...pushed(parts, to) }],
  },
  'an increment about a centre': {
    before: { ask: 'open', ...opened(parts) },
    query: (to: Stream) => ({
      ...pushed(parts, to),
      centre: new Float64Array(parts.dimension).fill(0.25),
    }),
    after: (_answer: Vector, to: Stream) => [{ ask: 'push', ...pushed(parts, to) }],
  },
});
