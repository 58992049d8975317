import { describePluginLaws } from '@lethe/laws/vitest';
import { l2Clip } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

describePluginLaws({ describe, it }, () => l2Clip);
describePluginLaws({ describe, it }, () => l2Clip({ radius: 1e200 }));
describePluginLaws({ describe, it }, () => l2Clip({ radius: 1e-200 }));
