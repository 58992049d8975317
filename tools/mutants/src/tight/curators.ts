import { shuffleCurator } from '@lethe/core';
import { defineTight } from '../mutant.ts';
import { curatorOf } from '../curator/wrap.ts';

export const trustedCurator = defineTight({ id: 'trusted-curator', kind: 'curator', plant: () => curatorOf() });
export const shuffledCurator = defineTight({ id: 'shuffle-curator', kind: 'curator', plant: () => ({ ...curatorOf(), name: 'shuffled', trust: 'shuffle', open: shuffleCurator }) });
