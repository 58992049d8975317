import type { HardInstance, RandomSource } from '@lethe/core';
import { heavyMean, nonNegativeMean } from '../../evidence/index.js';
import type { Violation } from '../../law/finding.js';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { drawn, lossOf, noInstance, noLoss, norm, parameter } from './subject.js';

/** What is drawn is an instance, and its optimum is one. */
export const instance = defineLaw<'lowerBound'>({
  id: 'lowerBound/instance', kind: 'lowerBound', tier: 'search',
  statement: 'an instance has finite records of its shape with labels its loss accepts, as many as the parameters say, and an optimum whose excess risk is 0 while no other point has less; the same coins draw the same one, others another',
  power: 'certain for shapes; an optimum that is beaten by any of 60 points, by more than rounding, in 20 draws',
  exempt: noInstance,
  check(subject, env) {
    const count = env.samples(20), seen = new Set<string>();
    for (let i = 0; i < count; i++) {
      const given = drawn(subject, env.random(i)), violation = shape(subject, given) ?? optimum(subject, given, env.random(`points ${i}`));
      if (violation !== undefined) return fails(i + 1, violation);
      const again = drawn(subject, env.random(i));
      if (!sameBits(again.features, given.features) || !sameBits(again.labels, given.labels) || !sameBits(again.optimum, given.optimum)) return fails(i + 1, { what: 'drawn again with the same coins the instance is another one' });
      seen.add(Array.from(given.optimum).join());
    }
    return count > 8 && seen.size === 1 && (drawn(subject, env.random(0)).columns > 10) ? fails(count, { what: `${count} instances drawn with different coins have the same optimum; an algorithm that knows it has no excess risk` }) : holds(count);
  },
});

function shape(subject: Subject<'lowerBound'>, { features, labels, rows, columns, optimum: best }: HardInstance): Violation | undefined {
  const [n, dimension] = [parameter(subject, 'n') ?? rows, parameter(subject, 'dimension') ?? columns];
  if (rows !== n || columns !== dimension) return { what: `the instance has ${rows} rows and ${columns} columns; the parameters say ${n} and ${dimension}` };
  if (features.length !== rows * columns || labels.length !== rows || best.length !== columns) return { what: `the instance has ${features.length} features, ${labels.length} labels and an optimum of length ${best.length} for ${rows} rows and ${columns} columns` };
  const bad = [features, labels, best].find((array) => !array.every(Number.isFinite));
  if (bad !== undefined) return { what: 'features, labels or optimum are not all finite' };
  const loss = lossOf(subject), refused = loss === undefined ? -1 : labels.findIndex((label) => !loss.plugin.labels.accepts(label));
  return refused < 0 ? undefined : { what: `label ${labels[refused]} of row ${refused} is not one that '${loss!.plugin.name}' accepts: ${loss!.plugin.labels.rule}` };
}

function optimum(subject: Subject<'lowerBound'>, { optimum: best, excessRisk, columns }: HardInstance, random: RandomSource): Violation | undefined {
  const radius = parameter(subject, 'radius') ?? norm(best), opposite = best.map((x) => -x), scale = Math.max(1e-300, Math.abs(excessRisk(opposite)), Math.abs(excessRisk(new Float64Array(columns))));
  if (norm(best) > radius * (1 + 1e-9)) return { what: `the optimum has norm ${norm(best)}, outside the ball of radius ${radius}`, measured: norm(best), allowed: radius };
  const atBest = excessRisk(best);
  if (!(Math.abs(atBest) <= 1e-12 * scale)) return { what: `the excess risk of the optimum is ${atBest}; it must be 0`, measured: Math.abs(atBest), allowed: 1e-12 * scale };
  for (let k = 0; k < 60; k++) {
    const direction = random.gaussianInto(new Float64Array(columns)), size = norm(direction), share = k % 3 === 0 ? 1 : 0.1;
    const near = best.map((x, j) => (1 - share) * x + (share * radius * direction[j]!) / size), length = Math.max(1, norm(near) / radius), w = near.map((x) => x / length);
    const excess = excessRisk(w);
    if (!(excess >= -1e-12 * scale)) return { what: `a point of the ball has excess risk ${excess}: the optimum is not the best`, measured: -excess, allowed: 0, input: Array.from(w) };
  }
  return undefined;
}

/** The population of the instance is the one its risk is computed of. */
export const excessRisk = defineLaw<'lowerBound'>({
  id: 'lowerBound/excess-risk', kind: 'lowerBound', tier: 'statistical',
  statement: 'the excess risk between optimum and its opposite, and the origin, is what records cost there on average, given the moment of the class',
  power: 'an error of 0.06 × radius × moment, as of a sign or a factor 2 in a strong signal, in 60 000 records',
  exempt: (subject) => noLoss(subject) ?? (parameter(subject, 'moment') === undefined ? 'it has no parameter moment, without which nothing is known of the spread of its records' : undefined),
  check(subject, env) {
    const records = env.samples(60_000), { plugin, params } = lossOf(subject)!, moment = parameter(subject, 'moment')!;
    const processes = [-1, 0].map((factor) => ({ factor, evidence: undefined as ReturnType<typeof heavyMean> | undefined }));
    for (let seen = 0, draw = 0; seen < records; draw++) {
      const { features, labels, rows, columns, optimum: best, excessRisk: excess } = drawn(subject, env.random(draw));
      for (const process of processes) {
        const other = best.map((x) => process.factor * x + 0), apart = norm(best.map((x, j) => x - other[j]!)), gap = excess(other) - excess(best);
        process.evidence ??= heavyMean({ equals: 0, order: 2, moment: 1, horizon: records, alpha: env.alpha / 2 });
        for (let i = 0; i < rows; i++) {
          const record = { features: features.subarray(i * columns, (i + 1) * columns), label: labels[i]! };
          const difference = plugin.value(params as never, other, record) - plugin.value(params as never, best, record);
          process.evidence.push((difference - gap) / (apart * moment));
        }
        if (process.evidence.rejects(env.alpha / 2)) return fails(seen + rows, { what: `the excess risk of ${process.factor === 0 ? 'the origin' : 'the opposite of the optimum'} is said to be ${gap}; records drawn with the instance say otherwise`, measured: gap, logE: process.evidence.logE, input: subject.params });
      }
      seen += rows;
    }
    return holds(records);
  },
});

/** The instance is in the class. */
export const instanceMoment = defineLaw<'lowerBound'>({
  id: 'lowerBound/instance-moment', kind: 'lowerBound', tier: 'statistical', onClaim: true,
  statement: 'gradients of drawn records, at the optimum and at the origin, have moments of the order momentOrder that are at most moment',
  power: 'a moment too large by a factor 1.2 at bounded records, 2 at rare ones, in 20 000 records',
  exempt: (subject) => noLoss(subject) ?? (['moment', 'momentOrder'].every((name) => parameter(subject, name) !== undefined) ? undefined : 'it has no parameters moment and momentOrder'),
  check(subject, env) {
    const records = env.samples(20_000), { plugin, params } = lossOf(subject)!, moment = parameter(subject, 'moment')!, order = parameter(subject, 'momentOrder')!;
    const evidence = nonNegativeMean({ atMost: 1 + 1e-9 }), gradient = new Float64Array(parameter(subject, 'dimension') ?? drawn(subject, env.random(0)).columns);
    for (let seen = 0, draw = 0; seen < records; draw++) {
      const { features, labels, rows, columns, optimum: best } = drawn(subject, env.random(draw));
      const at = draw % 2 === 0 ? best : new Float64Array(columns);
      for (let i = 0; i < rows; i++) {
        plugin.gradientInto(params as never, gradient, at, { features: features.subarray(i * columns, (i + 1) * columns), label: labels[i]! });
        evidence.push((norm(gradient) / moment) ** order);
      }
      seen += rows;
      if (evidence.rejects(env.alpha)) return fails(seen, { what: `gradients of drawn records have a larger moment of order ${order} than ${moment}; the last has norm ${norm(gradient)}`, measured: norm(gradient), allowed: moment, logE: evidence.logE, input: subject.params });
    }
    return holds(records);
  },
});
