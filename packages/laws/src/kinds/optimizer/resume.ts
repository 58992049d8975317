import {
  driveSync,
  memoryStore,
  sameEvent,
  seededRandom,
  type DriveOptions,
  type Run,
  type Store,
} from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { inSetting } from './in-setting.js';
import { dataSets } from './records.js';
import { openRun, scripts, startOf } from './runs.js';
import { exempt, planned, underEach, type Setting } from './settings.js';

/** Places at which a run is stopped, in each mode of its transcript. */
const mostStops = 60;

/** A run that was stopped goes on as if it had not been. */
export const resume = defineLaw<'optimizer'>({
  id: 'optimizer/resume',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'stopped after any answer and started again from the transcript, or from the last checkpoint, ' +
    'it ends with the same bits at the same cost',
  power:
    'certain for anything that its states leave out and the rest of the run needs, ' +
    `at every place where the run can stop (at most ${mostStops} of them)`,
  exempt,
  cells: underEach,
  check: (subject, env) =>
    inSetting(subject, env, (setting) => stops(subject, setting, env.samples(mostStops))),
});

interface Files {
  readonly ledger: Uint8Array;
  readonly transcript: Uint8Array;
}

function* stops(
  subject: Subject<'optimizer'>,
  setting: Setting,
  most: number,
): Generator<Violation | undefined> {
  const run = planned(subject, setting.problem);
  for (const options of [
    { checkpointEvery: Infinity },
    { checkpointEvery: 1 },
    { checkpointEvery: 1, compact: true },
  ]) {
    const states: Files[] = [];
    const whole = proceed(
      subject,
      setting,
      run,
      { ledger: new Uint8Array(0), transcript: new Uint8Array(0) },
      { ...options, remember: (files) => states.push(files) },
    );
    const step = Math.ceil(states.length / most);
    for (const [i, files] of states.entries()) {
      if (i % step !== 0) continue;
      const where =
        `stopped after ${i} writes and ` +
        `resumed${options.checkpointEvery === Infinity ? '' : ' from the last checkpoint'}`;
      yield compared(where, whole, () => proceed(subject, setting, run, files, options));
    }
  }
}

interface Ended {
  readonly output: Float64Array;
  readonly spent: Parameters<typeof sameEvent>[0];
}

function compared(where: string, whole: Ended, again: () => Ended): Violation | undefined {
  let resumed: Ended;
  try {
    resumed = again();
  } catch (error) {
    return {
      what:
        `${where}, it fails: ` +
        `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      cause: error,
    };
  }
  if (!sameBits(resumed.output, whole.output))
    return {
      what:
        `${where}, it ends at [${Array.from(resumed.output).join(', ')}]; ` +
        `without the stop at [${Array.from(whole.output).join(', ')}]`,
    };
  return sameEvent(resumed.spent, whole.spent)
    ? undefined
    : {
        what: `${where}, the whole costs another event than without the stop`,
        input: { resumed: resumed.spent, whole: whole.spent },
      };
}

/**
 * Starts or resumes a run from the files; `remember` gets their
 * content after every write to the transcript.
 */
function proceed(
  subject: Subject<'optimizer'>,
  setting: Setting,
  run: Run,
  files: Files,
  { remember, ...options }: Partial<DriveOptions> & { readonly remember?: (files: Files) => void },
): Ended {
  const ledgerStore = memoryStore(files.ledger);
  const transcript = memoryStore(files.transcript);
  const { answering, ledger } = openRun(subject, setting, {
    records: dataSets(setting).spread,
    store: ledgerStore,
    // Answers that fall and rise again, so that a run that decides by them takes its turns.
    ...(subject.plugin.stopping === 'adaptive' && { script: scripts.fading }),
  });
  const now = (): void => remember?.({ ledger: ledgerStore.read(), transcript: transcript.read() });
  const noted: Store = {
    read: () => transcript.read(),
    append(bytes) {
      transcript.append(bytes);
      now();
    },
    truncate(length) {
      transcript.truncate(length);
    },
    replace(bytes) {
      transcript.replace(bytes);
      now();
    },
  };
  const { output } = driveSync(run, answering, {
    start: startOf(setting),
    random: seededRandom('public'),
    transcript: noted,
    ...options,
  });
  return { output, spent: ledger.spentBy('run') };
}
