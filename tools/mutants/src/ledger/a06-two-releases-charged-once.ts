import { canonicalEvent } from '@lethe/core/testing';
import { defineMutant } from '../mutant.js';
import { changed } from './plant.js';

export const a06 = defineMutant({
  id: 'ledger/two-releases-one-run-one-batch-charged',
  kind: 'ledger',
  title: 'two releases of one run on one batch are charged once',
  source: 'MOSTLY AI, by Re:cord-play',
  killedBy: ['ledger/total'],
  within: 5,
  plant: () => {
    const charged = new Set<string>();
    return changed((ledger) => ({
      append: (entry) => {
        const { charge, ...rest } = entry.effect;
        const key =
          charge === undefined
            ? ''
            : `${entry.run} ${charge.on.space} ${charge.on.from}-${charge.on.to} ` +
              `${canonicalEvent(charge.event)}`;
        ledger.append(charge !== undefined && charged.has(key) ? { ...entry, effect: rest } : entry);
        charged.add(key);
      },
    }));
  },
});
