import { describePluginLaws } from '@lethe/laws/vitest';
import { automaticClip, clips, coordinateClip, l1Clip, l2Clip } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('clip');

for (const plugin of clips) describePluginLaws(runner, () => plugin, { registry: clips, ...options });
// Radii at which squares overflow and underflow.
describePluginLaws(runner, () => l2Clip({ radius: 1e200 }), options);
describePluginLaws(runner, () => l2Clip({ radius: 1e-200 }), options);
describePluginLaws(runner, () => l1Clip({ radius: 1e200 }), options);
describePluginLaws(runner, () => l1Clip({ radius: 1e-200 }), options);
describePluginLaws(runner, () => coordinateClip({ radius: 1e200 }), options);
describePluginLaws(runner, () => automaticClip({ radius: 1e200, stability: 1e198 }), options);
describePluginLaws(runner, () => automaticClip({ radius: 1e-200, stability: 1e-203 }), options);
