import { resolvePlugin, type Adjacency, type Capabilities, type DomainPlugin, type Fact, type Loss, type Problem, type Ref, type RecordDomain, type Registry } from '@lethe/core';
import type { ProblemSpec } from '../experiment/schema.js';

/** Public description of a problem of `n` records: all that a plan may read, and where each fact comes from. */
export interface PublicProblem {
  readonly problem: Problem;
  readonly record: RecordDomain;
  readonly facts: Readonly<Record<string, Fact & { readonly why: string }>>;
}

export function publicProblem(spec: Pick<ProblemSpec, 'loss' | 'domain' | 'record' | 'facts'>, options: { readonly registry: Registry; readonly adjacency: Adjacency; readonly n: number; readonly dimension: number; readonly rowNorm: number }): PublicProblem {
  const { registry, adjacency, n, dimension, rowNorm } = options;
  const lossRef: Ref<'loss'> = { kind: 'loss', ...spec.loss };
  const domainRef: Ref<'domain'> = { kind: 'domain', ...spec.domain };
  const loss = resolvePlugin<Loss>(registry, lossRef);
  const { plugin, params } = resolvePlugin<DomainPlugin>(registry, domainRef);
  const domain = plugin.build(params, dimension);
  const featureNorm = Math.min(rowNorm, spec.record.featureNorm ?? Infinity);
  const iterateNorm = domain.centre.reduce((norm, x) => Math.hypot(norm, x), 0) + domain.diameter;
  const record: RecordDomain = {
    dimension,
    ...(Number.isFinite(featureNorm) ? { featureNorm } : {}),
    ...(spec.record.labelBound === undefined ? {} : { labelBound: spec.record.labelBound }),
    ...(Number.isFinite(iterateNorm) ? { iterateNorm } : {}),
  };
  const derived = Object.entries(loss.plugin.facts(loss.params, record)).map(([name, fact]) => [name, { ...fact, why: 'follows from the declared bounds on records and iterates' }] as const);
  const diameter = Number.isFinite(domain.diameter)
    ? [['diameter', { value: domain.diameter, scope: 'every-record', provenance: 'from-domain', why: `diameter of the domain '${domain.name}'` }] as const] : [];
  const declared = Object.entries(spec.facts).map(([name, { value, why }]) => [name, { value, scope: 'population', provenance: 'declared', why }] as const);
  const facts: PublicProblem['facts'] = Object.fromEntries([...derived, ...diameter, ...declared]);
  const capabilities: Capabilities = loss.plugin.capabilities;
  return {
    record, facts,
    problem: { adjacency, trust: { model: 'central' }, dimension, slots: [n], domain: domainRef, loss: lossRef, capabilities, facts },
  };
}
