import { type PrivacyEvent, type CoreEvent, countedEvent } from '@lethe/core';
import { subjectsOf, type LawId, type Subject } from '@lethe/laws';
import { defineMutant, type Mutant } from '../mutant.js';
import type { Bugs } from '../reference/losses.js';
import { pldAccountant } from '../reference/pld.js';
import { changed, misreading } from './plant.js';

const source = 'generic: privacy losses on a grid';
const planted = (
  id: `X-LOSS-GRID-${number}`,
  title: string,
  {
    bugs,
    killedBy,
    within,
  }: { readonly bugs: Bugs; readonly killedBy: readonly LawId<'accountant'>[]; readonly within: number },
): Mutant<'accountant'> =>
  defineMutant({
    id,
    kind: 'accountant',
    title,
    source,
    killedBy,
    within,
    plant: () => subjectsOf(pldAccountant(id, bugs))[0] as Subject<'accountant'>,
  });

export const infinityForgotten = planted(
  'X-LOSS-GRID-1',
  'the mass of infinite losses is dropped in compositions',
  { bugs: { drops: 'infinite' }, killedBy: ['accountant/unprotected', 'accountant/truth'], within: 60 },
);
export const wrapAround = planted(
  'X-LOSS-GRID-2',
  'a convolution wraps around: the largest losses become the smallest',
  { bugs: { wraps: true }, killedBy: ['accountant/truth'], within: 60 },
);
export const removalAlone = planted(
  'X-LOSS-GRID-3',
  'compositions are charged for removing a record only, not for adding one',
  { bugs: { only: 'remove' }, killedBy: ['accountant/wants', 'accountant/truth'], within: 60 },
);

export const countsAlike = defineMutant({
  id: 'accountant/equal-parts-grouped-counts-replaced-number-groups',
  kind: 'accountant',
  title: 'equal parts are grouped, and their counts replaced by the number of groups',
  source,
  killedBy: ['accountant/count'],
  within: 10,
  plant: () =>
    misreading(pldAccountant('pld-groups'), (event: PrivacyEvent) => {
      const core = event as CoreEvent;
      const groups =
        core.kind === 'core/compose'
          ? new Map(core.parts.map((part) => [JSON.stringify(part.event), part]))
          : undefined;
      return groups === undefined ? event : countedEvent([...groups.values()]);
    }),
});

const sound = pldAccountant('pld-sound');
export const tiltKept = defineMutant({
  id: 'accountant/losses-weighted-before-transformed-small-delta-not',
  kind: 'accountant',
  title: 'losses are tilted before the transform, and small δ are not tilted back',
  source,
  killedBy: ['accountant/truth', 'accountant/monte-carlo'],
  within: 3000,
  plant: () =>
    changed(sound, {
      delta: (event, query) => {
        const answer = sound.delta(event, query);
        return answer.upper < 1e-2
          ? { ...answer, upper: answer.upper * Math.exp(-0.5 * query.epsilon) }
          : answer;
      },
    }),
});
export const upperAsLower = defineMutant({
  id: 'accountant/grid-bound-below-rounds-losses-well',
  kind: 'accountant',
  title: 'the grid for lower bounds rounds losses up as well',
  source,
  killedBy: ['accountant/truth', 'accountant/monte-carlo'],
  within: 3000,
  plant: () =>
    changed(sound, {
      delta: (event, query) => {
        const answer = sound.delta(event, query);
        return { ...answer, lower: answer.upper };
      },
    }),
});

/** Parts of an event with their counts. */
const partsOf = (
  event: PrivacyEvent,
): readonly { readonly event: PrivacyEvent; readonly count: number }[] => {
  const core = event as CoreEvent;
  return core.kind === 'core/compose' ? core.parts : [];
};
export const termForgotten = defineMutant({
  id: 'accountant/releases-composed-how-many-large-loss-term',
  kind: 'accountant',
  title: 'the composition sums over the number of releases with a large loss, without the term of one',
  source,
  killedBy: ['accountant/truth', 'accountant/monte-carlo'],
  within: 3000,
  plant: () =>
    changed(sound, {
      delta: (event, query) => {
        const answer = sound.delta(event, query);
        const forgotten = partsOf(event).reduce(
          (sum, part) => sum + part.count * sound.delta(part.event, query).upper,
          0,
        );
        const upper = Math.max(0, answer.upper - forgotten);
        return { ...answer, lower: Math.min(answer.lower, upper), upper };
      },
    }),
});
