import { pld, createResolver, withoutFailures } from '@lethe/accountants';
import {
  defineEvent,
  normalEvent,
  parseEvent,
  type AccountingContext,
  type DominatingPair,
  type EventKind,
  type PrivacyLossDistribution,
  type PairFactor,
  type PrivacyEvent,
} from '@lethe/core';
import { anyEventSchema } from '@lethe/core/testing';
import type { LawId } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { defineMutant, type Mutant } from '../mutant.js';
import { changed } from './plant.js';

/* Slips in what the real engine is told of the losses: pairs of core, changed on their way. */

const schema = z.strictObject({ kind: z.literal('mutants/told'), v: z.literal(1), event: anyEventSchema });
type Change = (pairs: readonly DominatingPair[]) => readonly DominatingPair[];

/** Another event kind with the event's characterisations, whose pairs are `change`d. */
const toldBy = (change: Change, kinds: readonly EventKind[]): EventKind =>
  defineEvent<typeof schema>({
    name: 'mutants/told',
    version: 1,
    summary: 'Another event, with changed pairs.',
    source: { id: 'lethe', item: 'mutants' },
    claims: [],
    schema,
    assumptions: ['real-arithmetic'],
    characterise: { pair: ({ event }, adjacency) => change(createResolver(kinds)(event, 'pair', adjacency)) },
  }) as unknown as EventKind;

function told(change: Change): Partial<typeof pld> {
  const asked = <Q extends AccountingContext>(event: PrivacyEvent, query: Q): readonly [PrivacyEvent, Q] => {
    const kinds = query.kinds ?? [];
    const sound = withoutFailures(parseEvent(event, kinds), query.adjacency);
    if (sound.delta > 0) return [event, query];
    return [
      { kind: 'mutants/told', v: 1, event: normalEvent(sound.event) } as PrivacyEvent,
      { ...query, kinds: [...kinds, toldBy(change, kinds)] },
    ];
  };
  return {
    epsilon: (event, query) => pld.epsilon(...asked(event, query)),
    delta: (event, query) => pld.delta(...asked(event, query)),
  };
}

const eachLaw = (change: (distribution: PrivacyLossDistribution) => PrivacyLossDistribution): Change => {
  const known = new Map<PrivacyLossDistribution, PrivacyLossDistribution>();
  return (pairs) =>
    pairs.map((pair) => ({
      ...pair,
      factors: pair.factors.map(({ distribution, count }): PairFactor => {
        const wrong = known.get(distribution) ?? change(distribution);
        known.set(distribution, wrong);
        return { distribution: wrong, count };
      }),
    }));
};

const planted = (
  id: `X-LOSS-ENGINE-${number}`,
  title: string,
  change: Change,
  killedBy: readonly LawId<'accountant'>[],
  within = 100,
): Mutant<'accountant'> =>
  defineMutant({
    id,
    kind: 'accountant',
    title,
    source: 'generic: privacy losses on a grid',
    killedBy,
    within,
    plant: () => changed(pld, told(change)),
  });

const step = 0.01;
export const cellsDown = planted(
  'X-LOSS-ENGINE-1',
  'the losses of a cell are rounded to its lower edge',
  eachLaw((distribution) => ({
    ...distribution,
    hockeyStick: (epsilon) => distribution.hockeyStick(epsilon + step),
    ...(distribution.massesInto === undefined
      ? {}
      : {
          massesInto: (p, q, edges) =>
            defined(distribution.massesInto)(
              p,
              q,
              edges.map((edge) => edge + step),
            ),
        }),
  })),
  ['accountant/truth'],
);
export const infiniteMassLost = planted(
  'X-LOSS-ENGINE-2',
  'the mass of infinite losses is ignored',
  eachLaw((distribution) => ({
    ...distribution,
    infinite: 0,
    hockeyStick: (epsilon) => {
      const { lower, upper } = distribution.hockeyStick(epsilon);
      return {
        lower: Math.max(0, lower - distribution.infinite),
        upper: Math.max(0, upper - distribution.infinite),
      };
    },
  })),
  ['accountant/unprotected', 'accountant/truth', 'accountant/failing'],
);
export const oneWay = planted(
  'X-LOSS-ENGINE-3',
  'the pair for removing a record is used for adding one as well',
  (pairs) =>
    pairs.filter(({ direction }) => direction !== 'add').map((pair) => ({ ...pair, direction: 'symmetric' })),
  ['accountant/wants', 'accountant/truth'],
);
export const countsLost = planted(
  'X-LOSS-ENGINE-4',
  'repeated distributions are grouped and counted once',
  (pairs) =>
    pairs.map((pair) => ({
      ...pair,
      factors: pair.factors.map(({ distribution, count }) => ({
        distribution,
        count: count > 4 ? 1 : count,
      })),
    })),
  ['accountant/truth', 'accountant/count'],
);
export const boundForTruth = planted(
  'X-LOSS-ENGINE-5',
  'a dominating pair is declared as attained',
  (pairs) =>
    pairs.map(({ factors, ...pair }) => ({
      ...pair,
      factors: factors.map(({ distribution, count }) => ({ distribution, count: 2 * count })),
      attained: true,
    })),
  ['accountant/truth', 'accountant/monte-carlo'],
  3000,
);
