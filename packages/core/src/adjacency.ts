import { Unsupported } from '@lethe/numerics';

/**
 * When two data sets are neighbours: one record replaced by another (`replace-one`), one record present or
 * absent (`add-remove`), one record replaced by the null record (`zero-out`).
 */
export const adjacencies = ['replace-one', 'add-remove', 'zero-out'] as const;
/** One of {@link adjacencies}. */
export type Adjacency = (typeof adjacencies)[number];

/**
 * A sensitivity per adjacency, in the norm of the mechanism beside it. A missing entry means *unsupported*,
 * never a default.
 */
export type Sensitivity = { readonly [A in Adjacency]?: number | undefined };

/**
 * The sensitivity under `adjacency`.
 *
 * @throws {Unsupported} when the map has no entry for it.
 */
export function sensitivityUnder(sensitivity: Sensitivity, adjacency: Adjacency, what: string): number {
  const value = sensitivity[adjacency];
  if (value !== undefined) return value;
  const has = adjacencies.filter((a) => sensitivity[a] !== undefined);
  throw new Unsupported(
    `${what} has no sensitivity under ${adjacency}; it declares ${has.join(', ') || 'none'}. ` +
      'Use one of those adjacencies.',
    { what, adjacency, has },
  );
}

/**
 * Sensitivities divided by the one of the run's adjacency: exact ratios such as 1 and ½, so that two releases
 * with the same noise multiplier are the same event whatever their scale.
 */
export function relativeTo(sensitivity: Sensitivity, adjacency: Adjacency): Sensitivity {
  const unit = sensitivityUnder(sensitivity, adjacency, 'the release');
  const ratio = (a: Adjacency): number | undefined => {
    const value = sensitivity[a];
    return value === undefined ? undefined : value / unit;
  };
  return definedSensitivity({
    'replace-one': ratio('replace-one'),
    'add-remove': ratio('add-remove'),
    'zero-out': ratio('zero-out'),
  });
}

/** The same map without entries that are `undefined`, so that equal maps have equal JSON. */
export function definedSensitivity(sensitivity: Sensitivity): Sensitivity {
  return Object.fromEntries(
    adjacencies.filter((a) => sensitivity[a] !== undefined).map((a) => [a, sensitivity[a]]),
  );
}
