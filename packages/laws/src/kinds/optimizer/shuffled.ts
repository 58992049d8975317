import type { PrivacyEvent, Run } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { compared } from './event.js';
import { dataSets } from './records.js';
import { carryOut, scripts } from './runs.js';
import { planned, settingOf, underEach, withoutLoss, type Setting } from './settings.js';

/** One user in forty may leave out its share of the noise. */
const dishonest = 1 / 40;

/** Cost of a run in the shuffle model with dishonest users. */
export const shuffled = defineLaw<'optimizer'>({
  id: 'optimizer/shuffled',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'in the shuffle model, too, the ledger of a finished run holds the plan’s event, ' +
    'whatever the answers, and the plan rests on no more honest users than a batch is sure to have',
  power:
    'certain for one honest user too many, and for any cost that is planned otherwise, ' +
    'with true answers and six scripts of false ones; a fortieth of the users need not be honest',
  exempt: (subject) =>
    subject.plugin.trustModels.includes('shuffle')
      ? withoutLoss(subject)
      : 'it does not run in the shuffle model',
  cells: (subject) => underEach(subject).filter(({ adjacency }) => adjacency !== 'add-remove'),
  check(subject, { cell }) {
    const setting = settingOf(subject, defined(cell.adjacency), (slots) => ({
      model: 'shuffle',
      honestUsers: slots - Math.ceil(slots * dishonest),
    }));
    if ('why' in setting)
      return skipped(`no run in the shuffle model could be planned at these parameters: ${setting.why}`);
    const { spread } = dataSets(setting);
    const run = planned(subject, setting.problem);
    const cases = [undefined, ...Object.entries(scripts)];
    for (const [i, script] of cases.entries()) {
      const violation = costs(
        subject,
        setting,
        run,
        script === undefined ? { records: spread } : { records: spread, script: script[1] },
        script === undefined ? 'with true answers' : `when answers are ${script[0]}`,
      );
      if (violation !== undefined) return fails(i + 1, violation);
    }
    return holds(cases.length);
  },
});

function costs(
  subject: Subject<'optimizer'>,
  setting: Setting,
  run: Run,
  options: Parameters<typeof carryOut>[3],
  where: string,
): Violation | undefined {
  let spent: PrivacyEvent;
  try {
    ({ spent } = carryOut(subject, setting, run, options));
  } catch (error) {
    return {
      what:
        `${where} a run that was planned fails with ` +
        `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      cause: error,
    };
  }
  const violation = compared(
    {
      spent,
      plan: run.plan.event,
      adjacency: setting.problem.adjacency,
      adaptive: subject.plugin.stopping === 'adaptive',
      registry: subject.registry,
    },
    where,
  );
  if (violation !== undefined) return violation;
  const [sure, relied] = [fewestHonest(spent), fewestHonest(run.plan.event)];
  return relied <= sure
    ? undefined
    : {
        what:
          `${where} the plan’s privacy rests on ${relied} honest users in ` +
          `a batch that is sure to have ${sure} only`,
        measured: relied,
        allowed: sure,
      };
}

/** The fewest honest users that any part of an event rests on. */
function fewestHonest(event: unknown): number {
  if (typeof event !== 'object' || event === null) return Infinity;
  return Object.entries(event).reduce(
    (least, [name, value]) =>
      Math.min(least, name === 'honestUsers' && typeof value === 'number' ? value : fewestHonest(value)),
    Infinity,
  );
}
