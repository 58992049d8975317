import { answerAfford } from './answers/afford.js';
import { answerClose, answerDraw, answerSplit } from './answers/batches.js';
import { answerChoose } from './answers/choose.js';
import { answerDescend } from './answers/descend.js';
import { answerLocalUpdate } from './answers/local-update.js';
import { answerMean } from './answers/mean.js';
import { answerMinimiser } from './answers/minimiser.js';
import { answerOpen, answerPush } from './answers/prefix-sum.js';
import { selectionBy } from './answers/select.js';
import { answerValue } from './answers/value.js';
import type { Handlers } from './handlers.js';
import { openCurator, type CuratorOptions, type Model, type OpenCurator } from './open-curator.js';

/** Data, plugins and randomness of one run. */
export type CentralCuratorOptions = CuratorOptions;
/** A curator that is trusted with all the data. */
export type CentralCurator = OpenCurator;

/**
 * A trusted curator for one run over a data set.
 *
 * @throws {BudgetExceeded} when `planned` does not fit the data set's limit; nothing is written.
 * @throws {InvalidParameter} for a missing or bad `publicSlots`, or a run without a name.
 */
export function centralCurator(options: CentralCuratorOptions): CentralCurator {
  return openCurator('centralCurator', options, () => model);
}

/** What a curator answers that is trusted with all the data. */
export const centralHandlers = {
  draw: answerDraw,
  split: answerSplit,
  close: answerClose,
  mean: answerMean,
  localUpdate: answerLocalUpdate,
  open: answerOpen,
  push: answerPush,
  value: answerValue,
  minimiser: answerMinimiser,
  descend: answerDescend,
  choose: answerChoose,
  select: selectionBy(centralCurator),
  afford: answerAfford,
} as const satisfies Handlers;

const model: Model = Object.freeze({
  trust: Object.freeze({ model: 'central' }),
  assumptions: [],
  handlers: centralHandlers,
});
