import { defineSampler, gaussianEvent, type Adjacency } from '@lethe/core';
import { logAddExp, logSumExp, poissonSample } from '@lethe/numerics';
import * as z from 'zod';
import { assertPublicSlots, assertSlots } from './slots.js';
import { columnSquares, assertBand, assertNonNegative, columnsOf, stepRatios } from './streams/matrix.js';

const name = 'minimum-separation';
type Params = { readonly gap: number; readonly rate: number; readonly start: 'warm' | 'cold' };

/** How often a slot takes part in the long run. */
const share = ({ gap, rate }: Params): number => rate / (1 + (gap - 1) * rate);

/**
 * Sampling with a minimum separation. A slot that was in none of the last `gap − 1` batches joins the next
 * one with probability `rate`, by its own secret draw. With a warm start the state of each slot is drawn from
 * the stationary distribution, so that all batches are equally large on average; with a cold start every slot
 * may join the first batch.
 *
 * No closed form of the amplified cost is known: a stream costs what it would with public batches, unless
 * (ε, δ) is verified by sampling. The densities take a prefix sum of at most `gap` bands, without a negative
 * entry. `gap = 1` is Poisson sampling; a warm start with `rate = 1` is random allocation.
 *
 * A single draw, outside a stream, is one batch in the long run: a Poisson sample.
 *
 * @param params - `gap`: least number of steps between participations, at most 2²⁰; `rate`: in (0, 1];
 * `start`.
 */
export const minimumSeparation = defineSampler({
  name,
  summary: 'Records that took part wait, and then join by their own secret randomness.',
  source: { id: 'dong-ganesh-2026', item: 'b-min-sep sampling' },
  params: z.strictObject({
    gap: z
      .int()
      .positive()
      .max(2 ** 20),
    rate: z.number().positive().max(1),
    start: z.enum(['warm', 'cold']).default('warm'),
  }),
  claims: [
    {
      property: 'marginals',
      statement: 'a single draw takes each position independently with probability rate/(1 + (gap − 1) rate)',
    },
    { property: 'positions', statement: 'ascending; possibly none' },
    { property: 'normaliser', statement: 'slots · rate/(1 + (gap − 1) rate), the mean size in the long run' },
    { property: 'coins', statement: 'all that a draw depends on besides parameters and slots' },
    {
      property: 'amplification',
      statement:
        'of a single draw, core/poisson at that probability under every adjacency, ' +
        'with an inner event of the same adjacency',
    },
    { property: 'stream', statement: 'one Gaussian release of the whole stream, as with public batches' },
  ],
  examples: [
    { gap: 2, rate: 0.5, start: 'warm' },
    { gap: 2, rate: 0.5, start: 'cold' },
    { gap: 4, rate: 1, start: 'warm' },
    { gap: 1, rate: 0.2, start: 'warm' },
  ],
  size: 'hidden',
  amplification(params) {
    const sampler = {
      kind: 'core/poisson',
      rate: Math.min(1, share(params) * (1 + 2 ** -50)),
    } as const;
    const under = (inner: Adjacency) => ({ sampler, inner });
    return {
      'replace-one': under('replace-one'),
      'add-remove': under('add-remove'),
      'zero-out': under('zero-out'),
    };
  },
  normaliser(params, slots) {
    assertPublicSlots(slots);
    return slots * share(params);
  },
  draw(params, slots, random) {
    assertSlots(slots, 0);
    return poissonSample(random, slots, share(params));
  },
  stream: {
    participation: ({ gap }, steps) => ({ times: Math.ceil(steps / gap), gap: Math.min(gap, steps) }),
    fits({ gap }, stream) {
      assertBand(stream, gap, name);
    },
    normaliser: (params, slots) => slots * share(params),
    event({ gap }, stream) {
      const norm = stream.columnNorm({
        times: Math.ceil(stream.steps / gap),
        gap: Math.min(gap, stream.steps),
      });
      const event = gaussianEvent(stream.sigma, {
        'replace-one': 2 * norm,
        'add-remove': norm,
        'zero-out': norm,
      });
      return { 'replace-one': event, 'add-remove': event, 'zero-out': event };
    },
    begin(params, slots, _steps, random) {
      assertSlots(slots, 0);
      const { gap, rate, start } = params;
      // The step from which each slot may join again.
      const freeAt = new Uint32Array(slots);
      if (start === 'warm') {
        const waiting = (gap - 1) * share(params);
        for (let slot = 0; slot < slots; slot++)
          if (random.uniform() < waiting) freeAt[slot] = 1 + random.integer(gap - 1);
      }
      let step = 0;
      return () => {
        const joined: number[] = [];
        for (let slot = 0; slot < slots; slot++) {
          if (freeAt[slot] > step || random.uniform() >= rate) continue;
          joined.push(slot);
          freeAt[slot] = step + gap;
        }
        step++;
        return Uint32Array.from(joined);
      };
    },
    logMoment(params, stream) {
      assertBand(stream, params.gap, name);
      const squares = columnSquares(columnsOf(stream));
      const mean = logMean(params, stream.steps);
      // Participations move different rows, so that their squares add up.
      return (lambda) => mean(squares.map((square) => lambda * square));
    },
    logRatio(params, stream) {
      assertBand(stream, params.gap, name);
      const columns = columnsOf(stream);
      assertNonNegative(columns, name);
      const ratios = stepRatios(columns, stream.sigma);
      const ofStep = new Float64Array(stream.steps);
      const mean = logMean(params, stream.steps);
      return (sums) => {
        ratios(sums, ofStep);
        return mean(ofStep);
      };
    },
  },
});

/** `log E exp(Σ_i x_i a_i)` over the steps `x` in which a slot takes part, backwards from the last. */
function logMean(params: Params, steps: number): (a: Float64Array) => number {
  const { gap, rate, start } = params;
  // From step i on, for a slot that may join at i; after the last step there is nothing to learn.
  const after = new Float64Array(steps + gap + 1);
  const [joins, waits] = [Math.log(rate), Math.log1p(-rate)];
  const free = share(params) / rate;
  const starts = new Float64Array(gap);
  return (a) => {
    for (let i = steps - 1; i >= 0; i--)
      after[i] = logAddExp(waits + after[i + 1], joins + a[i] + after[i + gap]);
    if (start === 'cold') return after[0];
    starts[0] = Math.log(free) + after[0];
    for (let wait = 1; wait < gap; wait++)
      starts[wait] = Math.log(share(params)) + after[Math.min(wait, steps)];
    return logSumExp(starts);
  };
}
