import { adjacencies, type Capabilities, type ErrorCode, type Problem, type TrustModel } from '@lethe/core';
import { type Violation, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, unlessRefused } from '../curator/outcomes.js';
import { budget, exempt, planned, settingOf } from './settings.js';

const models: readonly TrustModel[] = [
  { model: 'central' },
  { model: 'shuffle', honestUsers: 10 },
  { model: 'federated', silos: 2, server: 'trusted' },
  { model: 'secure-aggregation', silos: 3, corrupted: 1, survivors: 3 },
];

/** Refusals come before any charge. */
export const refusals = defineLaw<'optimizer'>({
  id: 'optimizer/refusals',
  kind: 'optimizer',
  tier: 'exact',
  statement:
    'planning refuses, by the documented errors, a loss without what it needs, adjacencies, ' +
    'trust models and facts it does not declare, and budgets and parameters that are none',
  power:
    'certain for every need, adjacency, trust model and fact one by one, ' +
    'and for twelve bad budgets and parameters',
  exempt,
  check(subject) {
    const setting = settingOf(subject, subject.plugin.adjacencies[0]);
    return 'why' in setting
      ? skipped(`it could not be planned: ${setting.why}; see optimizer/runs`)
      : firstOf(asked(subject, setting.problem));
  },
});

function* asked(subject: Subject<'optimizer'>, problem: Problem): Generator<Violation | undefined> {
  const { plugin } = subject;
  const refused = (
    what: string,
    codes: readonly ErrorCode[],
    changed: Partial<Problem>,
    planning: Parameters<typeof planned>[2] = {},
  ): Violation | undefined =>
    unlessRefused(what, () => planned(subject, { ...problem, ...changed }, planning).plan, codes);
  for (const [need, wanted] of Object.entries(plugin.needs)) {
    if (wanted !== true) continue;
    const { [need as keyof Capabilities]: _, ...lacking } = problem.capabilities;
    yield refused(`a loss that does not say it is ${need}`, ['incompatible-plugins'], {
      capabilities: lacking,
    });
    yield refused(`a loss that is not ${need}`, ['incompatible-plugins'], {
      capabilities: { ...problem.capabilities, [need]: false },
    });
  }
  for (const adjacency of adjacencies.filter((other) => !plugin.adjacencies.includes(other)))
    yield refused(`${adjacency}, which it does not declare`, ['unsupported'], { adjacency });
  for (const trust of models.filter(({ model }) => !plugin.trustModels.includes(model)))
    yield refused(`the ${trust.model} model, which it does not declare`, ['unsupported'], { trust });
  for (const name of Object.keys(plugin.facts)) {
    const { [name]: _, ...facts } = problem.facts;
    yield refused(`a problem without the fact '${name}', which it says it reads`, ['unsupported'], { facts });
  }
  for (const bad of [
    { epsilon: 0 },
    { epsilon: -1 },
    { epsilon: NaN },
    { epsilon: Infinity },
    { delta: -1e-9 },
    { delta: 1 },
    { delta: NaN },
  ]) {
    yield refused(
      `the budget ${Object.entries(bad)
        .map(([name, value]) => `${name} = ${value}`)
        .join()}`,
      ['invalid-parameter'],
      {},
      { budget: { ...budget, ...bad } },
    );
  }
  for (const params of [null, 7, 'none', [], { 'no such parameter of any optimizer': 1 }])
    yield refused(`parameters ${JSON.stringify(params)}`, ['invalid-parameter'], {}, { params });
}
