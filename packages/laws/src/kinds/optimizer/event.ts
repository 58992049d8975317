import {
  eventKindsOf,
  sameEvent,
  type Adjacency,
  type Fact,
  type PrivacyEvent,
  type Problem,
  type Registry,
  type Run,
} from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { claimedProfile } from '../../divergence/claimed-profile.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { inSetting } from './in-setting.js';
import { withOtherParts } from './other-parts.js';
import { otherParams } from './other-params.js';
import { dataSets, type DataSetName } from './records.js';
import { carryOut, scriptNames, standardPlan, standardRun } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

const epsilons = [0, 0.01, 0.1, 0.5, 1, 2, 4, 8];

/** The cost of a run equals its plan. */
export const event = defineLaw<'optimizer'>({
  id: 'optimizer/event',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'the ledger of a finished run holds the plan’s event, whatever the data, ' +
    'the answers and the facts; where stopping is adaptive it holds at most that; ' +
    'a part that is given by reference is asked for',
  power:
    'certain where the cost depends on any of five data sets, six scripts of answers, two lies about ' +
    'facts or a part by reference; costs that differ by less than 1e-9 of δ pass',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => allRuns(subject, setting)),
});

function* allRuns(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const bill = (run: Run, spent: PrivacyEvent): Bill => ({
    spent,
    plan: run.plan.event,
    adjacency: setting.problem.adjacency,
    adaptive: subject.plugin.stopping === 'adaptive',
    registry: subject.registry,
  });
  const run = standardPlan(subject, setting);
  const sets = dataSets(setting);
  const costs = (other: Run): Bill =>
    bill(other, carryOut(subject, setting, other, { records: sets.spread }).spent);
  for (const name of Object.keys(sets) as DataSetName[])
    yield compared(bill(run, standardRun(subject, setting, name).spent), `on data '${name}'`);
  for (const name of scriptNames)
    yield compared(
      bill(run, standardRun(subject, setting, 'spread', name).spent),
      `when answers are ${name}`,
    );
  for (const params of otherParams(subject, (value) => 2 * value)) {
    const { value: other } = attempt(() => planned(subject, setting.problem, { params })) as {
      readonly value?: Run;
    };
    if (other !== undefined) yield compared(costs(other), `with parameters ${JSON.stringify(params)}`);
  }
  for (const { subject: other, part } of withOtherParts(subject)) {
    const made = attempt(() => planned(other, setting.problem));
    if (made.declined !== undefined) continue;
    const { spent, queries } = carryOut(other, setting, made.value, { records: sets.spread });
    yield compared({ ...bill(made.value, spent), registry: other.registry }, `with ${part} by reference`);
    yield JSON.stringify(queries).includes(`"${part}"`)
      ? undefined
      : { what: `${part} was given by reference, and no query of the run names it`, input: other.params };
  }
  for (const by of [2 ** -6, 2 ** 6]) {
    const { value: lied } = attempt(() => planned(subject, lyingProblem(subject, setting.problem, by))) as {
      readonly value?: Run;
    };
    if (lied !== undefined)
      yield compared(costs(lied), `when facts that privacy may not rest on are off by ${by}`);
  }
}

/**
 * Facts that hold on average only may be wrong; those of every
 * record may not, unless privacy rests on clipping alone.
 */
function lyingProblem({ plugin }: Subject<'optimizer'>, problem: Problem, by: number): Problem {
  const lie = ([name, fact]: readonly [string, Fact]): readonly [string, Fact] => [
    name,
    fact.scope === 'population' || plugin.privacyRestsOn === 'clip'
      ? {
          ...fact,
          value: fact.value * by,
          ...(fact.each === undefined ? {} : { each: fact.each.map((value) => value * by) }),
        }
      : fact,
  ];
  return { ...problem, facts: Object.fromEntries(Object.entries(problem.facts).map(lie)) };
}

interface Bill {
  readonly spent: PrivacyEvent;
  readonly plan: PrivacyEvent;
  readonly adjacency: Adjacency;
  readonly adaptive: boolean;
  readonly registry: Registry;
}

/**
 * Why what was spent is not what was planned. Equal texts settle it;
 * events written otherwise are compared by the profiles they claim.
 */
export function compared(
  { spent, plan, adjacency, adaptive, registry }: Bill,
  where: string,
): Violation | undefined {
  if (sameEvent(spent, plan)) return undefined;
  const compare = {
    planned: JSON.parse(canonicalEvent(plan)) as unknown,
    ledger: JSON.parse(canonicalEvent(spent)) as unknown,
  };
  const kinds = eventKindsOf(registry);
  const curves = attempt(
    () => [claimedProfile(spent, adjacency, kinds), claimedProfile(plan, adjacency, kinds)] as const,
  ) as { readonly value?: readonly [{ delta(e: number): number }, { delta(e: number): number }] };
  if (curves.value === undefined)
    return { what: `${where} the ledger holds another event than the plan`, compare };
  for (const epsilon of epsilons) {
    const [measured, allowed] = curves.value.map((curve) => curve.delta(epsilon)) as [number, number];
    if (!(measured <= allowed * (1 + 1e-9)))
      return {
        what:
          `${where} the run costs more than planned: at ε = ${epsilon} the ledger’s event has ` +
          `δ = ${measured}, the plan’s ${allowed}`,
        measured,
        allowed,
        compare,
      };
    if (!adaptive && !(measured >= allowed * (1 - 1e-9)))
      return {
        what:
          `${where} the run costs less than planned, though the plan’s event is to be exact: ` +
          `at ε = ${epsilon} the ledger’s event has δ = ${measured}, the plan’s ${allowed}`,
        measured,
        allowed,
        compare,
      };
  }
  return undefined;
}
