import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms, noiseMechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

for (const plugin of noiseMechanisms.filter(({ kind }) => kind === 'mechanism')) describePluginLaws({ describe, it }, () => plugin, { registry: mechanisms });
