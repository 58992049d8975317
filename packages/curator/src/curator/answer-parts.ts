import { answerAfford } from './answers/afford.js';
import { answerClose, answerDraw, answerSplit } from './answers/batches.js';
import { answerChoose } from './answers/choose.js';
import { answerDescend } from './answers/descend.js';
import { answerLocalUpdate } from './answers/local-update.js';
import { answerMean, answerWholeMean } from './answers/mean.js';
import { answerMinimiser } from './answers/minimiser.js';
import { answerOpen, answerPush } from './answers/prefix-sum.js';
import { answerGradientValue, answerValue } from './answers/value.js';
import type { Answers } from './handlers.js';
import { openStream } from './stream.js';

/*
 * What a trusted curator answers, in parts.
 */

/** `draw`, `split` and `close`. */
export const batchAnswers = {
  handlers: { draw: answerDraw, split: answerSplit, close: answerClose },
} as const satisfies Answers;

/** `mean`, also of a sample that it draws itself. */
export const meanAnswers = { handlers: { mean: answerMean } } as const satisfies Answers;

/** `mean` of whole gradients: chosen coordinates are refused. For pages whose script has to stay small. */
export const wholeMeanAnswers = { handlers: { mean: answerWholeMean } } as const satisfies Answers;

/** `localUpdate`. */
export const localUpdateAnswers = { handlers: { localUpdate: answerLocalUpdate } } as const satisfies Answers;

/** `open` and `push`. */
export const streamAnswers = {
  handlers: { open: answerOpen, push: answerPush },
  openStream,
} as const satisfies Answers;

/** `value`. */
export const valueAnswers = { handlers: { value: answerValue } } as const satisfies Answers;

/** `value` of norms of gradients, none of losses and updates. For pages whose script has to stay small. */
export const gradientValueAnswers = {
  handlers: { value: answerGradientValue },
} as const satisfies Answers;

/** `minimiser`. */
export const minimiserAnswers = { handlers: { minimiser: answerMinimiser } } as const satisfies Answers;

/** `descend`. */
export const descentAnswers = { handlers: { descend: answerDescend } } as const satisfies Answers;

/** `choose`. */
export const choiceAnswers = { handlers: { choose: answerChoose } } as const satisfies Answers;

/** `afford`. */
export const limitAnswers = { handlers: { afford: answerAfford } } as const satisfies Answers;
