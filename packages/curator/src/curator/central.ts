import { selectionBy } from './answers/select.js';
import {
  batchAnswers,
  choiceAnswers,
  descentAnswers,
  limitAnswers,
  localUpdateAnswers,
  meanAnswers,
  minimiserAnswers,
  streamAnswers,
  valueAnswers,
} from './answer-parts.js';
import { centralModel } from './central-of.js';
import { part, type Handlers } from './handlers.js';
import { openCurator, type CuratorOptions, type OpenCurator } from './open-curator.js';

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

/** `select`. */
export const selectionAnswers = /* @__PURE__ */ part({
  handlers: { select: /* @__PURE__ */ selectionBy(centralCurator) },
});

/** What a curator answers that is trusted with all the data. */
export const centralHandlers = {
  ...batchAnswers.handlers,
  ...meanAnswers.handlers,
  ...localUpdateAnswers.handlers,
  ...streamAnswers.handlers,
  ...valueAnswers.handlers,
  ...minimiserAnswers.handlers,
  ...descentAnswers.handlers,
  ...choiceAnswers.handlers,
  ...selectionAnswers.handlers,
  ...limitAnswers.handlers,
} as const satisfies Handlers;

const model = centralModel({ ...streamAnswers, handlers: centralHandlers });
