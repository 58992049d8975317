import { type Subject, subjectsOf } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { pldAccountant } from '../reference/pld.js';

export const a08 = defineMutant({
  id: 'accountant/privacy-losses-record-removed-not-one-added', kind: 'accountant', title: 'privacy losses when a record is removed, and not when one is added', source: 'generic; arXiv 2405.20769', killedBy: ['accountant/wants'], within: 5,
  plant: () => subjectsOf(pldAccountant('pld-one-way', { only: 'remove' }))[0] as Subject<'accountant'>,
});

export const xOtherDirection = defineMutant({
  id: 'accountant/privacy-losses-record-added-not-one-removed', kind: 'accountant', title: 'privacy losses when a record is added, and not when one is removed', source: 'generic', killedBy: ['accountant/truth'], within: 60,
  plant: () => subjectsOf(pldAccountant('pld-other-way', { only: 'add' }))[0] as Subject<'accountant'>,
});
