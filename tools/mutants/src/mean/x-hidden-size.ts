import type { CentralMean, MeanShape, MeanRun, PrivacyEvent, RandomSource } from '@lethe/core';
import { latticeMean } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

type Params = Parameters<typeof latticeMean.sensitivity>[0];
const lattice = latticeMean as CentralMean<typeof latticeMean.params>;

/** A lattice mean whose additions are watched. */
const adding = (change: (run: MeanRun, context: MeanShape) => MeanRun) =>
  planted(lattice, {
    begin: (params: Params, context: MeanShape, random: RandomSource) =>
      change(latticeMean.begin(params, context, random), context),
  });

export const xHidden1 = defineMutant({
  id: 'mean/records-beyond-normaliser-left-out-batch-hidden',
  title: 'records beyond the normaliser are left out of a batch of hidden size',
  kind: 'mean',
  source: 'finding 2 of a red team: a subset by order',
  killedBy: ['mean/hidden-size'],
  within: 200,
  plant: () =>
    adding((run, { slots }) => {
      let count = 0;
      return {
        ...run,
        add(slot, gradient) {
          if (++count <= Math.ceil(slots)) run.add(slot, gradient);
        },
      };
    }),
});

export const xHidden2 = defineMutant({
  id: 'mean/every-second-slot-counts-other-sign-number',
  title: 'every second slot counts with the other sign, by a number that shifts when a record leaves',
  kind: 'mean',
  source: 'generic: signs by position',
  killedBy: ['mean/hidden-size', 'mean/permutation-invariant'],
  within: 200,
  plant: () =>
    adding((run) => ({
      ...run,
      add(slot, gradient) {
        run.add(slot, slot % 2 === 1 ? gradient.map((x) => -x) : gradient);
      },
    })),
});

export const xHidden3 = defineMutant({
  id: 'mean/value-scaled-how-many-records',
  title: 'the value is scaled by how many records there were',
  kind: 'mean',
  source: 'I-5: the real batch size must never enter',
  killedBy: ['mean/hidden-size'],
  within: 200,
  plant: () =>
    adding((run, { slots }) => {
      let count = 0;
      return {
        ...run,
        add(slot, gradient) {
          count++;
          run.add(slot, gradient);
        },
        value: () => run.value().map((x) => Math.round((x * slots) / Math.max(1, count))),
      };
    }),
});

export const xHidden4 = defineMutant({
  id: 'mean/answer-divided-how-many-records-batch-hidden',
  title: 'the answer on a batch of hidden size is divided by how many records there were',
  kind: 'mean',
  source: 'generic: the realised size after the noise',
  killedBy: ['mean/hidden-size'],
  within: 200,
  plant: () =>
    adding((run, { slots, size }) => {
      let count = 0;
      return {
        ...run,
        add(slot, gradient) {
          count++;
          run.add(slot, gradient);
        },
        finish: (noised) => {
          const answer = run.finish(noised);
          return size === 'exact' ? answer : answer.map((x) => (x * slots) / Math.max(1, count));
        },
      };
    }),
});

export const xHidden5 = defineMutant({
  id: 'mean/records-beyond-million-left-out-batch-hidden',
  title: 'records with a number of a million or more are left out of a batch of hidden size',
  kind: 'mean',
  source: 'generic: a table of limited length',
  killedBy: ['mean/hidden-size'],
  within: 200,
  plant: () =>
    adding((run, { size }) => ({
      ...run,
      add(slot, gradient) {
        if (size === 'exact' || slot < 1_000_000) run.add(slot, gradient);
      },
    })),
});

export const xLatticeGrid = defineMutant({
  id: 'mean/event-states-grid-thousand-times-fine',
  title: 'the event states a grid a thousand times as fine as it is',
  kind: 'mean',
  source: 'generic: a unit mistaken',
  killedBy: ['mean/event'],
  within: 200,
  plant: () =>
    planted(lattice, {
      event(params: Params, noise: PrivacyEvent, context: MeanShape) {
        const event = latticeMean.event(params, noise, context) as PrivacyEvent & { readonly grid?: number };
        return event.grid === undefined ? event : ({ ...event, grid: event.grid / 1000 } as PrivacyEvent);
      },
    }),
});
