import { type Subject, subjectsOf } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { pldAccountant } from '../reference/pld.js';

export const a08 = defineMutant({
  id: 'accountant/privacy-losses-record-removed-not-one-added',
  kind: 'accountant',
  title: 'privacy losses for removing a record only, not for adding one',
  source: 'generic; arXiv 2405.20769',
  killedBy: ['accountant/wants'],
  within: 5,
  plant: () => subjectsOf(pldAccountant('pld-one-way', { only: 'remove' }))[0] as Subject<'accountant'>,
});

export const xOtherDirection = defineMutant({
  id: 'accountant/privacy-losses-record-added-not-one-removed',
  kind: 'accountant',
  title: 'privacy losses for adding a record only, not for removing one',
  source: 'generic',
  killedBy: ['accountant/truth'],
  within: 60,
  plant: () => subjectsOf(pldAccountant('pld-other-way', { only: 'add' }))[0] as Subject<'accountant'>,
});
