import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { describe, it } from 'vitest';

for (const plugin of losses) describePluginLaws({ describe, it }, () => plugin, { registry: losses });
