import {
  Corrupt,
  IncompatiblePlugins,
  seededRandom,
  type PrivacyEvent,
  type Run,
  type StoredPlan,
} from '@lethe/core';
import { storedPlan } from '@lethe/curator';
import { encode } from '@lethe/numerics';
import { withBall } from '../../engines/ball-domain.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { filterByOrder } from './filter.js';
import { inSetting } from './in-setting.js';
import { dataSets } from './records.js';
import { carryOut } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

/** A plan is all that a run needs. */
export const stored = defineLaw<'optimizer'>({
  id: 'optimizer/stored-plan',
  kind: 'optimizer',
  tier: 'exact',
  statement:
    'a run started from its plan as JSON is the run it came from, to the last bit; a plan of another ' +
    'version, of another cost, without a trust model or with a bound that is none is refused',
  power:
    'certain for anything that steps know of planning besides the plan, on one data set, ' +
    'with another plan made in between',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => starts(subject, setting)),
});

function* starts(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const run = planned(subject, setting.problem);
  const before = carryOut(subject, setting, run, { records: dataSets(setting).spread });
  const text = JSON.stringify(storedPlan(run));
  // State left by planning belongs to another plan.
  planned(subject, setting.problem, { budget: { epsilon: 1, delta: 1e-3 } });
  const plan = JSON.parse(text) as StoredPlan;
  const again = startedFrom(subject, plan);
  yield sameBits(encode(again.plan), encode(run.plan))
    ? undefined
    : {
        what: 'started from its JSON, a run has another plan',
        input: { planned: run.plan, started: again.plan },
      };
  const after = carryOut(subject, setting, again, { records: dataSets(setting).spread });
  const isSame =
    sameBits(after.output, before.output) && sameBits(encode(after.queries), encode(before.queries));
  yield isSame
    ? undefined
    : {
        what:
          `started from its plan as JSON, a run ends at [${Array.from(after.output).join(', ')}]; ` +
          `the run it came from at [${Array.from(before.output).join(', ')}]: ` +
          'its steps know of something that the plan does not say',
      };
  yield refusal(
    subject,
    { ...plan, mark: `${plan.mark}0` },
    IncompatiblePlugins,
    'of another version of the optimizer',
  );
  const { trust: _, ...posed } = plan.problem;
  yield refusal(
    subject,
    { ...plan, problem: posed as StoredPlan['problem'] },
    Corrupt,
    'of a problem without a trust model',
  );
  yield refusal(
    subject,
    { ...plan, plan: { ...plan.plan, utility: { bound: -1, source: 'nobody' } } },
    Corrupt,
    'that bounds the excess risk by −1',
  );
  if (!plan.priced) return;
  const event: PrivacyEvent = { kind: 'core/free', v: 1 };
  // A run without queries does cost nothing.
  if (before.queries.length > 0) {
    yield refusal(
      subject,
      { ...plan, priced: false, plan: { ...plan.plan, event } },
      Corrupt,
      'that says it costs nothing and was not priced',
    );
    yield refusal(subject, { ...plan, plan: { ...plan.plan, event } }, Corrupt, 'that says it costs nothing');
  }
  yield refusal(
    subject,
    { ...plan, plan: { ...plan.plan, gradients: plan.plan.gradients + 1 } },
    Corrupt,
    'that says it takes a gradient more',
  );
}

const startedFrom = ({ plugin, registry }: Subject<'optimizer'>, plan: StoredPlan): Run =>
  plugin.fromPlan({
    plan,
    registry: withBall(registry),
    random: seededRandom('public'),
    filter: filterByOrder,
  });

function refusal(
  subject: Subject<'optimizer'>,
  plan: StoredPlan,
  type: new (...args: never[]) => Error,
  what: string,
): Violation | undefined {
  try {
    startedFrom(subject, plan);
  } catch (error) {
    return error instanceof type
      ? undefined
      : { what: `a plan ${what} is refused with ${String(error)}; it must be ${type.name}`, cause: error };
  }
  return { what: `a run is started from a plan ${what}` };
}
