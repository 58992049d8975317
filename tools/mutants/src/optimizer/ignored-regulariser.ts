import { dpSgd } from '@lethe/algorithms';
import { defineMutant } from '../mutant.js';
import { preparedOtherwise } from '../reference/spied-optimizer.js';

export const regulariserIgnored = defineMutant({
  id: 'optimizer/regulariser-taken-and-ignored',
  title: 'declares that it takes any regulariser, and takes none into account',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/regulariser'],
  within: 4,
  plant: () =>
    preparedOtherwise(
      dpSgd,
      (prepare, context) => {
        const { regulariser: _, ...problem } = context.problem;
        return prepare({ ...context, problem });
      },
      { more: { regularisers: 'any' } },
    ),
});
