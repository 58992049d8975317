import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

for (const plugin of mechanisms)
  if (plugin.kind === 'regulariser')
    describePluginLaws({ describe, it }, () => plugin, { registry: mechanisms });
