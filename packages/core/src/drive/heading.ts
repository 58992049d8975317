import { allFinite, Corrupt, encode, InvalidParameter, type RandomSource, sameBytes } from '@lethe/numerics';
import type { Run } from '../plugins/run.js';
import type { Vector } from '../query/query.js';
import { queryVersion, version } from '../version.js';

/** First record of a transcript: all that decides what a run asks first. Public. */
export interface Heading {
  /**
   * Version of what follows. In the first, which had none, checkpoints were states that optimizers wrote
   * themselves. In the second, answers are objects with the number of their query.
   */
  readonly format: 3;
  readonly optimizer: string;
  /**
   * Versions of Lethe and of its queries, and mark of the optimizer:
   * another one could ask something else after the same answers.
   */
  readonly made: { readonly lethe: string; readonly queries: number; readonly optimizer: string | null };
  readonly run: string;
  readonly plan: unknown;
  readonly problem: unknown;
  readonly random: { readonly kind: string; readonly key: Uint8Array };
  readonly start: Vector;
}

const parts = {
  format: 'another format',
  optimizer: 'another optimizer',
  made: 'another version of Lethe, of its queries or of the optimizer',
  run: 'another run of the ledger',
  plan: 'another plan',
  problem: 'another problem',
  random: 'other public coins',
  start: 'another start',
} as const satisfies Record<keyof Heading, string>;

/** @throws {InvalidParameter} when `start` is not a vector of finite numbers. */
export function headingOf(run: Run, id: string, random: RandomSource, start: Vector): Heading {
  if (!(start instanceof Float64Array))
    throw new InvalidParameter('start must be a Float64Array', { got: typeof start });
  if (!allFinite(start)) {
    const bad = start.findIndex((x) => !Number.isFinite(x));
    throw new InvalidParameter(`start[${bad}] is ${start[bad]}; every coordinate must be finite`, {
      index: bad,
      value: start[bad],
    });
  }
  return {
    format: 3,
    optimizer: run.name,
    made: { lethe: version, queries: queryVersion, optimizer: run.mark ?? null },
    run: id,
    plan: run.plan,
    problem: run.problem,
    random: { kind: random.kind, key: random.key() },
    start,
  };
}

/** Whether a heading is of format 2, which is read, and rewritten in the format of today. */
export const isOfSecondFormat = (stored: unknown): boolean =>
  (stored as { readonly format?: unknown } | null)?.format === 2;

/** @throws {Corrupt} naming every part in which the transcript's heading differs from this run's. */
export function assertSameHeading(stored: unknown, heading: Heading): void {
  const found = (typeof stored === 'object' && stored !== null ? stored : {}) as Partial<Heading>;
  const names = Object.keys(parts) as (keyof Heading)[];
  if (found.format === undefined && found.made !== undefined) {
    throw new Corrupt(
      'the transcript is of format 1, with checkpoints that this version does not read; ' +
        'finish the run with the version of Lethe that began it, or start a new one',
      { format: 1 },
    );
  }
  const missing = names.filter((name) => found[name] === undefined);
  if (missing.length > 0)
    throw new Corrupt(
      `the transcript does not begin with a heading: it has no ${missing.join(', ')}. ` +
        'Give the transcript of this run, or none.',
      { missing },
    );
  const current = isOfSecondFormat(found) ? { ...found, format: heading.format } : found;
  const differs = names.filter((name) => !sameBytes(encode(current[name]), encode(heading[name])));
  if (differs.length === 0) return;
  throw new Corrupt(
    `the transcript belongs to ${differs.map((name) => parts[name]).join(', ')}. ` +
      'Resume with what it was started with, or start a new run with a new transcript.',
    { differs },
  );
}
