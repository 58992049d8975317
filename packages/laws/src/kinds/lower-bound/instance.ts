import type { HardInstance, RandomSource, RecordDomain } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { domainIn } from '../../engines/ball-domain.js';
import { heavyMean, nonNegativeMean } from '../../evidence/index.js';
import { type Violation, fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { drawn, lossOf, momentsOf, noInstance, noMoments, norm, parameter, problemOf } from './subject.js';

/** An instance and its optimum are valid. */
export const instance = defineLaw<'lowerBound'>({
  id: 'lowerBound/instance',
  kind: 'lowerBound',
  tier: 'search',
  statement:
    'an instance has as many finite records as the parameters say, within the bounds of its problem, ' +
    'with labels its loss accepts, and an optimum in the domain with excess risk 0, which no other point ' +
    'is below; equal randomness gives equal instances, other randomness other instances',
  power: 'certain for shapes; an optimum worse than one of 60 points by more than rounding, in 20 instances',
  exempt: noInstance,
  check(subject, env) {
    const count = env.samples(20);
    const seen = new Set<string>();
    for (let i = 0; i < count; i++) {
      const given = drawn(subject, env.random(i));
      const violation = shape(subject, given) ?? optimum(subject, given, env.random(`points ${i}`));
      if (violation !== undefined) return fails(i + 1, violation);
      const again = drawn(subject, env.random(i));
      if (
        !sameBits(again.features, given.features) ||
        !sameBits(again.labels, given.labels) ||
        !sameBits(again.optimum, given.optimum)
      )
        return fails(i + 1, { what: 'equal randomness gives different instances' });
      seen.add(Array.from(given.optimum).join());
    }
    return count > 8 && seen.size === 1 && drawn(subject, env.random(0)).columns > 10
      ? fails(count, {
          what:
            `${count} instances with different randomness have the same optimum; ` +
            'an algorithm that outputs it has no excess risk',
        })
      : holds(count);
  },
});

function shape(
  subject: Subject<'lowerBound'>,
  { features, labels, rows, columns, optimum: best }: HardInstance,
): Violation | undefined {
  const [n, dimension] = [parameter(subject, 'n') ?? rows, parameter(subject, 'dimension') ?? columns];
  if (rows !== n || columns !== dimension)
    return {
      what: `the instance has ${rows} rows and ${columns} columns; the parameters say ${n} and ${dimension}`,
    };
  if (features.length !== rows * columns || labels.length !== rows || best.length !== columns)
    return {
      what:
        `the instance has ${features.length} features, ${labels.length} labels and an optimum of length ` +
        `${best.length} for ${rows} rows and ${columns} columns`,
    };
  const bad = [features, labels, best].find((array) => !array.every(Number.isFinite));
  if (bad !== undefined) return { what: 'features, labels or optimum are not all finite' };
  const far = beyond(features, columns, defined(problemOf(subject)).record);
  if (far !== undefined) return far;
  const loss = lossOf(subject);
  const refused =
    loss === undefined ? -1 : labels.findIndex((label) => !loss.plugin.labels.accepts(label, loss.params));
  return refused < 0
    ? undefined
    : {
        what:
          `label ${labels[refused]} of row ${refused} is not one that '${defined(loss).plugin.name}' ` +
          `accepts: ${defined(loss).plugin.labels.rule}`,
      };
}

/** A record outside the bounds that the problem declares. */
function beyond(
  features: Float64Array,
  columns: number,
  { featureNorm = Infinity, featureBounds }: RecordDomain,
): Violation | undefined {
  for (let start = 0; start < features.length; start += columns) {
    const record = features.subarray(start, start + columns);
    const length = norm(record);
    const column = record.findIndex((x, j) => Math.abs(x) > (featureBounds?.[j] ?? Infinity) * (1 + 1e-9));
    if (length > featureNorm * (1 + 1e-9))
      return {
        what:
          `record ${start / columns} has norm ${length}; ` +
          `the problem says none has more than ${featureNorm}`,
        measured: length,
        allowed: featureNorm,
      };
    if (column >= 0)
      return {
        what:
          `record ${start / columns} has ${record[column]} in column ${column}, ` +
          `beyond the problem's bound ${defined(featureBounds)[column]}`,
        measured: Math.abs(record[column]),
        allowed: defined(featureBounds)[column],
      };
  }
  return undefined;
}

function optimum(
  subject: Subject<'lowerBound'>,
  { optimum: best, excessRisk, columns }: HardInstance,
  random: RandomSource,
): Violation | undefined {
  const {
    domain: { name, params },
  } = defined(problemOf(subject));
  const domain = domainIn(subject.registry, { name, params }, columns);
  const reach = Number.isFinite(domain.diameter) ? domain.diameter / 2 : Math.max(1, norm(best));
  const opposite = domain.projectInto(
    new Float64Array(columns),
    best.map((x) => -x),
  );
  const scale = Math.max(1e-300, Math.abs(excessRisk(opposite)), Math.abs(excessRisk(domain.centre)));
  if (!domain.contains(best, 1e-9 * reach))
    return {
      what: `the optimum, of norm ${norm(best)}, is not in the domain '${name}' of the problem`,
      measured: norm(best),
      allowed: reach,
    };
  const atBest = excessRisk(best);
  if (!(Math.abs(atBest) <= 1e-12 * scale))
    return {
      what: `the excess risk of the optimum is ${atBest}; it must be 0`,
      measured: Math.abs(atBest),
      allowed: 1e-12 * scale,
    };
  for (let k = 0; k < 60; k++) {
    const direction = random.gaussianInto(new Float64Array(columns));
    const size = norm(direction);
    const share = k % 3 === 0 ? 1 : 0.1;
    const w = domain.projectInto(
      new Float64Array(columns),
      best.map((x, j) => (1 - share) * x + (share * reach * direction[j]) / size),
    );
    const excess = excessRisk(w);
    if (!(excess >= -1e-12 * scale))
      return {
        what: `a point of the domain has excess risk ${excess}: less than the optimum`,
        measured: -excess,
        allowed: 0,
        input: Array.from(w),
      };
  }
  return undefined;
}

/** The declared excess risk is that of the instance's population. */
export const excessRisk = defineLaw<'lowerBound'>({
  id: 'lowerBound/excess-risk',
  kind: 'lowerBound',
  tier: 'statistical',
  statement:
    'the excess risk at the origin and at the opposite of the optimum equals the mean over sampled ' +
    'records, given the declared moment of least order',
  power:
    'an error of 0.06 × radius × moment, for example a sign or a ' +
    'factor 2 in a strong signal, in 60 000 records',
  exempt: noMoments,
  check(subject, env) {
    const records = env.samples(60_000);
    const { plugin, params } = defined(lossOf(subject));
    const moment = momentsOf(subject)[0][1];
    const processes = [-1, 0].map((factor) => ({
      factor,
      evidence: undefined as ReturnType<typeof heavyMean> | undefined,
    }));
    for (let seen = 0, draw = 0; seen < records; draw++) {
      const {
        features,
        labels,
        rows,
        columns,
        optimum: best,
        excessRisk: excess,
      } = drawn(subject, env.random(draw));
      for (const process of processes) {
        const other = best.map((x) => process.factor * x + 0);
        const apart = norm(best.map((x, j) => x - other[j]));
        const gap = excess(other) - excess(best);
        process.evidence ??= heavyMean({
          equals: 0,
          order: 2,
          moment: 1,
          horizon: records,
          alpha: env.alpha / 2,
        });
        for (let i = 0; i < rows; i++) {
          const record = { features: features.subarray(i * columns, (i + 1) * columns), label: labels[i] };
          const difference = plugin.value(params, other, record) - plugin.value(params, best, record);
          process.evidence.push((difference - gap) / (apart * moment));
        }
        if (process.evidence.rejects(env.alpha / 2))
          return fails(seen + rows, {
            what:
              `the excess risk of ${process.factor === 0 ? 'the origin' : 'the opposite of the optimum'} ` +
              `is declared as ${gap}; sampled records of the instance say otherwise`,
            measured: gap,
            logE: process.evidence.logE,
            input: subject.params,
          });
      }
      seen += rows;
    }
    return holds(records);
  },
});

/** The instance satisfies the moment bounds of its class. */
export const instanceMoment = defineLaw<'lowerBound'>({
  id: 'lowerBound/instance-moment',
  kind: 'lowerBound',
  tier: 'statistical',
  onClaim: true,
  statement:
    'gradients of sampled records, at the optimum, its opposite and the origin, have moments of at most ' +
    'the declared facts gradientMoment.k of the problem, for every declared order',
  power: 'a moment too large by a factor 1.2 for bounded records, 2 for rare ones, in 20 000 records',
  exempt: noMoments,
  check(subject, env) {
    const records = env.samples(20_000);
    const { plugin, params } = defined(lossOf(subject));
    const declared = momentsOf(subject);
    const alpha = env.alpha / declared.length;
    const processes = declared.map(([order, moment]) => ({
      order,
      moment,
      evidence: nonNegativeMean({ atMost: 1 + 1e-9 }),
    }));
    for (let seen = 0, draw = 0; seen < records; draw++) {
      const { features, labels, rows, columns, optimum: best } = drawn(subject, env.random(draw));
      const gradient = new Float64Array(columns);
      const at = best.map((x) => [1, 0, -1][draw % 3] * x);
      for (let i = 0; i < rows; i++) {
        plugin.gradientInto(params, gradient, at, {
          features: features.subarray(i * columns, (i + 1) * columns),
          label: labels[i],
        });
        const size = norm(gradient);
        for (const { order, moment, evidence } of processes) evidence.push((size / moment) ** order);
      }
      seen += rows;
      const large = processes.find(({ evidence }) => evidence.rejects(alpha));
      if (large !== undefined)
        return fails(seen, {
          what:
            `gradients of sampled records have a larger moment of order ${large.order} than ` +
            `${large.moment}; the last has norm ${norm(gradient)}`,
          measured: norm(gradient),
          allowed: large.moment,
          logE: large.evidence.logE,
          input: subject.params,
        });
    }
    return holds(records);
  },
});
