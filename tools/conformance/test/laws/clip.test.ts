import { describePluginLaws } from '@lethe/laws/vitest';
import { automaticClip, blockClip, coordinateClip, domainClip, gradientDifferenceClip, l1Clip, l2Clip } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('clip');

describePluginLaws(runner, () => l2Clip, options);
describePluginLaws(runner, () => l2Clip({ radius: 1e200 }), options);
describePluginLaws(runner, () => l2Clip({ radius: 1e-200 }), options);
describePluginLaws(runner, () => l1Clip, options);
describePluginLaws(runner, () => l1Clip({ radius: 1e200 }), options);
describePluginLaws(runner, () => l1Clip({ radius: 1e-200 }), options);
describePluginLaws(runner, () => coordinateClip, options);
describePluginLaws(runner, () => coordinateClip({ radius: 1e200 }), options);
describePluginLaws(runner, () => blockClip, options);
describePluginLaws(runner, () => automaticClip, options);
describePluginLaws(runner, () => automaticClip({ radius: 1e200, stability: 1e198 }), options);
describePluginLaws(runner, () => automaticClip({ radius: 1e-200, stability: 1e-203 }), options);
describePluginLaws(runner, () => domainClip, options);
describePluginLaws(runner, () => gradientDifferenceClip, options);
