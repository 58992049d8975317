import { sameEvent, type Run } from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { compared } from './event.js';
import { inSetting } from './in-setting.js';
import { otherParams } from './other-params.js';
import { dataSets } from './records.js';
import { carryOut } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

/** How much longer the runs are than those of the other laws. */
const longer = 200;
/** Queries of a run that is entered step by step. */
const mostQueries = 20_000;

/** What holds of a few steps holds of many. */
export const longRuns = defineLaw<'optimizer'>({
  id: 'optimizer/long-runs',
  kind: 'optimizer',
  tier: 'exact',
  property: 'event',
  invariant: 'I-2',
  statement:
    'with 200 times the steps, answered by zeros, the charges of all steps one by one are the plan’s event',
  power:
    'certain for a step between the sixth and the 1200th that costs otherwise than planned, where a ' +
    'parameter is the number of steps',
  exempt,
  // What a step costs besides its sensitivity does not depend on the adjacency: one is enough.
  cells: (subject) => underEach(subject).slice(0, 1),
  check: (subject, env) => inSetting(subject, env, (setting) => longRunsOf(subject, setting)),
});

function* longRunsOf(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const more = (value: number): number | undefined =>
    Number.isInteger(value) && value < 100 ? longer * value : undefined;
  for (const params of otherParams(subject, more)) {
    const { value: run } = attempt(() => planned(subject, setting.problem, { params })) as {
      readonly value?: Run;
    };
    if (run !== undefined) yield judged(subject, setting, run, `with parameters ${JSON.stringify(params)}`);
  }
}

function judged(
  subject: Subject<'optimizer'>,
  setting: Setting,
  run: Run,
  where: string,
): Violation | undefined {
  const { event } = run.plan;
  const price = run.price?.() ?? null;
  if ((price?.queries ?? 0) > mostQueries) return undefined;
  if (price === null) {
    if (run.plan.gradients > mostQueries * setting.slots) return undefined;
    const { spent } = carryOut(subject, setting, run, {
      records: dataSets(setting)['at rest'],
      script: () => 0,
    });
    const adaptive = subject.plugin.stopping === 'adaptive';
    const { adjacency } = setting.problem;
    return compared({ spent, plan: event, adjacency, adaptive, registry: subject.registry }, where);
  }
  const spent = run.price?.({ unrolled: true })?.event;
  return spent === undefined || sameEvent(spent, event)
    ? undefined
    : {
        what: `${where} the plan's event is not that of all its steps one by one`,
        input: { planned: event, unrolled: spent },
      };
}
