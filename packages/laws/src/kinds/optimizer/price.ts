import { sameEvent, type Run } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { inSetting } from './in-setting.js';
import { otherParams } from './other-params.js';
import { attempt } from '../sampler/declined.js';
import { standardPlan, standardRun } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

/** Iterations that are said to be alike are. */
export const price = defineLaw<'optimizer'>({
  id: 'optimizer/price',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'the price found by one iteration of each kind is that of all iterations, in event, ' +
    'gradients and queries; and a run asks as many queries',
  power:
    'certain for iterations of one kind that cost otherwise, ' +
    'at these parameters and those beside them; without a record',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => prices(subject, setting)),
});

function* prices(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const run = standardPlan(subject, setting);
  const known = run.price?.() ?? null;
  if (known === null) return;
  yield compared(run, 'at these parameters');
  const { length } = standardRun(subject, setting, 'spread').queries;
  yield length === known.queries
    ? undefined
    : {
        what: `the price is that of ${known.queries} queries, and a run asks ${length}`,
        measured: length,
        allowed: known.queries,
      };
  for (const params of otherParams(subject, (value) =>
    Number.isInteger(value) && value < 100 ? value + 1 : undefined,
  )) {
    const { value: other } = attempt(() => planned(subject, setting.problem, { params })) as {
      readonly value?: Run;
    };
    if (other !== undefined) yield compared(other, `with parameters ${JSON.stringify(params)}`);
  }
}

function compared({ plan, price: priced }: Run, where: string): Violation | undefined {
  const each = defined(defined(priced)({ unrolled: true }));
  if (!sameEvent(each.event, plan.event))
    return {
      what: `${where} the plan's event is not that of all its iterations one by one`,
      input: { planned: plan.event, unrolled: each.event },
    };
  return each.gradients === plan.gradients
    ? undefined
    : {
        what: `${where} all iterations take ${each.gradients} gradients, the plan says ${plan.gradients}`,
        measured: each.gradients,
        allowed: plan.gradients,
      };
}
