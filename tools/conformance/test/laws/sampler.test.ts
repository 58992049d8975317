import { describePluginLaws } from '@lethe/laws/vitest';
import { samplers } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

for (const plugin of samplers) describePluginLaws({ describe, it }, () => plugin, { registry: samplers });
