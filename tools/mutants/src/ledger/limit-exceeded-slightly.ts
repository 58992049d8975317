import type { Accountant, FilterMaker } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { subject } from './plant.js';

export const toleratedExcess = defineMutant({
  id: 'ledger/spent-may-pass-limit-one-part-million',
  kind: 'ledger',
  title: 'the total may exceed the limit by 10⁻⁶ of it',
  source: 'generic: rounding forgiven twice',
  killedBy: ['ledger/limit'],
  within: 10,
  plant: () =>
    subject((options) => {
      const { limit } = options;
      if (limit === undefined) return openLedger(options);
      const lenient: Pick<Accountant, 'epsilon'> = {
        epsilon: (event, query) => {
          const found = limit.accountant.epsilon(event, query);
          return { ...found, upper: found.upper / (1 + 1e-6) };
        },
      };
      const strict = limit.filter ?? defined(limit.accountant.filter);
      const filter: FilterMaker = (request) => ({
        ...strict(request),
        admits: strict({ ...request, epsilon: request.epsilon * (1 + 1e-6) }).admits,
      });
      return openLedger({ ...options, limit: { ...limit, accountant: lenient, filter } });
    }),
});
