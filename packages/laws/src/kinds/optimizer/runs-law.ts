import { LetheError, Unsupported, type Run } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { fails, judge, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { dataSets, type DataSetName } from './records.js';
import { carryOut, standardRun } from './runs.js';
import { budget, exempt, planned, settingOf, underEach, type Setting } from './settings.js';
import type { Subject } from '../../law/subject.js';

/** Runs succeed for every supported problem. */
export const runs = defineLaw<'optimizer'>({
  id: 'optimizer/runs',
  kind: 'optimizer',
  tier: 'exact',
  statement:
    'under every adjacency it declares a run can be planned from facts a data owner could declare, ' +
    'and ends with a vector of finite numbers of the problem’s dimension; one that stops adaptively ' +
    'does so at every budget with room for its first step',
  power:
    'certain, on five data sets, and for budgets that a tenth of ε sets apart; an ill-fitting example of ' +
    'its parameters is found too',
  exempt,
  cells: underEach,
  check(subject, { cell }) {
    const setting = settingOf(subject, defined(cell.adjacency));
    if ('why' in setting)
      return fails(1, {
        what:
          'no run could be planned under an adjacency it declares, for 24 to ' +
          `400 records in dimension 2 to 64: ${setting.why}`,
        input: subject.params,
      });
    const sets = Object.keys(dataSets(setting)) as readonly DataSetName[];
    for (const [i, name] of sets.entries()) {
      const violation = ends(name, () => standardRun(subject, setting, name).output, setting.dimension);
      if (violation !== undefined) return fails(i + 1, violation);
    }
    const smaller = smallerBudgets(subject, setting);
    for (const [i, { epsilon, run }] of smaller.entries()) {
      const violation = ends(
        `spread, at ε = ${epsilon.toPrecision(3)}`,
        () => carryOut(subject, setting, run, { records: dataSets(setting).spread, isUnheard: true }).output,
        setting.dimension,
      );
      if (violation !== undefined) return fails(sets.length + i + 1, violation);
    }
    return judge(sets.length + smaller.length, undefined);
  },
});

/**
 * Plans of an optimizer that stops adaptively, at less and less ε, down to the least that is accepted; under
 * its first adjacency only, since that takes time.
 */
function smallerBudgets(
  subject: Subject<'optimizer'>,
  setting: Setting,
): readonly { readonly epsilon: number; readonly run: Run }[] {
  const { stopping, adjacencies } = subject.plugin;
  if (stopping !== 'adaptive' || setting.problem.adjacency !== adjacencies[0]) return [];
  const plans: { readonly epsilon: number; readonly run: Run }[] = [];
  for (let { epsilon } = budget; plans.length < 60; epsilon *= 0.9) {
    try {
      plans.push({ epsilon, run: planned(subject, setting.problem, { budget: { ...budget, epsilon } }) });
    } catch (error) {
      // How a budget without room is refused is the matter of optimizer/refusals.
      if (error instanceof LetheError) break;
      throw error;
    }
  }
  return plans;
}

function ends(name: string, run: () => Float64Array, dimension: number): Violation | undefined {
  try {
    const output = run();
    if (output.length === dimension && output.every(Number.isFinite)) return undefined;
    return {
      what:
        `a run on data '${name}' ends with [${Array.from(output).join(', ')}]; ` +
        `it must be ${dimension} finite numbers`,
    };
  } catch (error) {
    const lacking =
      error instanceof Unsupported ? '. If a plugin is missing here, give it with { registry }' : '';
    return {
      what:
        `a run on data '${name}' fails: ` +
        `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}${lacking}`,
      cause: error,
    };
  }
}
