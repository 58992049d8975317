import { centralCurator, shuffleCurator } from '@lethe/curator';
import { federation } from '@lethe/curator/federation';
import { describeLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('curator', {
  alike: ['curator/one-value', 'curator/public-grid', 'curator/selection'],
  further: ['shuffled', 'federation of one silo'],
});

describeLaws(
  runner,
  {
    kind: 'curator',
    name: 'trusted',
    claims: [],
    registry: [...mechanisms, ...losses],
    open: centralCurator,
  },
  options,
);
describeLaws(
  runner,
  {
    kind: 'curator',
    name: 'shuffled',
    trust: 'shuffle',
    claims: [],
    registry: [...mechanisms, ...losses],
    open: shuffleCurator,
  },
  options,
);

// One silo is one machine: all that holds of its curator holds of the federation.
describeLaws(
  runner,
  {
    kind: 'curator',
    name: 'federation of one silo',
    claims: [],
    registry: [...mechanisms, ...losses],
    open: (given) => {
      const silo = centralCurator(given);
      return { ...silo, ...federation({ silos: [silo] }) };
    },
  },
  options,
);
