import { driveSync, seededRandom, type Capabilities, type Problem, type Run, type Vector } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import type { SketchingSubject } from './sketching-subject.js';

/** Records with public bounds. */
export interface Records {
  readonly features: readonly (readonly number[])[];
  readonly featureNorm: number;
  readonly featureBounds: readonly number[];
}

/**
 * Logistic regression on the whole space under replace-one, with the facts derived from the declared bounds.
 */
export const logisticProblem = (
  { logistic }: SketchingSubject,
  { features, ...domain }: Records,
): Problem<Capabilities & { readonly convex: true; readonly smooth: true }> => ({
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension: domain.featureBounds.length,
  slots: [features.length],
  domain: wholeSpaceDomain({}),
  loss: { kind: 'loss', name: 'logistic', params: {} },
  capabilities: logistic.capabilities,
  facts: logistic.facts(
    {},
    { ...domain, featureBounds: [...domain.featureBounds], columns: domain.featureBounds.length },
  ),
});

/** Query of a step: the point and the coordinates. */
export interface Asked {
  readonly at: Vector;
  readonly coordinates: readonly number[];
}

/**
 * Drives a run over records with label 1, with the subject's noise.
 *
 * @returns the points of the queries, in order; consecutive points differ by one step.
 */
export function curated(
  subject: SketchingSubject,
  run: Run,
  { features, ...domain }: Records,
  start: readonly number[],
  label: string,
): readonly Asked[] {
  const { gaussian, logistic } = subject;
  const columns = start.length;
  const asked: Asked[] = [];
  const registry = [gaussian, logistic, ...mechanisms.filter(({ name }) => name !== 'gaussian')];
  const data = attachData({
    features: {
      data: Float64Array.from(features.flat()),
      rows: features.length,
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
    },
    labels: new Float64Array(features.length).fill(1),
    loss: { kind: 'loss', name: 'logistic', params: {} },
    registry,
    domain: { ...domain, featureBounds: [...domain.featureBounds] },
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  const curator = centralCurator({ data, registry, run: 'claim', random: seededRandom(`noise of ${label}`) });
  driveSync(run, curator, {
    start: Float64Array.from(start),
    random: seededRandom(`coins of ${label}`),
    observe: (query) => {
      if (query.ask === 'mean')
        asked.push({
          at: query.of.terms[0].at.slice(),
          coordinates: Array.from(query.of.coordinates ?? start.keys()),
        });
    },
  });
  return asked;
}
