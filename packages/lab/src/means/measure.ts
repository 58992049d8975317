import { seededRandom, type Adjacency, type PrivacyEvent, type Registry, type Vector } from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { copyOf } from '../run/layout.js';
import { curatorUnder } from '../run/trust.js';
import type { RecordDistribution } from './distribution.js';
import type { Subject } from './subject.js';

/** Entries of the records drawn at once: 2^20, or one batch. */
const entriesAtOnce = 2 ** 20;

/** A mean query, and its number of repetitions. */
export interface Repeated {
  readonly law: RecordDistribution;
  readonly subject: Subject;
  readonly s: number;
  readonly repetitions: number;
  readonly seedLabel: string;
  readonly adjacency: Adjacency;
  readonly registry: Registry;
}

/**
 * Answers of a real curator to means of fresh records, as differences from the mean of the law, and the event
 * of one.
 *
 * Many batches stand in one data set, which the curator splits: every
 * record is in one batch, and every batch has noise of its own.
 */
export function* errorsOf({
  law,
  subject,
  s,
  repetitions,
  seedLabel,
  adjacency,
  registry,
}: Repeated): Generator<{ readonly error: Vector; readonly event: PrivacyEvent }> {
  const { dimension } = law;
  const together = Math.max(1, Math.min(repetitions, Math.floor(entriesAtOnce / (s * dimension))));
  const zero = new Float64Array(dimension);
  for (let done = 0, part = 0; done < repetitions; part++) {
    const batches = Math.min(together, repetitions - done);
    const rows = batches * s;
    const features = law.draw(rows, `${seedLabel}/records/${part}`);
    const data = attachData({
      features: copyOf(
        { features, rows, columns: dimension },
        Uint32Array.from({ length: rows }, (_, row) => row),
        'rows',
      ),
      loss: { kind: 'loss', name: 'linear', params: {} },
      registry,
      ledger: openLedger({ adjacency }),
    });
    const curator = curatorUnder(
      subject.trust === 'shuffle' ? { model: 'shuffle', honestUsers: rows } : { model: 'central' },
      {
        data,
        registry,
        run: `${seedLabel}/${part}`,
        random: seededRandom(`${seedLabel}/curator/${part}`),
        allowUnprotected: true,
        ...(adjacency === 'add-remove' ? { publicSlots: rows } : {}),
      },
    );
    const { answer: tokens } = curator.answer(0, {
      ask: 'split',
      of: curator.allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: Array.from({ length: batches }, () => s) },
    });
    let event: PrivacyEvent | undefined;
    for (const [i, batch] of (tokens as readonly (typeof curator.allRecords)[]).entries()) {
      const { answer } = curator.answer(i + 1, {
        ask: 'mean',
        of: { terms: [{ weight: 1, at: zero }] },
        batch,
        mean: subject.mean,
        target: subject.target,
      });
      event ??= curator.spent();
      // The gradient of the linear loss is minus the record.
      yield { error: (answer as Vector).map((x, j) => -x - law.mean[j]), event };
    }
    done += batches;
  }
}

/** An estimate with its standard error. */
export interface Estimate {
  readonly value: number;
  readonly standardError: number;
}

/**
 * Unbiased estimates of `‖E e‖²` and of `E‖e − E e‖²` from independent errors `e`. The first is the mean of
 * inner products of different errors; its standard error is that of a U-statistic,
 * `√(4·Var⟨e, E e⟩/R + 2·tr(Cov²)/R²)`, the trace bounded by the square of the variance.
 */
export function momentsOfErrors(errors: readonly Vector[]): {
  readonly squaredBias: Estimate;
  readonly variance: Estimate;
} {
  const count = errors.length;
  const dimension = errors[0].length;
  const mean = new Float64Array(dimension);
  for (const error of errors) for (let j = 0; j < dimension; j++) mean[j] += error[j] / count;
  const squares = errors.map((error) => error.reduce((sum, x, j) => sum + (x - mean[j]) ** 2, 0));
  const inner = errors.map((error) => error.reduce((sum, x, j) => sum + (x - mean[j]) * mean[j], 0));
  const variance = average(squares) * (count / (count - 1));
  const squaredBias = mean.reduce((sum, x) => sum + x * x, 0) - variance / count;
  const spread = Math.sqrt(
    (4 * average(inner.map((x) => x * x))) / (count - 1) + 2 * (variance / count) ** 2,
  );
  const middle = average(squares);
  const centred = average(squares.map((x) => (x - middle) ** 2));
  return {
    squaredBias: { value: squaredBias, standardError: spread },
    variance: { value: variance, standardError: Math.sqrt(centred / (count - 1)) },
  };
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
