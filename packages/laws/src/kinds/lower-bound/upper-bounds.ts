import { eventKindsOf, type Budget, type Calibrate, type Optimizer, type Problem, seededRandom } from '@lethe/core';
import { claimedRenyi } from '../../divergence/claimed-profile.js';
import { rememberingCalibrate } from '../optimizer/calibration.js';
import type { Violation } from '../../law/finding.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { lossOf, noLoss, parameter, withParameters } from './subject.js';

const named = ['n', 'dimension', 'radius', 'moment', 'momentOrder'] as const;
const sizes = [64, 1e3, 1e4, 1e6, 1e9, 1e12];
const budgets = [{ epsilon: 0.1, delta: 1e-6 }, { epsilon: 1, delta: 1e-6 }, { epsilon: 8, delta: 1e-3 }];

/** No algorithm is better than a bound that holds for all. */
export const belowUpperBounds = defineLaw<'lowerBound'>({
  id: 'lowerBound/below-upper-bounds', kind: 'lowerBound', tier: 'exact',
  statement: 'where its constants are proved, it is at most radius × moment, which staying where one is attains, and at most plan.utility of every optimizer of the registry for the same class and cost',
  power: 'a wrong power of n, of radius or of the moment, at n from 64 to 10¹²; a constant only where it leaves no room',
  exempt: (subject) => noLoss(subject) ?? (named.every((name) => parameter(subject, name) !== undefined) ? undefined : `it lacks some of the parameters ${named.join(', ')}, so its class cannot be compared`),
  check(subject) {
    let compared = 0;
    const calibrate = rememberingCalibrate(eventKindsOf(subject.registry));
    for (const n of sizes) {
      const trivial = exceeds(subject, { n }, (params) => params['radius']! * params['moment']!, () => 'staying at the centre costs at most radius × moment');
      compared += Number(trivial !== 'silent');
      if (trivial === 'silent') continue;
      if (trivial !== undefined) return fails(compared, trivial);
      for (const { plugin, params } of optimizersOf(subject)) {
        for (const budget of budgets) {
          const plan = planOf(subject, { plugin, params, calibrate, budget }, n);
          if (plan === undefined) continue;
          const above = exceeds(subject, { n, ...(parameter(subject, 'rho') === undefined ? {} : { rho: plan.rho }) }, () => plan.bound, () => `optimizer '${plugin.name}' has excess risk at most ${plan.bound} at ρ = ${plan.rho}`);
          compared += Number(above !== 'silent');
          if (above !== undefined && above !== 'silent') return fails(compared, above);
        }
      }
    }
    return compared === 0 ? skipped('its constants are not proved at these parameters: it has a shape, and no height to compare') : holds(compared);
  },
});

function exceeds(subject: Subject<'lowerBound'>, changed: Readonly<Record<string, number>>, bound: (params: Readonly<Record<string, number>>) => number, why: () => string): Violation | undefined | 'silent' {
  const params = withParameters(subject, changed);
  const { value: found } = attempt(() => subject.plugin.evaluate(params as never)) as { readonly value?: { readonly value: number; readonly explicit: boolean } };
  if (params === undefined || found === undefined || !found.explicit) return 'silent';
  const allowed = bound(params as Readonly<Record<string, number>>);
  return found.value <= allowed * (1 + 1e-9) ? undefined : { what: `it says that every algorithm has excess risk ${found.value}; ${why()}`, measured: found.value, allowed, input: params };
}

const optimizersOf = ({ registry }: Subject<'lowerBound'>) => registry.filter((plugin): plugin is Optimizer => plugin.kind === 'optimizer').flatMap((plugin) => {
  const tried = [{}, ...(plugin.examples ?? [])].flatMap((input) => { const parsed = plugin.params.safeParse(input); return parsed.success ? [parsed.data] : []; });
  return tried.slice(0, 1).map((params) => ({ plugin, params }));
});

/** The optimizer's bound for the class of this lower bound; nothing when it cannot be planned for it. */
function planOf(subject: Subject<'lowerBound'>, { plugin, ...planning }: { readonly plugin: Optimizer; readonly params: unknown; readonly calibrate: Calibrate; readonly budget: Budget }, n: number): { readonly bound: number; readonly rho: number } | undefined {
  const [dimension, radius, order, moment] = (['dimension', 'radius', 'momentOrder', 'moment'] as const).map((name) => parameter(subject, name)!) as [number, number, number, number];
  const loss = lossOf(subject)!, facts = loss.plugin.facts(loss.params as never, { dimension, featureNorm: 1 });
  // Losses whose curvature grows with the records are not comparable: the class bounds a moment only.
  if (facts['smoothness']?.value !== 0) return undefined;
  const second = parameter(subject, 'secondMoment') ?? moment;
  const problem: Problem = {
    adjacency: 'replace-one', trust: { model: 'central' }, dimension, slots: [n], domain: { kind: 'domain', name: 'l2-ball', params: { radius } }, loss: loss.ref, capabilities: loss.plugin.capabilities,
    facts: { smoothness: facts['smoothness'], 'gradientMoment.2': { value: second, scope: 'population', provenance: 'declared' }, [`gradientMoment.${order}`]: { value: moment, scope: 'population', provenance: 'declared' } },
  };
  const kinds = eventKindsOf(subject.registry);
  const { value: plan } = attempt(() => plugin.prepare({ problem, ...planning, random: seededRandom('public') } as never).plan) as { readonly value?: { readonly utility: { readonly bound: number } | null; readonly event: never } };
  if (plan === undefined || plan.utility === null) return undefined;
  const renyi = attempt(() => claimedRenyi(plan.event, 'replace-one', kinds)) as { readonly value?: (alpha: number) => number };
  if (renyi.value === undefined) return undefined;
  const rho = Math.max(...[1 + 2 ** -10, 1.5, 2, 8, 64, 512].map((alpha) => renyi.value!(alpha) / alpha));
  return Number.isFinite(rho) && rho > 0 ? { bound: plan.utility.bound, rho } : undefined;
}
