import { dpSgd } from '@lethe/algorithms';
import { defineMutant } from '../mutant.js';
import { preparedOtherwise, spiedRun } from '../reference/spied-optimizer.js';

export const outsideForSmallSteps = defineMutant({
  id: 'optimizer/small-steps-end-outside',
  title: 'with steps below a tenth the last point is not projected; its examples take larger ones',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/in-domain'],
  within: 60,
  plant: () =>
    preparedOtherwise(
      dpSgd,
      (prepare, context) => {
        const run = prepare(context);
        const { stepSize = 1 } = context.params as { readonly stepSize?: number };
        return stepSize >= 0.1
          ? run
          : spiedRun(run, () => ({ output: (point) => point.map((entry) => 1e3 * (1 + entry)) }));
      },
      { params: { steps: 3, rate: 1, clipNorm: 1, stepSize: 0.5 } },
    ),
});
