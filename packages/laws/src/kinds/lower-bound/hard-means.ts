import type {
  HardMean,
  HardMeanProblem,
  MeanErrorLowerBound,
  MeanErrorValue,
  RandomSource,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { type Violation, fails, holds, judge, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { norm, parameter } from './subject.js';

type Of = Subject<'lowerBound'>;

/** The bound as one on the error of a mean; `undefined` for another measure. */
const meanBound = ({ plugin }: Of): MeanErrorLowerBound | undefined =>
  plugin.measure === 'mean-error' ? plugin : undefined;

export const notOfMeans = (subject: Of): string | undefined =>
  meanBound(subject) === undefined
    ? 'it is a bound on an excess risk, not on the error of a mean'
    : undefined;
export const noRecords = (subject: Of): string | undefined =>
  notOfMeans(subject) ??
  (defined(meanBound(subject)).instance === null ? 'it has a formula only, without records' : undefined);

/** Value at the parameters of a bound on the error of a mean. */
export const meanErrorAt = (subject: Of, params = subject.params): MeanErrorValue =>
  defined(meanBound(subject)).evaluate(params);
export const meanProblemOf = (subject: Of): HardMeanProblem =>
  defined(defined(meanBound(subject)).problem)(subject.params);
export const recordsOf = (subject: Of, random: RandomSource): HardMean =>
  defined(defined(meanBound(subject)).instance)(subject.params, random);

/** The records one after another, dense and lent. */
function* rowsOf({ features, rows, columns }: HardMean): Generator<Float64Array> {
  const row = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    if (features instanceof Float64Array) row.set(features.subarray(i * columns, (i + 1) * columns));
    else {
      row.fill(0);
      for (let k = features.rowStarts[i]; k < features.rowStarts[i + 1]; k++)
        row[features.columnIndices[k]] += features.values[k];
    }
    yield row;
  }
}

/** Drawn records are those that the problem describes, and the mean is theirs. */
export const records = defineLaw<'lowerBound'>({
  id: 'lowerBound/records',
  kind: 'lowerBound',
  tier: 'search',
  statement:
    'the problem of a bound on the error of a mean is equal at every call and says ' +
    'what the parameters say; drawn records are as many as the parameters say, finite, ' +
    'within the norm and the number of entries of the problem, and have the declared mean; ' +
    'equal randomness gives equal records, other randomness other means',
  power: 'certain for what is wrong in one of 12 draws, by more than a relative error of 10⁻⁹',
  exempt: noRecords,
  check(subject, env) {
    const bound = defined(meanBound(subject));
    if (bound.problem === null) return fails(1, { what: 'it draws records and declares no problem' });
    const problem = meanProblemOf(subject);
    const wrong = wrongWith(subject, problem);
    if (wrong !== undefined) return fails(1, wrong);
    const count = env.samples(12);
    const seen = new Set<string>();
    for (let i = 0; i < count; i++) {
      const drawn = recordsOf(subject, env.random(i));
      const violation = shape(subject, problem, drawn) ?? meanOf(problem, drawn);
      if (violation !== undefined) return fails(i + 1, violation);
      if (!sameBits(recordsOf(subject, env.random(i)).mean, drawn.mean))
        return fails(i + 1, { what: 'equal randomness gives different records' });
      seen.add(Array.from(drawn.mean).join());
    }
    return count > 8 && seen.size === 1
      ? fails(count, {
          what:
            `${count} draws with different randomness have the same mean; ` +
            'an algorithm that answers it never errs',
        })
      : holds(count);
  },
});

function wrongWith(subject: Of, problem: HardMeanProblem): Violation | undefined {
  if (JSON.stringify(meanProblemOf(subject)) !== JSON.stringify(problem))
    return { what: 'two calls of problem give different problems', input: subject.params };
  const said: readonly (readonly [string, number])[] = [
    ['dimension', problem.columns],
    ['sparsity', problem.sparsity],
    ['radius', problem.radius],
    ['epsilon', problem.target.epsilon],
    ['delta', problem.target.delta],
  ];
  const differs = said.find(([name, value]) => (parameter(subject, name) ?? value) !== value);
  return differs === undefined
    ? undefined
    : {
        what:
          `its problem has ${differs[1]} for ${differs[0]}; the parameters say ` +
          `${parameter(subject, differs[0])}`,
        input: problem,
      };
}

function shape(
  subject: Of,
  { columns: dimension }: HardMeanProblem,
  { features, rows, columns, mean }: HardMean,
): Violation | undefined {
  const n = parameter(subject, 'n') ?? rows;
  const isWhole =
    features instanceof Float64Array
      ? features.length === rows * columns
      : features.rows === rows && features.columns === columns && features.rowStarts.length === rows + 1;
  return rows === n && columns === dimension && mean.length === columns && isWhole
    ? undefined
    : {
        what:
          `it draws ${rows} records of ${columns} columns with a mean of length ${mean.length}; ` +
          `the parameters and the problem say ${n} and ${dimension}`,
      };
}

function meanOf({ radius, sparsity }: HardMeanProblem, drawn: HardMean): Violation | undefined {
  const sum = new Float64Array(drawn.columns);
  let i = 0;
  for (const row of rowsOf(drawn)) {
    const entries = row.reduce((count, x) => count + Number(x !== 0), 0);
    if (!(norm(row) <= radius * (1 + 1e-9)) || entries > sparsity)
      return {
        what:
          `record ${i} has norm ${norm(row)} and ${entries} entries that are not zero; ` +
          `the problem says at most ${radius} and ${sparsity}`,
        input: Array.from(row),
      };
    row.forEach((x, j) => {
      sum[j] += x / drawn.rows;
    });
    i++;
  }
  const far = norm(sum.map((x, j) => x - drawn.mean[j]));
  return far <= 1e-9 * radius
    ? undefined
    : {
        what: `the declared mean is ${far} away from that of the records`,
        measured: far,
        allowed: 1e-9 * radius,
      };
}

/** More zero records divide the error. */
export const padded = defineLaw<'lowerBound'>({
  id: 'lowerBound/padded',
  kind: 'lowerBound',
  tier: 'exact',
  onClaim: true,
  statement:
    'with c times as many records the bound is at least a ' +
    'c-th of what it was: records that are added may be zero',
  power: 'a term that vanishes or a logarithm that is not held above 0, at doublings of n up to 2⁴⁰ times it',
  exempt: (subject) =>
    notOfMeans(subject) ?? (parameter(subject, 'n') === undefined ? 'it has no parameter n' : undefined),
  check(subject) {
    const given = subject.params as { readonly n: number };
    let before: number | undefined;
    for (let power = 0; power <= 40; power++) {
      const parsed = subject.plugin.params.safeParse({ ...given, n: given.n * 2 ** power });
      if (!parsed.success) break;
      const { value } = meanErrorAt(subject, parsed.data);
      if (before !== undefined && !(value >= (before / 2) * (1 - 1e-9)))
        return fails(power + 1, {
          what:
            `it falls from ${before} to ${value} when n is ` +
            `doubled to ${given.n * 2 ** power}; half is proved`,
          measured: value,
          allowed: before / 2,
          input: parsed.data,
        });
      before = value;
    }
    return holds(41);
  },
});

/** Means of different draws are apart. */
export const separated = defineLaw<'lowerBound'>({
  id: 'lowerBound/separated',
  kind: 'lowerBound',
  tier: 'search',
  onClaim: true,
  statement:
    'where constants are proved, the means of two drawn sets ' +
    'of records are equal or at least twice the value apart',
  power: 'two points of a packing that are nearer, if both come up in as many draws as four times the points',
  exempt: noRecords,
  check(subject, env) {
    const { value, terms, explicit } = meanErrorAt(subject);
    if (!explicit) return skipped('its constants are not proved at these parameters');
    const count = env.samples(4 * (terms['points'] ?? 25));
    const means = new Map<string, Float64Array>();
    for (let i = 0; i < count; i++) {
      const { mean } = recordsOf(subject, env.random(i));
      means.set(mean.join(), mean);
    }
    const all = [...means.values()];
    return judge(
      count,
      all
        .flatMap((a, i) => all.slice(i + 1).map((b) => norm(a.map((x, j) => x - b[j]))))
        .map((apart): Violation | undefined =>
          apart >= 2 * value * (1 - 1e-9)
            ? undefined
            : {
                what: `two drawn means are ${apart} apart; one answer is within ${value} of both`,
                measured: apart,
                allowed: 2 * value,
              },
        )
        .find((violation) => violation !== undefined),
    );
  },
});
