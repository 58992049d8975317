import type { BestOfSweep, Cell } from '../experiment/results.js';
import type { Evaluation } from '../experiment/schema.js';

/** Standard errors by which two means must differ for the better one to be told from chance. */
const clearly = 2;

/**
 * The setting of every sweep that has the least mean excess risk, at each size and budget. It is chosen with
 * the records in hand, as everything in a simulation; a release that chooses so has to pay for the choice.
 */
export function bestOfSweeps(
  cells: readonly Cell[],
  { optimizers }: Pick<Evaluation, 'optimizers'>,
): readonly BestOfSweep[] {
  const sweeps = new Map(
    optimizers.flatMap(({ label, sweep }) =>
      label === undefined || sweep === undefined ? [] : [[label, sweep] as const],
    ),
  );
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const { label, n, budget } = cell;
    const of = sweeps.get(label)?.of;
    if (of === undefined) continue;
    const key = JSON.stringify([of, n, budget.epsilon, budget.delta]);
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups.values()].flatMap((group): readonly BestOfSweep[] => {
    const [best, next] = group
      .filter(({ excess }) => Number.isFinite(excess.mean))
      .toSorted((a, b) => a.excess.mean - b.excess.mean);
    const sweep = sweeps.get(best?.label ?? '');
    if (best === undefined || sweep === undefined) return [];
    const { label, n, budget, excess } = best;
    return [
      {
        of: sweep.of,
        n,
        budget,
        label,
        values: sweep.values,
        settings: group.length,
        mean: excess.mean,
        standardError: excess.standardError,
        next:
          next === undefined
            ? null
            : {
                label: next.label,
                mean: next.excess.mean,
                standardError: next.excess.standardError,
                isClear:
                  best.runs.length > 1 &&
                  next.excess.mean - excess.mean >
                    clearly * Math.hypot(excess.standardError, next.excess.standardError),
              },
      },
    ];
  });
}
