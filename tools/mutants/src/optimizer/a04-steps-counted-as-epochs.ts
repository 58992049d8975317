import { dpSgd } from '@lethe/algorithms';
import type { PrivacyEvent } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { preparedOtherwise } from '../reference/spied-optimizer.js';

const params = { steps: 8, rate: 0.25, clipNorm: 1, stepSize: 0.1 };

/** As many compositions as there are passes over the data. */
function inEpochs(event: PrivacyEvent): PrivacyEvent {
  const { parts } = event as unknown as {
    readonly parts: readonly { readonly event: PrivacyEvent; readonly count: number }[];
  };
  return {
    ...event,
    parts: parts.map((part) => ({ ...part, count: Math.round(part.count * params.rate) })),
  } as PrivacyEvent;
}

export const a04 = defineMutant({
  id: 'optimizer/steps-counted-epochs',
  title: 'steps counted as epochs',
  kind: 'optimizer',
  source: 'Opacus changelog: accountant when using number of steps instead of epochs',
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(
      dpSgd,
      (prepare, context) => {
        const run = prepare({
          ...context,
          calibrate: (request) =>
            context.calibrate({ ...request, make: (value) => inEpochs(request.make(value)) }),
        });
        return Object.freeze({ ...run, plan: { ...run.plan, event: inEpochs(run.plan.event) } });
      },
      { params },
    ),
});
