import { defineMutant } from '../mutant.js';
import { boxMeanDefinition } from '../reference/box-mean.js';
import { meanSensitivity } from '../reference/mean.js';
import { planted } from './plant.js';

export const m24 = defineMutant({
  id: 'mean/sensitivity-asymmetric-bounds-lower-one',
  title: 'the sensitivity of asymmetric bounds is that of the lower one',
  kind: 'mean',
  source: 'IBM/differential-privacy-library #104 and #105',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    planted(boxMeanDefinition, {
      sensitivity: ({ lower }, context) => meanSensitivity(Math.sqrt(context.dimension) * -lower, context),
    }),
});
