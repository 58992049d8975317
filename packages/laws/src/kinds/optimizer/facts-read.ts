import type { Fact } from '@lethe/core';
import { encode } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { inSetting } from './in-setting.js';
import { dataSets } from './records.js';
import { carryOut } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

/** Facts that a run did not read play no part in it. */
export const factsRead = defineLaw<'optimizer'>({
  id: 'optimizer/facts-read',
  kind: 'optimizer',
  tier: 'exact',
  statement:
    'with other values of the facts that a run does not say it read, plan, queries and output are the same',
  power: 'certain for any bit that depends on a fact that is not told, on one data set',
  exempt,
  // A fact means the same under every adjacency.
  cells: (subject) => underEach(subject).slice(0, 1),
  check: (subject, env) => inSetting(subject, env, (setting) => unmoved(subject, setting)),
});

function* unmoved(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const { problem } = setting;
  const { spread } = dataSets(setting);
  const run = planned(subject, problem);
  const before = carryOut(subject, setting, run, { records: spread });
  if (run.factsRead === undefined) return;
  const read = new Set(run.factsRead());
  const facts = Object.fromEntries(
    Object.entries(problem.facts).map(([name, fact]): [string, Fact] => [
      name,
      read.has(name) ? fact : enlarged(fact),
    ]),
  );
  const other = planned(subject, { ...problem, facts });
  yield sameBits(encode(other.plan), encode(run.plan))
    ? undefined
    : {
        what: 'with other values of facts that it does not say it read, a run is planned otherwise',
        input: { read: [...read], planned: run.plan, other: other.plan },
      };
  const after = carryOut(subject, setting, other, { records: spread });
  yield sameBits(after.output, before.output) && sameBits(encode(after.queries), encode(before.queries))
    ? undefined
    : {
        what:
          `with other values of facts that it does not say it read, a run ends at ` +
          `[${Array.from(after.output).join(', ')}] and not at [${Array.from(before.output).join(', ')}]`,
        input: { read: [...read] },
      };
}

const enlarged = (fact: Fact): Fact => ({
  ...fact,
  value: 1.7 * fact.value,
  ...(fact.each === undefined ? {} : { each: fact.each.map((one) => 1.7 * one) }),
});
