import { memoryStore, type Store } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defineTight } from '../mutant.js';
import { coinEvent, noiseEvent } from '../reference/events.js';

export const tightLedger = defineTight({
  id: 'ledger of core',
  kind: 'ledger',
  plant: () => ({ kind: 'ledger', name: 'core', claims: [], open: openLedger }),
});
export const tightMemory = defineTight({
  id: 'store in memory',
  kind: 'store',
  plant: () => {
    const places = new Map<string, Store>();
    return {
      kind: 'store',
      name: 'memory',
      claims: [],
      open: (place) => {
        const store = places.get(place) ?? memoryStore();
        places.set(place, store);
        return store;
      },
    };
  },
});
export const tightNoise = defineTight({
  id: 'noise known in every way',
  kind: 'event',
  plant: () => subjectsOf(noiseEvent)[0] as Subject<'event'>,
});
export const tightCoin = defineTight({
  id: 'coin of ε with equality',
  kind: 'event',
  plant: () => subjectsOf(coinEvent)[0] as Subject<'event'>,
});
