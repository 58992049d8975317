import { defineTight } from '../mutant.ts';
import { curatorOf } from '../curator/wrap.ts';

export const trustedCurator = defineTight({ id: 'trusted-curator', kind: 'curator', plant: () => curatorOf() });
