import {
  eventKindsOf,
  type Budget,
  type Calibrate,
  type Capabilities,
  type Optimizer,
  type PrepareContext,
  type Problem,
  type Registry,
  seededRandom,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { domainIn, withBall } from '../../engines/ball-domain.js';
import { claimedRenyi } from '../../divergence/claimed-profile.js';
import { remembered, type Memory } from '../optimizer/remembered.js';
import { calibrateFor } from '../optimizer/settings.js';
import { type Violation, fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { lossOf, momentsOf, noMoments, parameter, problemOf, withParameters } from './subject.js';

const sizes = [64, 1e4, 1e8, 1e12];
const budgets = [
  { epsilon: 0.1, delta: 1e-6 },
  { epsilon: 1, delta: 1e-6 },
  { epsilon: 8, delta: 1e-3 },
];

/** A proved lower bound is at most every upper bound for the same class. */
export const belowUpperBounds = defineLaw<'lowerBound'>({
  id: 'lowerBound/below-upper-bounds',
  kind: 'lowerBound',
  tier: 'exact',
  // It plans every optimizer of the registry, which takes seconds at one set of parameters.
  elsewhere: 0,
  statement:
    'where its constants are proved, the bound is at most the excess risk of the centre of the domain, ' +
    'by the declared moment of least order, and at most plan.utility of every optimizer of the registry ' +
    'for the same class and privacy cost',
  power:
    'a wrong power of n, of radius or of the moment, at n from 64 to 10¹²; ' +
    'a wrong constant only where upper and lower bound are close',
  exempt: (subject) =>
    noMoments(subject) ??
    (parameter(subject, 'n') === undefined
      ? 'it has no parameter n, so its class cannot be compared'
      : undefined),
  check(subject) {
    let compared = 0;
    // The cost compared is that of the plan, so that its noise may be a tenth more than the budget asks.
    const calibrate = calibrateFor(subject.registry, 0.1);
    for (const n of sizes) {
      const trivial = exceeds(
        subject,
        { n },
        (params) => reachOf(subject, params) * momentsOf({ ...subject, params })[0][1],
        () => 'staying at the centre costs at most the moment times the distance to the boundary',
      );
      compared += Number(trivial !== 'silent');
      if (trivial === 'silent') continue;
      if (trivial !== undefined) return fails(compared, trivial);
      for (const { plugin, params } of optimizersOf(subject)) {
        for (const budget of budgets) {
          const plan = planOf(subject, { plugin, params, calibrate, budget }, n);
          if (plan === 'unplanned') continue;
          // Whether a plan has a bound is decided by the class, not by the budget.
          if (plan === 'boundless') break;
          const above = exceeds(
            subject,
            { n, ...(parameter(subject, 'rho') === undefined ? {} : { rho: plan.rho }) },
            () => plan.bound,
            () => `optimizer '${plugin.name}' has excess risk at most ${plan.bound} at ρ = ${plan.rho}`,
          );
          compared += Number(above !== 'silent');
          if (above !== undefined && above !== 'silent') return fails(compared, above);
        }
      }
    }
    return compared === 0
      ? skipped('its constants are not proved at these parameters, so there is no value to compare')
      : holds(compared);
  },
});

function exceeds(
  subject: Subject<'lowerBound'>,
  changed: Readonly<Record<string, number>>,
  bound: (params: unknown) => number,
  why: () => string,
): Violation | undefined | 'silent' {
  const params = withParameters(subject, changed);
  const { value: found } = attempt(() => subject.plugin.evaluate(params)) as {
    readonly value?: { readonly value: number; readonly explicit: boolean };
  };
  if (params === undefined || found === undefined || !found.explicit) return 'silent';
  const allowed = bound(params);
  return found.value <= allowed * (1 + 1e-9)
    ? undefined
    : {
        what: `the lower bound is ${found.value} for every algorithm; ${why()}`,
        measured: found.value,
        allowed,
        input: params,
      };
}

const optimizersOf = ({ registry }: Subject<'lowerBound'>) =>
  registry
    .filter((plugin): plugin is Optimizer => plugin.kind === 'optimizer')
    .flatMap((plugin) => {
      const tried = [{}, ...(plugin.examples ?? [])].flatMap((input) => {
        const parsed = plugin.params.safeParse(input);
        return parsed.success ? [parsed.data] : [];
      });
      return tried.slice(0, 1).map((params) => ({ plugin, params }));
    });

/** Upper bound on the distance between the centre and the boundary of the domain. */
function reachOf(subject: Subject<'lowerBound'>, params: unknown): number {
  const { domain, record } = defined(problemOf({ ...subject, params }));
  return domainIn(subject.registry, domain, record.columns).diameter / 2;
}

type PlannedBound = { readonly bound: number; readonly rho: number } | 'boundless' | 'unplanned';

/**
 * The optimizer's bound for the class of this lower bound; `boundless` if its plan has none, `unplanned` if
 * it cannot be planned for it.
 */
function planOf(
  subject: Subject<'lowerBound'>,
  {
    plugin,
    ...planning
  }: {
    readonly plugin: Optimizer;
    readonly params: unknown;
    readonly calibrate: Calibrate;
    readonly budget: Budget;
  },
  n: number,
): PlannedBound {
  const params = withParameters(subject, { n });
  const {
    loss: ref,
    domain,
    record: { columns: dimension },
    facts,
  } = defined(problemOf({ ...subject, params }));
  const loss = defined(lossOf(subject));
  // The class bounds moments and curvatures, not records: only
  // facts of the loss that hold for all records apply.
  const curvature = Object.entries(
    loss.plugin.facts(loss.params, { columns: dimension, featureNorm: 1 }),
  ).filter(
    ([name, { value }]) =>
      /^(?:smoothness|strongConvexity)$/u.test(name) &&
      value === facts[name === 'smoothness' ? 'populationSmoothness' : 'populationStrongConvexity']?.value,
  );
  if (facts['populationSmoothness'] === undefined) return 'unplanned';
  const problem: Problem = {
    adjacency: 'replace-one',
    trust: { model: 'central' },
    dimension,
    slots: [n],
    domain,
    loss: ref,
    capabilities: loss.plugin.capabilities,
    facts: {
      ...Object.fromEntries(curvature),
      ...facts,
      diameter: { value: 2 * reachOf(subject, params), scope: 'every-record', provenance: 'from-domain' },
    },
  };
  // Lower bounds of one class, and wrong ones beside the right one, are compared with the same plans.
  const asked = JSON.stringify([plugin.name, planning.params, planning.budget, problem]);
  return remembered(plans, subject.registry, asked, () =>
    planFor(subject.registry, plugin, { ...planning, problem }),
  );
}

const plans: Memory<Registry, PlannedBound> = new WeakMap();

/** The bound of a plan with its privacy cost; as {@link planOf}. */
function planFor(
  registry: Registry,
  plugin: Optimizer,
  planning: Pick<PrepareContext<unknown, Capabilities>, 'problem' | 'params' | 'budget' | 'calibrate'>,
): PlannedBound {
  const { value: plan } = attempt(
    () => plugin.prepare({ ...planning, registry: withBall(registry), random: seededRandom('public') }).plan,
  ) as { readonly value?: { readonly utility: { readonly bound: number } | null; readonly event: never } };
  if (plan === undefined) return 'unplanned';
  if (plan.utility === null) return 'boundless';
  const renyi = attempt(() => claimedRenyi(plan.event, 'replace-one', eventKindsOf(registry))) as {
    readonly value?: (alpha: number) => number;
  };
  if (renyi.value === undefined) return 'unplanned';
  const rho = Math.max(
    ...[1 + 2 ** -10, 1.5, 2, 8, 64, 512].map((alpha) => defined(renyi.value)(alpha) / alpha),
  );
  return Number.isFinite(rho) && rho > 0 ? { bound: plan.utility.bound, rho } : 'unplanned';
}
