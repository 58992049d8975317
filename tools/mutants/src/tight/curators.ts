import { shuffleCurator } from '@lethe/curator';
import { defineTight } from '../mutant.js';
import { curatorOf } from '../curator/wrap.js';

export const trustedCurator = defineTight({
  id: 'trusted-curator',
  kind: 'curator',
  plant: () => curatorOf(),
});
export const shuffledCurator = defineTight({
  id: 'shuffle-curator',
  kind: 'curator',
  plant: () => ({ ...curatorOf(), name: 'shuffled', trust: 'shuffle', open: shuffleCurator }),
});
