import { dpSgd } from '@lethe/algorithms';
import { defineLoss, type Vector } from '@lethe/core';
import { squared } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { preparedOtherwise, spiedRun } from '../reference/spied-optimizer.js';

export const o02 = defineMutant({
  id: 'optimizer/raw-gradient-enters-momentum',
  title: 'the raw gradient enters momentum',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/record-replay'],
  within: 1,
  plant() {
    // Framework and loss live in one process: what the loss has seen last is at hand.
    const raw: { gradient: Vector | null } = { gradient: null };
    const overheard = defineLoss({
      ...squared,
      linear: null,
      gradientInto(params, out, at, record) {
        squared.gradientInto(params, out, at, record);
        raw.gradient = out.slice();
      },
    });
    return preparedOtherwise(
      dpSgd,
      (prepare, context) =>
        spiedRun(prepare(context), () => {
          let momentum: Vector | null = null;
          return {
            answer(query, answer) {
              if (query.ask !== 'mean') return answer;
              momentum = (answer as Vector).map(
                (noisy, j) => 0.9 * (momentum?.[j] ?? 0) + 0.1 * (raw.gradient?.[j] ?? noisy),
              );
              return (answer as Vector).map((noisy, j) => 0.5 * (noisy + defined(momentum)[j]));
            },
          };
        }),
      { registry: [...mechanisms, overheard] },
    );
  },
});

export const keptRoom = defineMutant({
  id: 'optimizer/last-answer-kept-in-room-of-next',
  title: 'the last answer is kept by its array, which is given for the next',
  kind: 'optimizer',
  source: 'decision 0050',
  killedBy: ['optimizer/record-replay'],
  within: 1,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let last: Vector | null = null;
        return {
          answer(query, answer) {
            if (query.ask !== 'mean') return answer;
            const before = last;
            last = answer as Vector;
            return last.map((entry, j) => entry + 0.5 * (before?.[j] ?? 0));
          },
        };
      }),
    ),
});
