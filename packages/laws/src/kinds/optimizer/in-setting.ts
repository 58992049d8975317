import { defined } from '@lethe/numerics';
import { type Finding, type Violation, fails, holds, skipped } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { settingOf, type Setting } from './settings.js';

/** Runs checks one after another in the problem of this cell, up to the first violation. */
export function inSetting(
  subject: Subject<'optimizer'>,
  env: LawEnv,
  checks: (setting: Setting) => Iterable<Violation | undefined>,
): Finding {
  const setting = settingOf(subject, defined(env.cell.adjacency));
  if ('why' in setting) return skipped(`it could not be planned: ${setting.why}; see optimizer/runs`);
  let tried = 0;
  try {
    for (const violation of checks(setting)) {
      tried++;
      if (violation !== undefined) return fails(tried, violation);
    }
  } catch (error) {
    return fails(tried + 1, {
      what: `a run fails with ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      cause: error,
    });
  }
  return holds(tried);
}
