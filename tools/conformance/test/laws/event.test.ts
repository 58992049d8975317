import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';
import { coinEvent, noiseEvent } from '../../../mutants/src/reference/events.ts';

// Two stand for a plugin's, with characterisations that none of the shipped has.
const kinds = [...mechanisms.filter((plugin) => plugin.kind === 'event'), noiseEvent, coinEvent];
for (const kind of kinds) describePluginLaws({ describe, it }, () => kind, { registry: kinds });
