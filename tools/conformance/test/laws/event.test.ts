import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';
import { coinEvent, noiseEvent } from '../../../mutants/src/reference/events.js';

const runner = lawRunner();
const options = optionsFor('event');

// Two further kinds have characterisations that no shipped kind has.
const kinds = [...mechanisms.filter((plugin) => plugin.kind === 'event'), noiseEvent, coinEvent];
for (const kind of kinds) describePluginLaws(runner, () => kind, { registry: kinds, ...options });
