import type { Run } from '@lethe/core';
import { encode } from '@lethe/numerics';
import { defineLaw } from '../../law/law.js';
import type { Violation } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { attempt } from '../sampler/declined.js';
import { inSetting } from './in-setting.js';
import { dataSets } from './records.js';
import { carryOut, scripts } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

/** One that every kind of support covers: a ridge is a sum over coordinates and has a proximal map. */
const ridge = 'l2-squared';
const strengths = [0.01, 3];

/** A regulariser that is taken changes the run. */
export const regulariser = defineLaw<'optimizer'>({
  id: 'optimizer/regulariser',
  kind: 'optimizer',
  tier: 'exact',
  statement:
    'of an optimizer that takes regularisers, plan or result depend on how strong one is, also with ' +
    'answers that stay the same',
  power: 'certain for a regulariser that is ignored',
  exempt(subject) {
    const { regularisers = 'none' } = subject.plugin;
    if (regularisers === 'none') return 'it takes no regularisers';
    return subject.registry.some(({ kind, name }) => kind === 'regulariser' && name === ridge)
      ? exempt(subject)
      : `the registry has no regulariser '${ridge}': give one with { registry }`;
  },
  cells: (subject) => underEach(subject).slice(0, 1),
  check: (subject, env) => inSetting(subject, env, (setting) => heeded(subject, setting)),
});

function* heeded(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const found = strengths.flatMap((strength) => {
    const problem = { ...setting.problem, regulariser: { name: ridge, params: { strength } } };
    const { value: run } = attempt(() => planned(subject, problem)) as { readonly value?: Run };
    if (run === undefined) return [];
    const records = dataSets(setting)['at rest'];
    return [{ plan: run.plan, ...carryOut(subject, setting, run, { records, script: scripts.zeros }) }];
  });
  if (found.length < strengths.length) return;
  const [weak, strong] = found;
  yield sameBits(encode(weak.plan), encode(strong.plan)) && sameBits(weak.output, strong.output)
    ? {
        what:
          `it takes regularisers, but a ridge of strength ${strengths[0]} and one of ${strengths[1]} lead ` +
          `to one plan and, with answers of zeros, to one result, [${Array.from(weak.output).join(', ')}]`,
      }
    : undefined;
}
