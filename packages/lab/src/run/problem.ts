import {
  coordinateFact,
  domainAt,
  InvalidParameter,
  iterateDimensionOf,
  regulariserAt,
  resolvePlugin,
  type Adjacency,
  type Capabilities,
  type Fact,
  type Loss,
  type Problem,
  type Ref,
  type RecordDomain,
  type Registry,
  type TrustModel,
} from '@lethe/core';
import { boundsWithin } from '@lethe/losses';
import type { SampledSpec } from '../experiment/schema.js';
import { siloSizes } from './silos.js';

/** Public numbers that a problem is described with. */
export interface PublicSizes {
  readonly registry: Registry;
  readonly adjacency: Adjacency;
  readonly n: number;
  /** Set where slots are owners of records. @defaultValue a record */
  readonly unit?: 'owner' | undefined;
  /** Features of a record. */
  readonly columns: number;
  /** Bounds on every record that follow from the design. */
  readonly rowNorm: number;
  readonly columnBounds: readonly number[] | null;
  /** Entries of a record that may differ from zero, by the design. @defaultValue all */
  readonly sparsity?: number | undefined;
  /** Trust model; silos have as many records each. @defaultValue central */
  readonly trust?: TrustModel;
}

/**
 * Public description of a problem of `n` records: all that a plan may read, and where each fact comes from.
 */
export interface PublicProblem {
  readonly problem: Problem;
  readonly record: RecordDomain;
  readonly facts: Readonly<Record<string, Fact & { readonly why: string }>>;
}

/**
 * The loss says how many entries an iterate has.
 *
 * @throws {InvalidParameter} for bounds, facts or a regulariser that do not fit.
 */
export function publicProblem(
  spec: Pick<SampledSpec, 'loss' | 'domain' | 'record' | 'facts' | 'regulariser'>,
  options: PublicSizes,
): PublicProblem {
  const { registry, adjacency, n, columns, rowNorm, columnBounds, trust = { model: 'central' } } = options;
  const { regulariser } = spec;
  const lossRef: Ref<'loss'> = { kind: 'loss', ...spec.loss };
  const domainRef: Ref<'domain'> = { kind: 'domain', ...spec.domain };
  const loss = resolvePlugin<Loss>(registry, lossRef);
  const dimension = iterateDimensionOf(loss, columns);
  if (regulariser !== undefined) regulariserAt(registry, regulariser, dimension);
  const domain = domainAt(registry, domainRef, dimension);
  const featureNorm = Math.min(rowNorm, spec.record.featureNorm ?? Infinity);
  const featureBounds = boundsOf(spec.record.featureBounds, columnBounds, columns);
  const sparsity = Math.min(spec.record.sparsity ?? Infinity, options.sparsity ?? Infinity);
  const { record, facts: known } = boundsWithin(loss, domain, {
    columns,
    ...(Number.isFinite(featureNorm) ? { featureNorm } : {}),
    ...(featureBounds === null ? {} : { featureBounds }),
    ...(spec.record.labelBound === undefined ? {} : { labelBound: spec.record.labelBound }),
    ...(sparsity < Infinity ? { sparsity } : {}),
  });
  const derived = Object.fromEntries(
    Object.entries(known).map(([name, fact]) => {
      const why =
        name === 'diameter'
          ? `diameter of the domain '${domain.name}'`
          : 'follows from the declared bounds on records and iterates';
      return [name, { ...fact, why }] as const;
    }),
  );
  const declared = Object.entries(spec.facts).flatMap(([name, { value, why }]) =>
    byCoordinate(name, value, dimension).map(
      ([one, number]) => [one, { value: number, scope: 'population', provenance: 'declared', why }] as const,
    ),
  );
  assertNews(declared, derived, dimension);
  const facts: PublicProblem['facts'] = { ...derived, ...Object.fromEntries(declared) };
  const capabilities: Capabilities = loss.plugin.capabilities;
  return {
    record,
    facts,
    problem: {
      adjacency,
      trust,
      dimension,
      slots: 'silos' in trust ? siloSizes(trust, n) : [n],
      ...(options.unit === undefined ? {} : { unit: options.unit }),
      domain: domainRef,
      loss: lossRef,
      capabilities,
      facts,
      ...(regulariser === undefined ? {} : { regulariser }),
    },
  };
}

/**
 * Refuses declared facts that also follow from the bounds, which they would replace, and facts of coordinates
 * beyond the dimension, which nothing reads.
 */
function assertNews(
  declared: readonly (readonly [string, Fact])[],
  derived: PublicProblem['facts'],
  dimension: number,
): void {
  for (const [name] of declared) {
    const [, family, at] = /^(.*)\.(\d+)$/u.exec(name) ?? [];
    const known = family === undefined ? derived[name] : coordinateFact(derived, family, Number(at));
    const [source, change] =
      name === 'diameter' ? ['the domain', 'the domain'] : ['the declared bounds', 'the bounds'];
    if (known !== undefined)
      throw new InvalidParameter(
        `the fact '${name}' follows from ${source}: it is ${known.value}; leave it out, or change ${change}`,
        { fact: name, value: known.value },
      );
    const coordinate = /^(?:startDistance|coordinate(?!GradientMoment\.)[A-Z]\w*)\.(.*)$/u.exec(name)?.[1];
    if (coordinate !== undefined && !(/^(?:0|[1-9]\d*)$/u.test(coordinate) && Number(coordinate) < dimension))
      throw new InvalidParameter(
        `the fact '${name}' is of a coordinate that is not there; the coordinates are 0 to ${dimension - 1}`,
        { fact: name, dimension },
      );
  }
}

/**
 * Minimum of the declared bound and the design's, for each column; `null` without either.
 */
function boundsOf(
  declared: SampledSpec['record']['featureBounds'],
  derived: readonly number[] | null,
  columns: number,
): readonly number[] | null {
  if (declared === undefined) return derived;
  if (typeof declared !== 'number' && declared.length !== columns)
    throw new InvalidParameter(
      `record.featureBounds has ${declared.length} numbers, the records have ${columns} columns; ` +
        'give one for each, or one for all',
      { length: declared.length, columns },
    );
  return Array.from({ length: columns }, (_, j) =>
    Math.min(typeof declared === 'number' ? declared : declared[j], derived?.[j] ?? Infinity),
  );
}

/** A list declares one fact for each coordinate: `name.0`, `name.1`, … */
function byCoordinate(
  name: string,
  value: number | readonly number[],
  dimension: number,
): readonly (readonly [string, number])[] {
  if (typeof value === 'number') return [[name, value]];
  if (value.length !== dimension)
    throw new InvalidParameter(
      `the fact '${name}' lists ${value.length} numbers, the problem has dimension ${dimension}; ` +
        'give one for each coordinate',
      { fact: name, length: value.length, dimension },
    );
  return value.map((one, j) => [`${name}.${j}`, one]);
}
