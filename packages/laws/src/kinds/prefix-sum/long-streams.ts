import type { Participation, PrefixSumShape } from '@lethe/core';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { entryRounding, shapesTaken } from './factors.js';

/** Steps tested in long streams: where number representations and blocks change. */
const marks: readonly number[] = [0, 255, 256, 300, 511, 512, 777, 1023, 1024, 1500, 2047, 2048, 2999];

/**
 * One run, and the equations `C y = z` that its increments must solve; or the number of noise rows requested.
 */
function solved(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  env: LawEnv,
): Violation | number {
  const { steps } = shape;
  const z = env.random('long noise').gaussianInto(new Float64Array(steps));
  const y = new Float64Array(steps);
  const run = plugin.begin(params, shape);
  const out = new Float64Array(1);
  let asked = 0;
  for (let step = 0; step < steps; step++) {
    run.nextInto(out, (row, noise) => {
      noise[0] = z[row] ?? NaN;
      asked++;
    });
    y[step] = out[0];
  }
  for (const row of marks) {
    let sum = 0;
    let terms = Math.abs(z[row]);
    for (let column = 0; column <= row; column++) {
      const term = plugin.encoder(params, shape, row, column) * y[column];
      sum += term;
      terms += Math.abs(term);
    }
    if (Math.abs(sum - z[row]) <= steps * entryRounding * terms) continue;
    return {
      what:
        `up to step ${row} of ${steps} the increments of a run give back noise ${sum} in row ${row} ` +
        `under C; it was ${z[row]}`,
      measured: sum,
      allowed: z[row],
      input: { ...shape, row },
    };
  }
  return asked;
}

/** The squared norm of row `step` of `A C^{-1}`, by back substitution. */
function varianceBySolving(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  step: number,
): number {
  const row = new Float64Array(step + 1);
  let square = 0;
  for (let s = step; s >= 0; s--) {
    let rest = 1;
    for (let r = s + 1; r <= step; r++) rest -= row[r] * plugin.encoder(params, shape, r, s);
    row[s] = rest / plugin.encoder(params, shape, s, s);
    square += row[s] ** 2;
  }
  return square;
}

/** The same, from a run in which every row of noise is a unit vector. */
function varianceByRunning(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  step: number,
): number {
  const dimension = step + 1;
  const run = plugin.begin(params, { ...shape, dimension });
  const out = new Float64Array(dimension);
  const sum = new Float64Array(dimension);
  for (let t = 0; t <= step; t++) {
    run.nextInto(out, (row, noise) => {
      noise.fill(0);
      noise[row] = 1;
    });
    for (let s = 0; s <= t; s++) sum[s] = sum[s] + out[s];
  }
  return sum.reduce((square, entry) => square + entry * entry, 0);
}

function wrongVariance(
  subject: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  asked: number,
): Violation | undefined {
  const { plugin, params } = subject;
  const declared = (step: number): number => plugin.variance(params, shape, step);
  // A run costs one vector per requested row, back substitution one entry of C per two steps.
  const step = 1_030;
  const expected = (asked <= 2 * shape.steps ? varianceByRunning : varianceBySolving)(subject, shape, step);
  if (!(Math.abs(declared(step) - expected) <= 1e-7 * expected)) {
    return {
      what:
        `after step ${step} of ${shape.steps} the noise of the running sum has variance ${expected}; ` +
        `it declares variance ${declared(step)}`,
      measured: declared(step),
      allowed: expected,
      input: { ...shape, step },
    };
  }
  if (plugin.variancesInto === undefined) return undefined;
  const together = new Float64Array(shape.steps).fill(NaN);
  plugin.variancesInto(together, params, shape);
  const apart = marks.find((mark) => !(Math.abs(together[mark] - declared(mark)) <= 1e-9 * declared(mark)));
  return apart === undefined
    ? undefined
    : {
        what:
          `after step ${apart} of ${shape.steps} the variance is ${declared(apart)} alone and ` +
          `${together[apart]} with all others`,
        measured: together[apart],
        allowed: declared(apart),
        input: { ...shape, step: apart },
      };
}

/** Columns tested in full or at some rows; these rows give a lower bound on the norm. */
function shortNorm(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  participation: Participation,
  pattern: readonly number[],
  rows: readonly number[],
): Violation | undefined {
  const attempted = attempt(() => plugin.columnNorm(params, shape, participation));
  if (attempted.declined !== undefined) return undefined;
  const declared = attempted.value;
  let square = 0;
  for (const row of rows)
    square +=
      pattern.reduce(
        (sum, column) => (column <= row ? sum + plugin.encoder(params, shape, row, column) : sum),
        0,
      ) ** 2;
  const reach = Math.sqrt(square);
  if (declared > 0 && declared < Infinity && declared >= reach * (1 - 4 * (rows.length + 8) * 2 ** -53))
    return undefined;
  return {
    what:
      `taking part at steps ${pattern.join(', ')} of ${shape.steps} in dimension ${shape.dimension} ` +
      `moves the encoded stream by ${reach} at least; columnNorm says ${declared}`,
    measured: reach,
    allowed: declared,
    input: { ...shape, participation, pattern },
  };
}

/** Least noise of a step: `B_tt C_tt = 1`, and the variance contains `B_tt²`. */
function hidesNothing(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  step: number,
): Violation | undefined {
  const attempted = attempt(() => plugin.variance(params, shape, step));
  if (attempted.declined !== undefined) return undefined;
  const declared = attempted.value;
  const least = plugin.encoder(params, shape, step, step) ** -2;
  return declared >= least * (1 - 1e-9) && declared < Infinity
    ? undefined
    : {
        what:
          `after step ${step} of ${shape.steps} the variance is declared to be ${declared}; ` +
          `row ${step} of the noise alone gives ${least}`,
        measured: declared,
        allowed: least,
        input: { ...shape, step },
      };
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, t) => t);
const beside = (steps: readonly number[]): readonly number[] => steps.flatMap((step) => [step - 1, step]);
const powersOfTwo = upTo(33).map((k) => 2 ** k);

function* findings(subject: Subject<'prefixSum'>, env: LawEnv): Generator<Violation | undefined> {
  for (const shape of shapesTaken(subject, [3_000], () => 1)) {
    const asked = solved(subject, shape, env);
    yield typeof asked === 'number' ? wrongVariance(subject, shape, asked) : asked;
    for (const [times, gap] of [
      [2, 65],
      [3, 128],
      [12, 200],
      [2, 1_024],
    ] as const) {
      yield shortNorm(
        subject,
        shape,
        { times, gap },
        upTo(times).map((m) => m * gap),
        upTo(shape.steps),
      );
    }
  }
  for (const { steps } of shapesTaken(subject, [10_000], () => 1)) {
    const shape = { steps, dimension: 2 ** 20 };
    for (const column of [0, steps / 2])
      yield shortNorm(subject, shape, { times: 1, gap: 1 }, [column], upTo(steps));
    yield shortNorm(
      subject,
      shape,
      { times: 4, gap: steps / 4 },
      [0, 1, 2, 3].map((m) => (m * steps) / 4),
      upTo(steps),
    );
  }
  yield* atPowers(subject, [2 ** 17 + 1]);
}

/** Single columns and rows at the ends of integer representations. */
function* atPowers(
  subject: Subject<'prefixSum'>,
  lengths: readonly number[],
): Generator<Violation | undefined> {
  for (const shape of shapesTaken(subject, lengths, () => 1)) {
    const inside = beside(powersOfTwo).filter((step) => step < shape.steps);
    yield shortNorm(subject, shape, { times: 1, gap: 1 }, [0], [...new Set(inside)]);
    for (const step of beside([2 ** 11, 2 ** 16, 2 ** 31, 2 ** 32]))
      if (step < shape.steps) yield hidesNothing(subject, shape, step);
  }
}

function judged(all: Iterable<Violation | undefined>): Finding {
  let samples = 0;
  for (const violation of all) {
    samples++;
    if (violation !== undefined) return fails(samples, violation);
  }
  return holds(samples);
}

/** The properties of short streams, tested at some places of long streams. */
export const longStreams = defineLaw<'prefixSum'>({
  id: 'prefixSum/long-streams',
  kind: 'prefixSum',
  tier: 'exact',
  elsewhere: 1,
  statement:
    'in long streams runs solve C y = z for the noise z, and columnNorm and variance are at least the ' +
    'values from single columns and rows of C and B; unsupported sizes throw a typed error',
  power:
    'noise omitted or reused within 3 000 steps; an error of 10^-7 in the variance at step 1030, ' +
    'or of 10^-9 between variance and variancesInto; a norm below that of columns 0 and T/2, ' +
    'or of four far apart, at T = 10 000, or of two to twelve 65 to 1024 steps apart at 3 000; ' +
    'a column norm or variance that vanishes at 2^17 steps',
  check: (subject, env) => judged(findings(subject, env)),
});

/** Plugins may refuse very long streams; a plugin that accepts them must know their cost. */
export const anyLength = defineLaw<'prefixSum'>({
  id: 'prefixSum/any-length',
  kind: 'prefixSum',
  tier: 'exact',
  onClaim: true,
  statement:
    'columnNorm and variance are correct for streams of any length, ' +
    'at a computational cost that hardly grows with the length',
  power:
    'a column norm or variance that vanishes or is too small for one row, at 2^32 + 3 steps, ' +
    'for example with 32-bit step counters',
  check: (subject) => judged(atPowers(subject, [2 ** 32 + 3])),
});
