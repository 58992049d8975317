import type { Answered, Curator } from './curator.js';
import type { Run } from '../plugins/run.js';
import { conversation, type Conversation, type Request } from './conversation.js';
import { liveLoops } from '../loops/live-loops.js';
import { keepNothing, type Keeping } from './no-transcript.js';
import type { AsyncDriveOptions, DriveOptions, DriveResult } from './options.js';
import { openTranscript } from './transcript.js';

const keepTranscript: Keeping = { open: openTranscript, loops: liveLoops };

/**
 * Runs an optimizer against a curator to its end. Each answer is in the transcript before the optimizer has
 * it, so a run that stopped anywhere goes on from there, bit for bit, with the same run of the ledger; what
 * was charged already costs nothing again.
 *
 * @throws {Corrupt} when transcript and ledger do not fit this run or one another; nothing is answered then.
 * @throws {InvalidParameter} for a bad option, or a plan for another number of records than the curator has.
 * @throws {IncompatiblePlugins} when optimizer and curator do not speak the same queries.
 * @throws {BudgetExceeded} and whatever else the curator throws, as it is. The optimizer is closed first.
 */
export function driveSync(run: Run, curator: Curator<Answered>, options: DriveOptions): DriveResult {
  const talk = conversation(run, curator, options, keepTranscript);
  let next = talk.next();
  while (next.done !== true) {
    let said: Answered | undefined;
    try {
      said = put(curator, next.value) as Answered | undefined;
    } catch (error) {
      next = talk.throw(error);
      continue;
    }
    next = talk.next(said);
  }
  return next.value;
}

/**
 * {@link driveSync} for curators that may live elsewhere, and for callers that must stay responsive: it waits
 * for answers that are promises, and for `options.pause` before each query.
 *
 * @throws as {@link driveSync}, by rejecting; the signal's reason when it is aborted.
 */
export async function drive(run: Run, curator: Curator, options: AsyncDriveOptions): Promise<DriveResult> {
  return driven(conversation(run, curator, options, keepTranscript), curator, options);
}

/**
 * {@link drive} for runs that are never resumed, for pages whose script has to stay small: it has no code for
 * transcripts and checkpoints.
 *
 * @throws {Unsupported} for a transcript; and as {@link drive}, by rejecting.
 */
export async function driveOnce(
  run: Run,
  curator: Curator,
  options: Omit<AsyncDriveOptions, 'transcript' | 'transcriptKey' | 'checkpointEvery' | 'compact'>,
): Promise<DriveResult> {
  return driven(conversation(run, curator, options, keepNothing), curator, options);
}

async function driven(
  talk: Conversation,
  curator: Curator,
  options: AsyncDriveOptions,
): Promise<DriveResult> {
  let next = talk.next();
  while (next.done !== true) {
    let said: Answered | undefined;
    try {
      const breath = options.pause?.();
      if (breath !== undefined) {
        // oxlint-disable-next-line no-await-in-loop -- one query after another
        await breath;
        options.signal?.throwIfAborted();
      }
      const reply = put(curator, next.value);
      // Awaiting what is no promise would cost a turn of the queue for each query.
      // oxlint-disable-next-line no-await-in-loop -- one query after another
      said = reply instanceof Promise ? await reply : reply;
    } catch (error) {
      next = talk.throw(error);
      continue;
    }
    next = talk.next(said);
  }
  return next.value;
}

function put<R extends Answered | Promise<Answered>>(
  curator: Curator<R>,
  { index, query, digest }: Request,
): R | Promise<undefined> | undefined {
  if (digest === null) return curator.answer(index, query);
  return curator.replay(index, query, digest) as Promise<undefined> | undefined;
}
