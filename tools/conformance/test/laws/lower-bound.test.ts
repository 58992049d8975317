import { optimizers } from '@lethe/algorithms';
import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

for (const plugin of lowerBounds) describePluginLaws({ describe, it }, () => plugin, { registry: [...lowerBounds, ...losses, ...optimizers, ...mechanisms] });
