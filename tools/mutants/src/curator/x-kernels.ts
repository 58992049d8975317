import type { Mean } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { optioned, withPlugins } from './wrap.js';

/** Sums of this loss by its kernel are clipped to a radius that is a twentieth too large. */
const clippedTooFar = (loss: string) =>
  optioned((options) =>
    options.data.loss.plugin.name !== loss
      ? options
      : withPlugins<Mean>(options, 'mean', (mean) =>
          mean.trust === 'shuffle'
            ? {}
            : {
                linear(params, shape) {
                  const linear = mean.linear?.(params, shape) ?? null;
                  return linear === null || linear.radius === null
                    ? linear
                    : { ...linear, radius: 1.05 * linear.radius };
                },
              },
        ),
  );

const mutants = (['logistic', 'softmax', 'square'] as const).map((loss) =>
  defineMutant({
    id: `curator/kernel-of-${loss}-clips-too-far`,
    title: `sums by the fused kernel of the ${loss} loss are clipped to 1.05 times the radius`,
    kind: 'curator',
    source: 'generic',
    killedBy: ['curator/mean-value'],
    within: 40,
    plant: () => clippedTooFar(`laws/${loss}`),
  }),
);
export const [logisticTooFar, softmaxTooFar, squareTooFar] = mutants;
