import { describePluginLaws } from '@lethe/laws/vitest';
import { clippedGaussian, coordinateMedianOfMeans, countSketchMean, gaussianL1Recovery, laplaceLatticeMean, laplaceProjectionMechanism, latticeMean, mechanisms, projectionMechanism, skellamLatticeMean, srhtMean } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('meanOracle');

describePluginLaws(runner, () => clippedGaussian, { registry: mechanisms, ...options });
describePluginLaws(runner, () => clippedGaussian({ radius: 1e100 }), { registry: mechanisms, ...options });
describePluginLaws(runner, () => coordinateMedianOfMeans, { registry: mechanisms, ...options });
describePluginLaws(runner, () => projectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => laplaceProjectionMechanism, { registry: mechanisms, ...options });
describePluginLaws(runner, () => gaussianL1Recovery, { registry: mechanisms, ...options });
describePluginLaws(runner, () => countSketchMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => srhtMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => latticeMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => laplaceLatticeMean, { registry: mechanisms, ...options });
describePluginLaws(runner, () => skellamLatticeMean, { registry: mechanisms, ...options });
