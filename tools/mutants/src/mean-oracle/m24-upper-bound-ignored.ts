import { defineMutant } from '../mutant.js';
import { boxMeanDefinition } from '../reference/box-mean.js';
import { meanSensitivity } from '../reference/oracle.js';
import { planted } from './plant.js';

export const m24 = defineMutant({
  id: 'mean-oracle/sensitivity-asymmetric-bounds-lower-one', title: 'the sensitivity of asymmetric bounds is that of the lower one', kind: 'meanOracle', source: 'IBM/differential-privacy-library #104 and #105',
  killedBy: ['meanOracle/sensitivity'], within: 500,
  plant: () => planted(boxMeanDefinition, { sensitivity: ({ lower }, context) => meanSensitivity(Math.sqrt(context.dimension) * -lower, context) }),
});
