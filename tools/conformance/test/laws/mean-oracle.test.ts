import { describePluginLaws } from '@lethe/laws/vitest';
import { clippedGaussian, coordinateMedianOfMeans, countSketchMean, gaussianL1Recovery, laplaceLatticeMean, laplaceProjectionMechanism, latticeMean, mechanisms, projectionMechanism, skellamLatticeMean, srhtMean } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

describePluginLaws({ describe, it }, () => clippedGaussian, { registry: mechanisms });
describePluginLaws({ describe, it }, () => clippedGaussian({ radius: 1e100 }), { registry: mechanisms });
describePluginLaws({ describe, it }, () => coordinateMedianOfMeans, { registry: mechanisms });
describePluginLaws({ describe, it }, () => projectionMechanism, { registry: mechanisms });
describePluginLaws({ describe, it }, () => laplaceProjectionMechanism, { registry: mechanisms });
describePluginLaws({ describe, it }, () => gaussianL1Recovery, { registry: mechanisms });
describePluginLaws({ describe, it }, () => countSketchMean, { registry: mechanisms });
describePluginLaws({ describe, it }, () => srhtMean, { registry: mechanisms });
describePluginLaws({ describe, it }, () => latticeMean, { registry: mechanisms });
describePluginLaws({ describe, it }, () => laplaceLatticeMean, { registry: mechanisms });
describePluginLaws({ describe, it }, () => skellamLatticeMean, { registry: mechanisms });
