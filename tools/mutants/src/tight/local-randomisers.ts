import { subjectsOf, type PluginOrRef, type Subject } from '@lethe/laws';
import { mechanisms, randomisedResponse, shuffledScalarSum, shuffledVectorSum } from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';

const at = (id: string, made: () => PluginOrRef): ReturnType<typeof defineTight<'localRandomiser'>> =>
  defineTight({
    id,
    kind: 'localRandomiser',
    plant: () => subjectsOf(made(), { registry: mechanisms })[0] as Subject<'localRandomiser'>,
  });

export const tightRandomisedResponse = at('randomised-response', () => randomisedResponse({}));
export const tightScalarSum = at('shuffled-scalar-sum', () =>
  shuffledScalarSum({ lower: -1, upper: 2, levels: 3 }),
);
export const tightVectorSum = at('shuffled-vector-sum', () => shuffledVectorSum({ radius: 1, levels: 4 }));
