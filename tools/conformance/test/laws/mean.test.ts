import { describePluginLaws } from '@lethe/laws/vitest';
import {
  certifiedMean,
  clippedMean,
  coordinateMedianOfMeans,
  countSketchMean,
  gaussian,
  gaussianL1Recovery,
  l2Clip,
  laplaceLatticeMean,
  laplaceProjectionMechanism,
  latticeMean,
  mechanisms,
  projectionMechanism,
  shuffledMean,
  skellamLatticeMean,
  srhtMean,
} from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('mean');

describePluginLaws(runner, () => clippedMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => clippedMean({ clip: l2Clip({ radius: 1e100 }), mechanism: gaussian({}) }), {
  registry: mechanisms,
  ...options,
});
describePluginLaws(runner, () => certifiedMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => shuffledMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => coordinateMedianOfMeans, { registry: mechanisms, ...options });
describePluginLaws(runner, () => projectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => laplaceProjectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => gaussianL1Recovery, { registry: mechanisms, ...options });
describePluginLaws(runner, () => countSketchMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => srhtMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => latticeMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => laplaceLatticeMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => skellamLatticeMean, { registry: mechanisms, ...options });
