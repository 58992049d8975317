import { optimizers } from '@lethe/algorithms';
import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

// Three dozen examples under every law: half the inputs and samples of each, which `lethe laws` and the mutants see in full.
for (const plugin of optimizers) describePluginLaws({ describe, it }, () => plugin, { registry: [...mechanisms, ...losses], effort: 0.5 });
