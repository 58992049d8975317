import { subjectsOf, type Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { pldAccountant } from '../reference/pld.js';

export const a09 = defineMutant({
  id: 'accountant/privacy-losses-rounded-down-grid',
  kind: 'accountant',
  title: 'privacy losses are rounded down to the grid',
  source: 'generic',
  killedBy: ['accountant/truth'],
  within: 20,
  plant: () => subjectsOf(pldAccountant('pld-down', { rounds: 'down' }))[0] as Subject<'accountant'>,
});

export const xTail = defineMutant({
  id: 'accountant/largest-privacy-losses-dropped-delta',
  kind: 'accountant',
  title: 'the largest privacy losses are dropped from δ',
  source: 'generic',
  killedBy: ['accountant/truth'],
  within: 60,
  plant: () => subjectsOf(pldAccountant('pld-no-tail', { drops: 'tail' }))[0] as Subject<'accountant'>,
});
