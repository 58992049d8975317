import { domainAt, resolvePlugin, type Query, type Registry, type Selector, type Vector } from '@lethe/core';
import type { AnswerDistribution } from './answer-distribution.js';
import type { Setting } from './answer-distributions.js';

/**
 * The distribution of a choice by average loss, if all other records are zero and the canary's loss is the
 * end of its range where the first coordinate has the sign of its label, and 0 elsewhere. `null` for other
 * statistics, and for selectors without probabilities.
 */
export function choiceLaw(
  { registry, dimension, labels }: Setting,
  { candidates, statistic, selector, target: { epsilon } }: ChooseQuery,
): AnswerDistribution | null {
  if (statistic.of !== 'risk') return null;
  const { plugin, params } = resolvePlugin<Selector>(registry, selector);
  const points = candidates.by === 'list' ? candidates.points : latticeOf(registry, dimension, candidates);
  const positions = new Map(points.map((point, i) => [keyOf(point), i]));
  // In units of the sensitivity, which is the range over the normaliser.
  const probabilitiesOf = (times: number, label: number): Float64Array | null =>
    plugin.probabilities(
      params,
      Float64Array.from(points, ([first]) => (first * label > 0 ? -times : 0)),
      epsilon,
    );
  if (probabilitiesOf(0, 1) === null) return null;
  const known = new Map<string, Float64Array | null>();
  return {
    logLikelihood(answer, times, side) {
      const key = `${times} ${side}`;
      const found = known.get(key) ?? probabilitiesOf(times, labels[side]);
      known.set(key, found);
      const position = positions.get(keyOf(answer));
      return found === null || position === undefined ? -Infinity : Math.log(found[position]);
    },
  };
}

type ChooseQuery = Extract<Query, { readonly ask: 'choose' }>;

const keyOf = (point: Vector): string => point.join();

/**
 * Points of a domain with at most `sparsity` coordinates off its centre, by whole multiples of the spacing.
 */
function latticeOf(
  registry: Registry,
  dimension: number,
  {
    domain: ref,
    spacing,
    sparsity,
  }: Pick<Extract<ChooseQuery['candidates'], { readonly by: 'lattice' }>, 'domain' | 'spacing' | 'sparsity'>,
): readonly Vector[] {
  const domain = domainAt(registry, ref, dimension);
  const steps = Math.ceil(domain.diameter / spacing);
  let found: readonly { readonly point: Vector; readonly moved: number }[] = [
    { point: domain.centre.slice(), moved: 0 },
  ];
  for (let j = 0; j < dimension; j++)
    found = found.flatMap(({ point, moved }) => [
      { point, moved },
      ...(moved === sparsity
        ? []
        : Array.from({ length: 2 * steps }, (_, k) => (k < steps ? k - steps : k - steps + 1)).map(
            (step) => ({
              point: point.with(j, domain.centre[j] + step * spacing),
              moved: moved + 1,
            }),
          )),
    ]);
  return found.map(({ point }) => point).filter((point) => domain.contains(point));
}
