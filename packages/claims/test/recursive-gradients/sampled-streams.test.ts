import ledger from '@lethe/algorithms/recursive-gradients/claims.json' with { type: 'json' };
import type { SampledStream, SamplerStream } from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  sampledStreamChecks,
  sampledStreamsSubject as shipped,
  type SampledStreamsSubject,
} from '../../src/recursive-gradients/sampled-streams.js';
import { testRows, type Mutant } from '../rows.js';

type Subject = SampledStreamsSubject;
const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Partial<Subject>,
): Mutant<Subject> => ({
  id: `choquette-choo-C${row} ${title}`,
  title,
  row,
  subject,
  killedBy: `choquette-choo/${killedBy}`,
});
/** A sampler of streams with a changed member; parameters are of any sampler. */
const changed = <S extends SamplerStream<never>>(stream: S, change: (stream: SamplerStream) => object): S =>
  ({ ...stream, ...change(stream as unknown as SamplerStream) }) as S;
const { cyclicPoisson, minimumSeparation, randomAllocation, repeatedPoisson } = shipped;

testRows<Subject>({
  paper: 'choquette-choo',
  rows: [1, 9],
  checksOf: sampledStreamChecks,
  shippedBy: {
    subject: shipped,
    ledger,
    around: ['cyclicPoisson', 'minimumSeparation', 'randomAllocation', 'repeatedPoisson'],
  },
  mutants: [
    mutant(1, 'full rounds only', 'cyclic-poisson', {
      cyclicPoisson: changed(cyclicPoisson, ({ event }) => ({
        event: (params: unknown, stream: SampledStream) =>
          event(params, { ...stream, steps: stream.steps - 1 }),
      })),
    }),
    mutant(1, 'a rate among all records', 'cyclic-poisson', {
      cyclicPoisson: changed(cyclicPoisson, ({ event }) => ({
        event: (params: { groups: number; rate: number }, stream: SampledStream) =>
          event({ ...params, rate: params.rate / params.groups }, stream),
      })),
    }),
    mutant(2, 'one step less to wait', 'separation-recursion', {
      minimumSeparation: changed(minimumSeparation, ({ logRatio }) => ({
        logRatio: (params: { gap: number }, stream: SampledStream) =>
          defined(logRatio)({ ...params, gap: Math.max(1, params.gap - 1) }, { ...stream, bandwidth: 1 }),
      })),
    }),
    mutant(2, 'a warm start for a cold one', 'separation-recursion', {
      minimumSeparation: changed(minimumSeparation, ({ logRatio }) => ({
        logRatio: (params: object, stream: SampledStream) =>
          defined(logRatio)({ ...params, start: 'warm' }, stream),
      })),
    }),
    mutant(3, 'another probability', 'separation-reductions', {
      minimumSeparation: changed(minimumSeparation, ({ logRatio }) => ({
        logRatio: (params: { rate: number }, stream: SampledStream) =>
          defined(logRatio)({ ...params, rate: params.rate / 2 }, stream),
      })),
    }),
    mutant(4, 'a cold start for a warm one', 'sampled-goldens', {
      minimumSeparation: changed(minimumSeparation, ({ logRatio }) => ({
        logRatio: (params: object, stream: SampledStream) =>
          defined(logRatio)({ ...params, start: 'cold' }, stream),
      })),
    }),
    mutant(5, 'less noise than is charged for', 'bins-renyi', {
      randomAllocation: changed(randomAllocation, ({ event }) => ({
        event: (params: unknown, stream: SampledStream) =>
          event(params, { ...stream, sigma: 1.25 * stream.sigma }),
      })),
    }),
    mutant(5, 'divergences times one half', 'bins-renyi', {
      binsRenyi: (means) =>
        shipped
          .binsRenyi(means)
          .map(({ order, removed, added }) => ({ order, removed: removed / 2, added: added / 2 })),
    }),
    mutant(6, 'a slack factor without its probability', 'verified-delta', {
      verifiedDelta: (_samples, threshold) => 4.2 * threshold,
    }),
    mutant(6, 'a threshold of a fifth', 'verified-delta', {
      verificationThreshold: (_samples, delta) => 0.2 * delta,
    }),
    mutant(7, 'a threshold of 2δ', 'verified-sweep', {
      verificationThreshold: (_samples, delta) => 2 * delta,
    }),
    mutant(8, 'densities of half of the increments', 'adaptive-directions', {
      randomAllocation: changed(randomAllocation, ({ logRatio }) => ({
        logRatio: (params: unknown, stream: SampledStream) =>
          defined(logRatio)(params, {
            ...stream,
            encoder: (row: number, column: number) => stream.encoder(row, column) / 2,
          }),
      })),
    }),
    ...[
      { randomAllocation: changed(randomAllocation, absolute) },
      { minimumSeparation: changed(minimumSeparation, absolute) },
      { repeatedPoisson: changed(repeatedPoisson, absolute) },
    ].map((subject) =>
      mutant(9, `sizes of entries: ${Object.keys(subject)[0]}`, 'negative-entries', subject),
    ),
  ],
});

/** A sampler that takes the size of each entry. */
function absolute({ event, logRatio }: SamplerStream): object {
  const sizes = <S extends { encoder(row: number, column: number): number }>(stream: S): S => ({
    ...stream,
    encoder: (row: number, column: number) => Math.abs(stream.encoder(row, column)),
  });
  return {
    event: (params: unknown, stream: never) => event(params, sizes(stream)),
    logRatio: (params: unknown, stream: never) => defined(logRatio)(params, sizes(stream)),
  };
}
