import { rdp } from '@lethe/accountants';
import { defineMutant } from '../mutant.js';
import { changed } from './plant.js';

export const estimateAbove = defineMutant({
  id: 'accountant/estimate-above-its-interval',
  title: 'the estimate of ε is a tenth larger than its upper end',
  kind: 'accountant',
  source: 'generic',
  killedBy: ['accountant/interval'],
  within: 5,
  plant: () =>
    changed(rdp, {
      epsilon(event, query) {
        const answer = rdp.epsilon(event, query);
        return { ...answer, estimate: 1.1 * answer.upper };
      },
    }),
});
