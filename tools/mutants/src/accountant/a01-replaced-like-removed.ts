import { gdp } from '@lethe/accountants';
import type { AccountingContext } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { changed } from './plant.js';

const asRemoved = <Q extends AccountingContext>(query: Q): Q =>
  query?.adjacency === 'replace-one' ? { ...query, adjacency: 'zero-out' } : query;

export const a01 = defineMutant({
  id: 'accountant/replacing-record-given-sensitivity-removing-one',
  kind: 'accountant',
  title: 'replacing a record is charged with the sensitivity to removing one',
  source: 'google/differential-privacy #378',
  killedBy: ['accountant/adjacency', 'accountant/truth'],
  within: 10,
  plant: () =>
    changed(gdp, {
      epsilon: (event, query) => gdp.epsilon(event, asRemoved(query)),
      delta: (event, query) => gdp.delta(event, asRemoved(query)),
    }),
});
