import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

for (const plugin of mechanisms) if (plugin.kind === 'localRandomiser') describePluginLaws({ describe, it }, () => plugin, { registry: mechanisms });
