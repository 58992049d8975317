import { ask, referenceTo, resolvePlugin, Unsupported, type Selector } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { exponential, permuteAndFlip } from '@lethe/mechanisms';
import { type Domain } from '@lethe/numerics';
import * as z from 'zod';
import { centralSlots } from '../common/problem-facts.js';
import {
  leastBoundNet,
  likelyRegret,
  sparseNet,
  sparseNetRisk,
  sparseNetSpacing,
  type Net,
  type NetSetting,
} from './lattice-net.js';
import { factOfEveryRecord, sparsityOf } from './record-facts.js';

const name = 'sparse-exponential';
const schedule = z.object({
  epsilon: z.number().positive(),
  spacing: z.number().positive().describe('τ: distance of neighbouring points of the net along an axis.'),
  entries: z
    .int()
    .min(0)
    .describe('k: coordinates off the centre of the domain, at most. Left out: D²/τ², or all of them.'),
  selector: referenceTo('selector').check(z.describe('Chooses the point. Left out: exponential.')),
});
const params = z.strictObject({
  schedule: z
    .enum(['least-bound', 'theorem-7.5'])
    .default('least-bound')
    .describe('How τ is chosen: where plan.utility is least, or as the theorem says.'),
  spacing: schedule.shape.spacing.optional(),
  entries: schedule.shape.entries.optional(),
  selector: z._default(schedule.shape.selector, () => exponential({})),
  failure: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.05)
    .describe('β: the printed τ and the bound plan.empirical fail with this probability.'),
  mostCandidates: z
    .int()
    .positive()
    .max(1e7)
    .default(10_000)
    .describe('Points of the net at most; the loss of every record is computed at each.'),
});

/** Sets in which a point may move towards the centre along any coordinates. */
const centred = new Set(['l2-ball', 'l1-ball', 'box']);

/**
 * A choice among the sparse points of a lattice around the centre of the domain, the smaller their average
 * loss the likelier: pure differential privacy for losses that need not be smooth. Where gradients have few
 * entries that differ from zero, sparse points are nearly as good as all, and the excess risk grows with the
 * logarithm of the dimension only. The number of points grows quickly with the dimension, and each costs a
 * pass over the records: it is a method for few coordinates, or for few entries.
 *
 * Facts: `range` and `lipschitz` of every record, `sparsity` if it is less than the dimension. `plan.utility`
 * bounds the expected excess population risk, `plan.empirical` the excess empirical risk but with probability
 * `failure`, where the selector is `exponential`. The start is not used. A δ in the budget is not used
 * either.
 */
export const sparseExponential = defineOptimizer({
  name,
  summary: 'A private choice among sparse points of a lattice.',
  source: { id: 'ghazi-2024', item: 'Algorithm 7' },
  params,
  examples: [
    { mostCandidates: 200 },
    { spacing: 3, entries: 1 },
    { mostCandidates: 30, selector: permuteAndFlip({}) },
  ],
  claims: [
    {
      property: 'event',
      statement: 'one choice at ε, of losses that a record moves by B/n',
      source: { id: 'ghazi-2024', item: 'Theorem 7.5' },
    },
    {
      property: 'utility',
      statement: 'E F(w) − F* ≤ L√s·τ + regret of the selector + B√(ln N/(2n)) for N points',
      source: { id: 'ghazi-2024', item: 'Lemma 7.3' },
    },
    { property: 'gradients', statement: 'none' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  facts: {
    lipschitz: 'how much the best point of the net misses',
    range: 'how much a record moves the average loss',
  },
  schedule,
  plan({ problem, registry, domain, budget: { epsilon }, params: asked }) {
    const records = centralSlots(problem);
    const { failure, selector, mostCandidates } = asked;
    const distance = Math.min(domain.reach ?? domain.diameter, domain.diameter);
    if (!(distance < Infinity))
      throw new Unsupported(
        `a net of the unbounded domain '${domain.name}' has infinitely many points; use a ball or a box`,
        { domain: domain.name },
      );
    const setting: NetSetting = {
      records,
      dimension: problem.dimension,
      sparsity: sparsityOf(problem),
      lipschitz: factOfEveryRecord(problem, 'lipschitz'),
      range: factOfEveryRecord(problem, 'range'),
      distance,
    };
    const { plugin, params: own } = resolvePlugin<Selector>(registry, selector);
    const regret = (size: number): number =>
      (setting.range / records) * plugin.regretBound(own, size, epsilon);
    const boundOf = (net: Net): number =>
      sparseNetRisk(setting, net, regret(net.size)) +
      setting.range * Math.sqrt(Math.log(net.size) / (2 * records));
    const net = netFor(setting, {
      spacing:
        asked.spacing ??
        (asked.schedule === 'theorem-7.5' ? sparseNetSpacing(setting, { epsilon, failure }) : null),
      entries: asked.entries,
      mostCandidates,
      boundOf,
    });
    const uncovered = uncoveredBy(net, setting, domain);
    return {
      schedule: asked.schedule,
      epsilon,
      spacing: net.spacing,
      entries: net.entries,
      selector,
      candidates: net.size,
      ...setting,
      utility:
        uncovered === null
          ? {
              bound: boundOf(net),
              source: 'ghazi-2024, Lemma 7.3 and the regret of the selector; expected excess population risk',
            }
          : null,
      empirical:
        uncovered === null && selector.name === 'exponential'
          ? { failure, bound: sparseNetRisk(setting, net, likelyRegret(setting, net, { epsilon, failure })) }
          : null,
      uncovered,
    };
  },
  *steps({ plan: { epsilon, spacing, entries, selector }, problem, domain, allRecords }) {
    const chosen = yield* ask.choose({
      candidates: { by: 'lattice', domain: problem.domain, spacing, sparsity: entries },
      statistic: { of: 'risk' },
      batch: allRecords,
      selector,
      target: { epsilon },
    });
    return domain.projectInto(chosen, chosen);
  },
});

/** @throws {Unsupported} for a net with more points than are tried. */
function netFor(
  setting: NetSetting,
  {
    spacing,
    entries,
    mostCandidates,
    boundOf,
  }: {
    readonly spacing: number | null;
    readonly entries: number | undefined;
    readonly mostCandidates: number;
    readonly boundOf: (net: Net) => number;
  },
): Net {
  const found =
    spacing === null ? leastBoundNet(setting, mostCandidates, boundOf) : sparseNet(setting, spacing);
  const whole = found ?? sparseNet(setting, setting.distance);
  const net = entries === undefined ? whole : sparseNet(setting, whole.spacing, entries);
  if (net.size <= mostCandidates) return net;
  throw new Unsupported(
    `a net of spacing ${net.spacing} with ${net.entries} of ${setting.dimension} coordinates off the ` +
      `centre has ${net.size} points, and mostCandidates is ${mostCandidates}; give a larger spacing, ` +
      'fewer entries, or more candidates',
    { ...net, dimension: setting.dimension, mostCandidates },
  );
}

/** Why no bound follows; `null` where one does. */
function uncoveredBy({ spacing, entries }: Net, setting: NetSetting, domain: Domain): string | null {
  if (!centred.has(domain.name))
    return (
      `in the domain '${domain.name}' points may not move towards ` +
      'the centre along each coordinate: use a ball or a box'
    );
  if (entries < sparseNet(setting, spacing).entries)
    return (
      `points with ${entries} entries off the centre need not be near the minimiser at spacing ` +
      `${spacing}: leave entries out`
    );
  return null;
}
