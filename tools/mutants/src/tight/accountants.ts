import { gdp, rdp, zcdp } from '@lethe/accountants';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defineTight } from '../mutant.js';
import { pldAccountant } from '../reference/pld.js';

const one = (accountant: Parameters<typeof subjectsOf>[0]): Subject<'accountant'> =>
  subjectsOf(accountant)[0] as Subject<'accountant'>;
export const tightGdp = defineTight({ id: 'gdp', kind: 'accountant', plant: () => one(gdp) });
export const tightRdp = defineTight({ id: 'rdp', kind: 'accountant', plant: () => one(rdp) });
export const tightZcdp = defineTight({ id: 'zcdp', kind: 'accountant', plant: () => one(zcdp) });
export const tightLosses = defineTight({
  id: 'reference privacy losses',
  kind: 'accountant',
  plant: () => one(pldAccountant('reference-pld')),
});
