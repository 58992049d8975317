import { Unsupported } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { fails, judge, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { dataSets, type DataSetName } from './records.js';
import { standardRun } from './runs.js';
import { exempt, settingOf, underEach } from './settings.js';

/** Runs succeed for every supported problem. */
export const runs = defineLaw<'optimizer'>({
  id: 'optimizer/runs',
  kind: 'optimizer',
  tier: 'exact',
  statement:
    'under every adjacency it declares a run can be planned from facts a data owner could declare, ' +
    'and ends with a vector of finite numbers of the problem’s dimension',
  power: 'certain, on five data sets; an ill-fitting example of its parameters is found too',
  exempt,
  cells: underEach,
  check(subject, { cell }) {
    const setting = settingOf(subject, defined(cell.adjacency));
    if ('why' in setting)
      return fails(1, {
        what:
          `it declares ${cell.adjacency}, but no run could be planned for 24 to ` +
          `400 records in dimension 2 to 64: ${setting.why}`,
        input: subject.params,
      });
    const sets = Object.keys(dataSets(setting)) as readonly DataSetName[];
    for (const [i, name] of sets.entries()) {
      const violation = ends(name, () => standardRun(subject, setting, name).output, setting.dimension);
      if (violation !== undefined) return fails(i + 1, violation);
    }
    return judge(sets.length, undefined);
  },
});

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
