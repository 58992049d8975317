import { optimizers } from '@lethe/algorithms';
import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

for (const plugin of optimizers) describePluginLaws({ describe, it }, () => plugin, { registry: [...mechanisms, ...losses] });
