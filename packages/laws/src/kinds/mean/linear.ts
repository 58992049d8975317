import {
  memoryStore,
  seededRandom,
  type CentralMean,
  type GradientTerms,
  type Json,
  type LinearMean,
  type Registry,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import type { CsrMatrix } from '@lethe/numerics';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Data } from '../../arbitraries/vectors.js';
import { distance, normOf } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { loss, standIns } from '../curator/stand-ins/index.js';
import { batchesFor, few, type Batch } from './data.js';
import { defineMeanLaw } from './define-mean-law.js';
import { feed, noShape, scaleAt, shapesOf, wholeShape, type CentralSubject, type Shape } from './release.js';

const linearAt = ({ plugin, params, ...rest }: CentralSubject, shape: Shape): LinearMean | null =>
  plugin.linear?.(params, wholeShape({ plugin, params, ...rest }, shape)) ?? null;
const notLinear = (subject: CentralSubject): string | undefined =>
  noShape(subject) ??
  (shapesOf(subject).some((shape) => linearAt(subject, shape) !== null)
    ? undefined
    : 'it is not declared to be linear');

/**
 * Largest share of the bound by which two ways to work out
 * one sum may differ: roundings of margins, norms and sums.
 */
const slack = 2 ** -36;

/** The same mean without a fast path. */
function withoutLinear(plugin: CentralMean): CentralMean {
  return { ...plugin, linear: () => null };
}

/**
 * Ways in which a curator takes sums of a linear loss: by the
 * kernel, by margins, and along coordinates by kept margins.
 */
interface Way {
  readonly name: string;
  readonly loss: 'linear' | 'square';
  readonly sparse: boolean;
  readonly of: (dimension: number) => GradientTerms;
}
const at = (dimension: number): Vector =>
  Float64Array.from({ length: dimension }, (_, j) => Math.cos(3 * j) / 2);
const one = (dimension: number): GradientTerms => ({ terms: [{ weight: 1, at: at(dimension) }] });
const ways: readonly Way[] = [
  { name: 'the kernel on dense rows', loss: 'square', sparse: false, of: one },
  { name: 'the kernel on sparse rows', loss: 'square', sparse: true, of: one },
  { name: 'margins on dense rows', loss: 'linear', sparse: false, of: one },
  { name: 'margins on sparse rows', loss: 'linear', sparse: true, of: one },
  {
    name: 'two points',
    loss: 'square',
    sparse: false,
    of: (d) => ({
      terms: [
        { weight: 2, at: at(d) },
        { weight: -1, at: new Float64Array(d) },
      ],
    }),
  },
  {
    name: 'kept margins',
    loss: 'square',
    sparse: false,
    of: (d) => ({ ...one(d), coordinates: Uint32Array.from({ length: d }, (_, j) => d - 1 - j) }),
  },
  {
    name: 'kept margins without a kernel',
    loss: 'linear',
    sparse: false,
    of: (d) => ({ ...one(d), coordinates: Uint32Array.from({ length: d }, (_, j) => j) }),
  },
];

function answered(
  subject: CentralSubject,
  plugin: CentralMean,
  { shape: { dimension, slots }, data }: Batch,
  { loss: name, sparse, of }: Way,
): Vector {
  const registry: Registry = [
    plugin,
    ...standIns(),
    ...subject.registry.filter((other) => !(other.kind === 'mean' && other.name === plugin.name)),
  ];
  const values = new Float64Array(slots * dimension);
  data.forEach((row, i) => {
    if (row !== null) values.set(row, i * dimension);
  });
  const csr: CsrMatrix = {
    rows: slots,
    columns: dimension,
    values,
    rowStarts: Uint32Array.from({ length: slots + 1 }, (_, i) => i * dimension),
    columnIndices: Uint32Array.from(values, (_, k) => k % dimension),
  };
  const set = attachData({
    features: sparse
      ? csr
      : { data: values, rows: slots, columns: dimension, offset: 0, rowStride: dimension, columnStride: 1 },
    labels: Float64Array.from({ length: slots }, (_, i) => (i % 3) - 1),
    nulls: Uint8Array.from(data, (row) => (row === null ? 1 : 0)),
    loss: loss(name),
    registry,
    ledger: openLedger({ adjacency: 'zero-out', store: memoryStore() }),
    domain: { featureNorm: 1e280, labelBound: 1, iterateNorm: 1 },
  });
  const curator = centralCurator({
    data: set,
    registry,
    run: 'laws',
    random: seededRandom('laws'),
    allowUnprotected: true,
  });
  return curator.answer(0, {
    ask: 'mean',
    of: of(dimension),
    batch: curator.allRecords,
    mean: { kind: 'mean', name: plugin.name, params: subject.params as Json },
    target: { unprotected: true },
  }).answer as Vector;
}

/** Nulls stay, and records are small enough that margins are finite. */
const moderate = (data: Data): Data =>
  data.map((row) => (row !== null && row.every((x) => Math.abs(x) < 1e100) ? row : null));

/** The fast path of a curator is the mean's own code. */
export const fastPath = defineMeanLaw({
  id: 'mean/fast-path',
  tier: 'search',
  statement:
    'where it is declared linear, a curator that never calls its code answers what the code gives, ' +
    'to 2^-36 of the bound: by a fused kernel, by margins, along coordinates, ' +
    'of dense and of sparse rows; and the value of one record, where nothing is made of the mean, is ' +
    'factor(norms of z)·z over the slots',
  power:
    'a factor that is off by one part in 10^10, a factor of another norm, a transform that differs, or a ' +
    'radius for a factor that is not min(1, radius/norm), on one of 60 batches',
  exempt: notLinear,
  check(subject, env) {
    const bare = withoutLinear(subject.plugin);
    return env.forAll(
      fc.tuple(batchesFor(subject), fc.constantFrom(...ways)),
      ([{ shape, data: all }, way]): Violation | undefined => {
        const linear = linearAt(subject, shape);
        if (linear === null || !(scaleAt(subject, shape) < 1e100)) return undefined;
        const data = moderate(all);
        const batch = { shape, data };
        const size = scaleAt(subject, shape) / shape.slots;
        for (const row of data) {
          const lengths = (linear.norms ?? ['l2']).map((norm) => (row === null ? 0 : normOf(norm, row)));
          const factor = linear.factor(...lengths);
          const expected = (row ?? []).map((x) => (x * factor) / shape.slots);
          const measured =
            row === null || linear.transform !== undefined
              ? 0
              : distance(
                  'linf',
                  feed(subject, [row], { shape, randomness: env.random('coins') }).value,
                  expected,
                );
          if (!(measured <= slack * size))
            return {
              what:
                `the value of ${few(defined(row))} is not factor(${lengths.join(', ')}) = ${factor} ` +
                `times it, over ${shape.slots} slots`,
              measured,
              allowed: slack * size,
              input: { shape, row },
            };
          const ofBall = linear.radius === null ? factor : Math.min(1, linear.radius / lengths[0]);
          if (Math.abs(factor - ofBall) > slack)
            return {
              what:
                `the factor at ${lengths.join(', ')} is ${factor}; with the radius ${linear.radius} ` +
                'it is declared min(1, radius/norm)',
              input: { shape, lengths },
            };
        }
        // A certified mean is bounded by the facts of each data set.
        if (subject.plugin.privacyRestsOn !== 'clip') return undefined;
        const fast = answered(subject, subject.plugin, batch, way);
        const own = answered(subject, bare, batch, way);
        const measured = distance('linf', fast, own);
        const allowed = slack * size * shape.slots;
        return measured <= allowed
          ? undefined
          : {
              what: `by ${way.name} a curator answers ${few(fast)}; the code of the mean gives ${few(own)}`,
              measured,
              allowed,
              input: { shape, data, way: way.name },
            };
      },
      { runs: 60 },
    );
  },
});
