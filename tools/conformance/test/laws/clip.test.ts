import { describePluginLaws } from '@lethe/laws/vitest';
import { automaticClip, blockClip, coordinateClip, domainClip, gradientDifferenceClip, l1Clip, l2Clip } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

describePluginLaws({ describe, it }, () => l2Clip);
describePluginLaws({ describe, it }, () => l2Clip({ radius: 1e200 }));
describePluginLaws({ describe, it }, () => l2Clip({ radius: 1e-200 }));
describePluginLaws({ describe, it }, () => l1Clip);
describePluginLaws({ describe, it }, () => l1Clip({ radius: 1e200 }));
describePluginLaws({ describe, it }, () => l1Clip({ radius: 1e-200 }));
describePluginLaws({ describe, it }, () => coordinateClip);
describePluginLaws({ describe, it }, () => coordinateClip({ radius: 1e200 }));
describePluginLaws({ describe, it }, () => blockClip);
describePluginLaws({ describe, it }, () => automaticClip);
describePluginLaws({ describe, it }, () => automaticClip({ radius: 1e200, stability: 1e198 }));
describePluginLaws({ describe, it }, () => automaticClip({ radius: 1e-200, stability: 1e-203 }));
describePluginLaws({ describe, it }, () => domainClip);
describePluginLaws({ describe, it }, () => gradientDifferenceClip);
