import { seededRandom } from '@lethe/core';
import { replayFrom, type Leak, type PreparedRun } from '../../engines/record-replay.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { sameBits } from '../curator/outcomes.js';
import type { Subject } from '../../law/subject.js';
import { inSetting } from './in-setting.js';
import { dataSets, neighboursOf, type Records } from './records.js';
import { carryOut, openRun, scripts, startOf, type Script } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

/** All it knows of the data it knows from answers. */
export const replay = defineLaw<'optimizer'>({
  id: 'optimizer/record-replay',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-4',
  statement:
    'with equal answers its queries, states and output are equal on every data set: ' +
    'it is post-processing of the answers',
  power:
    'certain for any bit that depends on the data, on the number of records where that is private, ' +
    'or on earlier runs, with true answers and three scripts of false ones',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => replays(subject, setting)),
});

function* replays(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const { spread, canary } = dataSets(setting);
  const random = seededRandom('public');
  // One plan for all: what a plan or its steps keep of one run shows in the next.
  const run = planned(subject, setting.problem);
  // Opened only where it is asked: a replay reads recorded answers.
  const opened = (records: Records, script?: Script) => (): PreparedRun => ({
    run,
    get curator() {
      return openRun(subject, setting, { records, ...(script === undefined ? {} : { script }) }).answering;
    },
  });
  const cases: readonly (readonly [string, Script | undefined])[] = [
    ['true', undefined],
    ...(['zeros', 'far too large', 'changing sides'] as const).map((name) => [name, scripts[name]] as const),
  ];
  for (const [name, script] of cases) {
    const against = replayFrom(opened(spread, script), { start: startOf(setting), random, limit: 1e5 });
    for (const [change, there] of [
      ...neighboursOf(setting.problem.adjacency, spread, setting.labels),
      ['all records others', canary] as const,
    ]) {
      const leak = against(opened(there, script));
      yield leak === undefined ? undefined : leaked(leak, `${change}, answers ${name}`);
    }
  }
  const before = carryOut(subject, setting, run, { records: spread }).output;
  carryOut(subject, setting, run, { records: canary });
  yield sameBits(before, carryOut(subject, setting, run, { records: spread }).output)
    ? undefined
    : {
        what:
          'run again with the same answers after a run on other data it ends elsewhere: ' +
          'it remembers something from one run to the next',
      };
}

const leaked = ({ where, order, recorded, replayed }: Leak, how: string): Violation => ({
  what:
    order === 'here, here'
      ? `its ${where} differs for the same answers on the same data: ` +
        'it is no function of plan, randomness and answers, or keeps an answer whose array it gives again'
      : `its ${where} depends on the data in other ways than by the answers (${how})`,
  input: { recorded, replayed },
});
