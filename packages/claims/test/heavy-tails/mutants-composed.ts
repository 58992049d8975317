import type { MeanQuery, Optimizer, PrivacyEvent } from '@lethe/core';
import { runsSubject as shipped, type RunsSubject } from '../../src/heavy-tails/runs/subject.js';
import type { Mutant } from '../rows.js';
import { mutant, promising, running, saying, withParams, type Change } from './changed-optimizers.js';

const planted = (name: string, title: string, change: Change): Mutant<RunsSubject> =>
  mutant(93, name, title, 'composed-rounds', {
    composedAcSa: change(shipped.composedAcSa as unknown as Optimizer),
  });

interface Composed {
  readonly parts: readonly { readonly event: PrivacyEvent; readonly count: number }[];
}

/** What the row of rounds on all records must not pass. */
export const composedMutants: readonly Mutant<RunsSubject>[] = [
  planted(
    'noise-half',
    'every round has half of the planned noise',
    running({
      query: (query): MeanQuery => ({
        ...query,
        target:
          'noiseMultiplier' in query.target
            ? { noiseMultiplier: query.target.noiseMultiplier / 2 }
            : query.target,
      }),
    }),
  ),
  planted(
    'event-of-one-round',
    'the event is that of one round',
    saying((plan) => ({
      event: {
        ...plan.event,
        parts: (plan.event as PrivacyEvent & Partial<Composed>).parts?.map((part) => ({ ...part, count: 1 })),
      },
    })),
  ),
  planted(
    'counts-for-a-tenth',
    'counts of a quantile take a tenth of the share that they are given',
    withParams(({ clipNorm }) =>
      typeof clipNorm === 'object'
        ? { clipNorm: { ...clipNorm, share: (clipNorm as Share).share / 10 } }
        : {},
    ),
  ),
  planted(
    'one-round-less',
    'a round less than was asked for',
    withParams(({ rounds }) => ({ rounds: Math.max(1, Number(rounds) - 1) })),
  ),
  planted(
    'answers-halved',
    'steps are half as long',
    running({ answer: (mean) => mean.map((entry) => entry / 2) }),
  ),
  planted(
    'other-method',
    'plain steps where accelerated ones are asked for',
    withParams(() => ({ method: 'sgd' })),
  ),
  planted(
    'bound-half',
    'the bound is half of the proved one',
    promising((bound) => bound / 2),
  ),
  planted(
    'bound-tenth-less',
    'the bound is a tenth below the proved one',
    promising((bound) => 0.9 * bound),
  ),
  planted(
    'bound-twice',
    'the bound is twice the proved one',
    promising((bound) => 2 * bound),
  ),
];
interface Share {
  readonly share: number;
}
