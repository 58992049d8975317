import {
  memoryStore,
  seededRandom,
  type Adjacency,
  type CentralMean,
  type MeanShape,
  type RandomSource,
  type Registry,
  type Target,
  type Vector,
  type Json,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { randomFromKey, defined } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import { type Violation, fails, holds } from '../../law/finding.js';
import type { Cell } from '../../law/law.js';
import { defineMeanLaw } from './define-mean-law.js';
import { unit } from '../clip/apply.js';
import { batchesFor, few } from './data.js';
import { recordLoss } from './record-loss.js';
import {
  adjacenciesOf,
  declaredNorm,
  mechanismOf,
  noShape,
  scaleAt,
  sensitivityAt,
  type CentralSubject,
  type Shape,
} from './release.js';

/** Calls of a curator to a mean. */
interface Recording {
  shape?: MeanShape;
  random?: RandomSource;
  readonly slots: number[];
  noised?: Vector;
}

/** A mean that records the calls of the curator. */
function recordingMean(plugin: CentralMean, recording: Recording): CentralMean {
  const begin: CentralMean['begin'] = (params, shape, random) => {
    Object.assign(recording, { shape, random });
    const run = plugin.begin(params, shape, random);
    return {
      add: (slot, gradient) => {
        recording.slots.push(slot);
        run.add(slot, gradient);
      },
      value: () => run.value(),
      finish: (noised) => {
        recording.noised = noised.slice();
        return run.finish(noised);
      },
    };
  };
  return { ...plugin, begin, linear: () => null };
}

function answered(
  subject: CentralSubject,
  { shape, data }: { readonly shape: Shape; readonly data: Data },
  adjacency: Adjacency,
  target: Target,
  recording: Recording,
): Vector {
  const { plugin, params, registry } = subject;
  const plugins: Registry = [
    recordingMean(plugin, recording),
    recordLoss,
    ...registry.filter((other) => !(other.kind === 'mean' && other.name === plugin.name)),
  ];
  const records = new Float64Array(shape.slots * shape.dimension);
  data.forEach((row, i) => {
    if (row !== null) records.set(row, i * shape.dimension);
  });
  const set = attachData({
    features: {
      data: records,
      rows: shape.slots,
      columns: shape.dimension,
      offset: 0,
      rowStride: shape.dimension,
      columnStride: 1,
    },
    nulls: Uint8Array.from(data, (row) => (row === null ? 1 : 0)),
    loss: recordLoss({}),
    registry: plugins,
    ledger: openLedger({ adjacency, store: memoryStore() }),
  });
  const curator = centralCurator({
    data: set,
    registry: plugins,
    run: 'laws',
    random: seededRandom('laws'),
    allowUnprotected: true,
  });
  const { answer } = curator.answer(0, {
    ask: 'mean',
    of: { terms: [{ weight: 1, at: new Float64Array(shape.dimension) }] },
    batch: curator.allRecords,
    mean: { kind: 'mean', name: plugin.name, params: params as Json },
    target,
  });
  return answer as Vector;
}

/** The same release without a curator: the same randomness from its start, and what the curator noised. */
function replayed(
  { plugin, params }: CentralSubject,
  data: Data,
  { shape, random, noised }: Recording,
  isNoised: boolean,
): Vector {
  const run = plugin.begin(params, defined(shape), randomFromKey(defined(random).key(), 'seeded'));
  data.forEach((row, slot) =>
    run.add(slot, row === null ? new Float64Array(defined(shape).dimension) : Float64Array.from(row)),
  );
  const value = run.value();
  return run.finish(isNoised ? defined(noised) : value);
}

/** The mean has the same answers in core's curator and without it. */
export const curatorAgrees = defineMeanLaw({
  id: 'mean/curator-agrees',
  tier: 'search',
  statement:
    'a central curator can answer by it: its mechanism takes a sensitivity in its norm; ' +
    'without noise the answer is that of begin, add and finish on the same records and randomness, ' +
    'and with noise finish is all that stands between',
  power:
    'any disagreement beyond rounding on one of 25 batches under each adjacency with batches of exact size',
  exempt: (subject) =>
    noShape(subject) ??
    (mechanismOf(subject) === undefined
      ? `the registry has no mechanism '${subject.plugin.mechanism(subject.params).name}'`
      : undefined),
  cells: (subject): readonly Cell[] => {
    const exact = adjacenciesOf(subject).filter((adjacency) => adjacency !== 'add-remove');
    return exact.length === 0
      ? [{ name: 'no batch of exact size' }]
      : exact.map((adjacency) => ({ name: adjacency, adjacency }));
  },
  check(subject, env) {
    const { params } = subject;
    const { adjacency } = env.cell;
    const { plugin: mechanism } = defined(mechanismOf(subject));
    if (mechanism.norm !== declaredNorm(subject))
      return fails(1, {
        what:
          `its value is bounded in ${declaredNorm(subject)}, and its mechanism '${mechanism.name}' needs ` +
          `a bound in ${mechanism.norm}: a curator refuses it`,
        input: params,
      });
    if (adjacency === undefined)
      return holds(
        1,
        'a curator has batches of exact size under replace-one and zero-out alone, and it declares neither',
      );
    return env.forAll(
      batchesFor(subject),
      ({ shape, data }): Violation | undefined => {
        if (
          defined(sensitivityAt(subject, shape))[adjacency] === undefined ||
          !(scaleAt(subject, shape) < 1e250)
        )
          return undefined;
        const records =
          adjacency === 'replace-one'
            ? data.map((row) => row ?? Array.from({ length: shape.dimension }, () => 0))
            : data;
        for (const target of [{ unprotected: true }, { noiseMultiplier: 1 }] as const) {
          const recording: Recording = { slots: [] };
          const answer = answered(subject, { shape, data: records }, adjacency, target, recording);
          const input = { shape, data: records, target };
          if (defined(recording.shape).slots !== shape.slots || recording.slots.some((slot, i) => slot !== i))
            return {
              what:
                `the curator added slots ${recording.slots.join(', ')} of ` +
                `${defined(recording.shape).slots}`,
              input,
            };
          if (answer.length !== shape.dimension)
            return {
              what: `the answer has ${answer.length} entries; the dimension is ${shape.dimension}`,
              input,
            };
          if (!answer.every(Number.isFinite))
            return { what: `the curator's answer is ${few(answer)}`, input };
          const alone = replayed(subject, records, recording, 'noiseMultiplier' in target);
          const measured = distance('linf', alone, answer);
          const allowed = 64 * unit * Math.max(...answer.map(Math.abs), ...alone.map(Math.abs));
          if (!(measured <= allowed))
            return {
              what:
                `the curator answers ${few(answer)}; begin, add and finish on the same records, ` +
                `randomness and noised value give ${few(alone)}`,
              measured,
              allowed,
              input,
            };
        }
        return undefined;
      },
      { runs: 25 },
    );
  },
});
