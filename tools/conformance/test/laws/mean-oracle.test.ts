import { describePluginLaws } from '@lethe/laws/vitest';
import { clippedGaussian, mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

describePluginLaws({ describe, it }, () => clippedGaussian, { registry: mechanisms });
describePluginLaws({ describe, it }, () => clippedGaussian({ radius: 1e100 }), { registry: mechanisms });
