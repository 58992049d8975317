import type { Optimizer, PublicPlan } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { squaredDistance } from '@lethe/losses';
import { firstOf, tried } from '../../common/compare.js';
import { above, differs, first } from '../../common/judging.js';
import { curated } from '../curated.js';
import type { OptimizerSubject } from './subject.js';

/** The requests that a run made to its curator. */
interface Counted {
  readonly evaluations: number;
  readonly means: number;
  readonly plan: PublicPlan & Readonly<Record<string, unknown>>;
}

/**
 * Runs an optimizer in two dimensions against a curator whose loss counts the gradients it evaluates. The
 * noise is twice the sensitivity; no result here depends on it.
 */
function counted(optimizer: Optimizer, params: Readonly<Record<string, unknown>>, records: number): Counted {
  let evaluations = 0;
  const features = Array.from({ length: records }, (_, i) =>
    [0, 1].map((j) => ((((2 * i + j) * 7) % 11) - 5) / 4),
  );
  const { run, releases } = curated(
    {},
    {
      optimizer,
      params: { noiseMultiplier: 2, ...params },
      records,
      features,
      loss: squaredDistance,
      asked: () => {
        evaluations++;
      },
    },
  );
  return { evaluations, means: releases.length, plan: run.plan as Counted['plan'] };
}

interface Case {
  readonly what: string;
  readonly optimizer: keyof OptimizerSubject;
  readonly records: number;
  readonly params: Readonly<Record<string, unknown>>;
}
const sizes = [16, 37, 64];
const onePass: readonly Case[] = (
  ['noisyClippedAcSa', 'noisyClippedSgd', 'noisyClippedProximalSgd'] as const
).flatMap((optimizer) =>
  sizes.flatMap((records) =>
    [{}, { rounds: 1 }, { rounds: 5 }, { rounds: 15 }, { rounds: 5, schedule: 'printed' }].map((params) => ({
      what: `${optimizer} on ${records} records, ${JSON.stringify(params)}`,
      optimizer,
      records,
      params,
    })),
  ),
);
const wholePasses: readonly Case[] = sizes.flatMap((records) =>
  [1, 7].map((rounds) => ({
    what: `${rounds} rounds on ${records} records`,
    optimizer: 'noisyClippedSubgradient',
    records,
    params: { rounds, stepSize: 0.5, strength: 0.5, clipNorm: 1 },
  })),
);
const localized: readonly Case[] = (['localizedSubgradient', 'localizedStronglyConvex'] as const).flatMap(
  (optimizer) =>
    sizes.flatMap((records) =>
      [
        { mostRounds: 9 },
        { mostRounds: 3, schedule: 'printed' },
        { mostRounds: 5, variant: 'subsampled' },
      ].map((params) => ({
        what: `${optimizer} on ${records} records, ${JSON.stringify(params)}`,
        optimizer,
        records,
        params,
      })),
    ),
);

interface Phase {
  readonly records: number;
  readonly rounds: number;
}
/** Row C59. */
export const gradientCounts = (subject: OptimizerSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/gradient-counts',
    tier: 'exact',
    statement:
      'Counted over whole runs: Algorithms 2, 6 and 8 evaluate at most n gradients, T or T + 1 batches ' +
      'of equal size, Algorithm 3 nT, Algorithm 4 and the wrapper around it Σ n_iT_i over phases of ' +
      'fewer than n records together, and their subsampled variant no more; the plans state these numbers.',
    power: 'One gradient too many.',
    run: () =>
      tried(
        [...onePass, ...wholePasses, ...localized].map(({ what }, index) => ({ what, index })),
        ({ what, index }) => {
          const { optimizer, params, records } = [...onePass, ...wholePasses, ...localized][index];
          const { evaluations, means, plan } = counted(subject[optimizer] as Optimizer, params, records);
          const planned = plan['gradients'] as number;
          if (params['variant'] === 'subsampled')
            return first(
              above(`the gradients of ${what}`, evaluations, planned, 0),
              above('0, against their number', 1, evaluations, 0),
            );
          const exact = differs(`the gradients of ${what}, from its plan`, evaluations, planned);
          if (index < onePass.length)
            return first(
              exact,
              above(`the gradients of ${what}`, evaluations, records, 0),
              above('n less one of each batch, against the gradients', records - means, evaluations, 0),
            );
          if (index < onePass.length + wholePasses.length)
            return first(
              exact,
              differs(`the gradients of ${what}`, evaluations, records * (params['rounds'] as number)),
            );
          const phases = plan['phases'] as readonly Phase[];
          return firstOf([
            exact,
            differs(
              `the gradients of ${what}, from its phases`,
              evaluations,
              phases.reduce((sum, phase) => sum + phase.records * phase.rounds, 0),
            ),
            above(
              'the records of all phases',
              phases.reduce((sum, phase) => sum + phase.records, 0),
              records - 1,
              0,
            ),
          ]);
        },
      ),
  });
