import { describePluginLaws } from '@lethe/laws/vitest';
import { sketches } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

for (const plugin of sketches) describePluginLaws({ describe, it }, () => plugin, { registry: sketches });
