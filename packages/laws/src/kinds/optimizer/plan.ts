import {
  eventKindsOf,
  IncompatiblePlugins,
  parseEvent,
  type Budget,
  type Calibrate,
  type Problem,
  type Run,
} from '@lethe/core';
import { encode } from '@lethe/numerics';
import { claimedProfile } from '../../divergence/claimed-profile.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { attempt } from '../sampler/declined.js';
import { inSetting } from './in-setting.js';
import { otherParams } from './other-params.js';
import { withOtherParts } from './other-parts.js';
import { dataSets } from './records.js';
import { carryOut } from './runs.js';
import { calibrateFor, exempt, planned, underEach, type Setting } from './settings.js';

/** A plan is public and plain. */
export const plan = defineLaw<'optimizer'>({
  id: 'optimizer/plan',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'a plan is JSON that follows from problem, budget, parameters and public coins alone: ' +
    'planned again, before or after runs on other data, it is the same to the last bit',
  power: 'certain, on a frozen problem, planned four times around runs on two data sets',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => plans(subject, setting)),
});

function* plans(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const problem = structuredClone(setting.problem);
  const run = planned(subject, problem);
  const first = encode(run.plan);
  yield sameBits(encode(problem), encode(setting.problem))
    ? undefined
    : { what: 'planning changes the problem it is given' };
  yield plainness(run.plan);
  const { utility, gradients, event } = run.plan;
  yield gradients >= 0 && gradients < Infinity
    ? undefined
    : { what: `the plan bounds the number of gradients by ${gradients}`, measured: gradients };
  yield utility === null || (utility.bound >= 0 && utility.source !== '')
    ? undefined
    : {
        what:
          `the plan bounds the excess risk by ${utility.bound}, from '${utility.source}'; ` +
          'an excess is not negative, and a bound has a source',
        measured: utility.bound,
      };
  parseEvent(event, eventKindsOf(subject.registry));
  for (const [name, records] of Object.entries(dataSets(setting)).slice(0, 2)) {
    carryOut(subject, setting, run, { records });
    yield sameBits(encode(planned(subject, setting.problem).plan), first)
      ? undefined
      : {
          what: `planned again after a run on data '${name}' the plan is another one`,
          input: { first: run.plan, second: planned(subject, setting.problem).plan },
        };
  }
  yield sameBits(encode(run.plan), first) ? undefined : { what: 'running changes the plan' };
}

function plainness(value: unknown, path = 'plan'): Violation | undefined {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  )
    return undefined;
  if (
    typeof value !== 'object' ||
    ArrayBuffer.isView(value) ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Date
  ) {
    const kindOf = () => {
      if (ArrayBuffer.isView(value)) return 'a typed array';
      return typeof value === 'object' ? 'an object of a class' : String(value);
    };
    return { what: `${path} is ${kindOf()}; a plan is JSON` };
  }
  for (const [name, inner] of Object.entries(value)) {
    const found = plainness(inner, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const budgets = [
  { epsilon: 4, delta: 1e-2 },
  { epsilon: 1, delta: 1e-6 },
  { epsilon: 0.25, delta: 1e-5 },
  { epsilon: 8, delta: 1e-3 },
];

/** A plan that consults its budget keeps it. */
export const withinBudget = defineLaw<'optimizer'>({
  id: 'optimizer/within-budget',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'where the budget decides the noise, the plan’s event meets it: δ(ε) ≤ δ by what the event claims of ' +
    'itself; also with a mean whose cost depends on its units and on the batch, noise that is charged ' +
    'twice, and a sampler that amplifies nothing',
  power: 'certain for a budget missed by rounding, at four budgets',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => budgeted(subject, setting.problem)),
});

function* budgeted(subject: Subject<'optimizer'>, problem: Problem): Generator<Violation | undefined> {
  yield* within(subject, problem, budgets);
  // At parameters that were never planned for, a noise kept from another budget shows.
  for (const params of otherParams(subject, (value) => 3 * value).slice(0, 2)) {
    const { value: found } = attempt(() => [
      ...within({ ...subject, params }, problem, budgets.slice(0, 2)),
    ]) as { readonly value?: readonly (Violation | undefined)[] };
    yield found?.find((violation) => violation !== undefined);
  }
  for (const { subject: other, part } of withOtherParts(subject)) {
    const made = attempt(() => [...within(other, problem, budgets.slice(0, 2))]);
    if (made.declined === undefined) yield made.value.find((violation) => violation !== undefined);
    // Core refuses what was calibrated on another run; other refusals are of the part.
    else if (made.declined instanceof IncompatiblePlugins && 'epsilon' in made.declined.details)
      yield { what: `with ${part} by reference: ${made.declined.message}`, cause: made.declined };
  }
}

function* within(
  subject: Subject<'optimizer'>,
  problem: Problem,
  offered: readonly Budget[],
): Generator<Violation | undefined> {
  const kinds = eventKindsOf(subject.registry);
  // As little slack as possible: a budget missed by rounding is found.
  const plain = calibrateFor(subject.registry, 1e-9);
  const events = new Set<string>();
  let asked = 0;
  const calibrate: Calibrate = (request) => {
    asked++;
    return plain(request);
  };
  const offers = offered.flatMap((budget) => {
    const make = (): Run => planned(subject, problem, { budget, calibrate });
    // A first step that does not fit a filter's budget is refused, which is no plan.
    const { value: run } =
      subject.plugin.stopping === 'adaptive'
        ? (attempt(make) as { readonly value?: Run })
        : { value: make() };
    if (run === undefined) return [];
    const { event } = run.plan;
    events.add(JSON.stringify(event));
    return [{ budget, event }];
  });
  // A noise that the parameters fix is the caller's own: the ledger's limit decides.
  if (asked === 0 && events.size === 1) return;
  for (const { budget, event } of offers) {
    const delta = claimedProfile(event, problem.adjacency, kinds).delta(budget.epsilon);
    yield delta <= budget.delta
      ? undefined
      : {
          what:
            `planned for ε = ${budget.epsilon}, δ = ${budget.delta}, the event has ` +
            `δ(${budget.epsilon}) = ${delta}`,
          measured: delta,
          allowed: budget.delta,
          input: event,
        };
  }
}
