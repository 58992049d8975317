import {
  boundedMean,
  clipBound,
  defineClip,
  defineMean,
  seededRandom,
  type MeanQuery,
  type Vector,
  type Json,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { type CsrMatrix } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { none, plain } from '../curator/stand-ins/common.js';
import {
  columns,
  dimensionOf,
  gradientAt,
  isWithinReach,
  labelEntries,
  margins,
  norm,
  points,
  recordAt,
  withoutLabels,
  type At,
} from './points.js';

/** Never clips, so that a mean is the mean; lets the curator take its fused kernels. */
const wide = defineClip({
  ...plain,
  name: 'laws/wide',
  params: none,
  norm: 'l2',
  isProjection: true,
  radius: () => 1e250,
  factor: () => 1,
  clipInPlace: () => undefined,
  biasBound: () => 0,
  varianceBound: () => 0,
});

const widest = defineMean({
  ...plain,
  name: 'laws/widest',
  params: none,
  ...boundedMean((_params, shape) => clipBound(shape, wide({}))),
  privacyRestsOn: 'clip',
  mechanism: () => ({ kind: 'mechanism', name: 'none', params: {} }),
  biasBound: () => 0,
  varianceBound: () => 0,
});

/** The curator's result over records equals that of the loss record by record. */
export const batch = defineLaw<'loss'>({
  id: 'loss/batch',
  kind: 'loss',
  tier: 'search',
  elsewhere: 2,
  statement:
    'a curator’s mean without noise, of dense or of sparse rows, is the mean of gradientInto over the ' +
    'records: kernel and linear form compute the same slope',
  power: 'a slope off by one part in 10⁹ at any margin from −10⁴ to 10⁴, 60 batches of at most 6 records',
  exempt: withoutLabels,
  check: (subject, env) =>
    env.forAll(
      fc.array(points(subject), { minLength: 1, maxLength: 6 }),
      (records) => compared(subject, records),
      { runs: 60, examples: margins(subject).map((at) => [at]) },
    ),
});

function compared(subject: Subject<'loss'>, drawn: readonly At[]): Violation | undefined {
  const [{ w }] = drawn as readonly [At];
  const records = drawn.filter((record) => isWithinReach(subject, { ...record, w }));
  const dimension = dimensionOf(subject);
  const mean = (at: readonly number[]): Vector =>
    records.reduce((sum, record) => {
      const gradient = gradientAt(subject, at, recordAt(subject, record));
      return sum.map((entry, j) => entry + gradient[j] / records.length);
    }, new Float64Array(dimension));
  const expected = mean(w);
  const sizes = records.reduce(
    (sum, record) => sum + norm(gradientAt(subject, w, recordAt(subject, record))) / records.length,
    0,
  );
  // Margins are summed in another order there: what moving the point by so much changes is no difference.
  const wobble = [1 + 2 ** -40, 1 - 2 ** -40].flatMap((by) =>
    records.map((record) => {
      const [here, there] = [
        gradientAt(subject, w, recordAt(subject, record)),
        gradientAt(
          subject,
          w.map((entry) => entry * by),
          recordAt(subject, record),
        ),
      ];
      return norm(here.map((entry, j) => entry - there[j])) + 2 ** -44 * norm(w) * norm(record.x) ** 2;
    }),
  );
  const allowed =
    Math.max(...wobble) * 2 + 2 ** -32 * sizes + 2 ** -44 * Math.max(...records.map(({ x }) => norm(x)));
  for (const form of ['dense', 'sparse'] as const) {
    const found = meanByCurator(subject, records, w, form);
    const off = norm(found.map((entry, j) => entry - expected[j]));
    if (!(off <= allowed))
      return {
        what:
          `the mean of ${form} rows is [${found.join(', ')}] by a curator ` +
          `and [${expected.join(', ')}] by gradientInto`,
        measured: off,
        allowed,
        input: { w, records: records.map(({ x, label }) => ({ x, label })) },
      };
  }
  return undefined;
}

function meanByCurator(
  subject: Subject<'loss'>,
  records: readonly At[],
  w: readonly number[],
  form: 'dense' | 'sparse',
): Vector {
  const { plugin, params } = subject;
  const data = Float64Array.from(records.flatMap(({ x }) => x));
  const sparse: CsrMatrix = {
    rows: records.length,
    columns,
    rowStarts: Uint32Array.from({ length: records.length + 1 }, (_, i) => i * columns),
    columnIndices: Uint32Array.from(data, (_, k) => k % columns),
    values: data,
  };
  const features =
    form === 'sparse'
      ? sparse
      : { data, rows: records.length, columns, offset: 0, rowStride: columns, columnStride: 1 };
  const registry = [plugin, wide, widest];
  const attached = attachData({
    features,
    labels: Float64Array.from(records.flatMap(({ label }) => labelEntries(subject, label))),
    loss: { kind: 'loss', name: plugin.name, params: params as Json },
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  const curator = centralCurator({
    data: attached,
    registry,
    run: 'run',
    random: seededRandom('coins'),
    allowUnprotected: true,
  });
  const query: MeanQuery = {
    ask: 'mean',
    of: { terms: [{ weight: 1, at: Float64Array.from(w) }] },
    batch: curator.allRecords,
    mean: widest({}),
    target: { unprotected: true },
  };
  return curator.answer(0, query).answer as Vector;
}
