import { answerAfford } from './answers/afford.js';
import { answerClose, answerDraw, answerSplit } from './answers/batches.js';
import { answerChoose } from './answers/choose.js';
import { answerDescend } from './answers/descend.js';
import { answerLocalUpdate } from './answers/local-update.js';
import { answerMean, answerWholeMean } from './answers/mean.js';
import { answerMinimiser } from './answers/minimiser.js';
import { answerOpen, answerPush } from './answers/prefix-sum.js';
import { answerGradientValue, answerValue } from './answers/value.js';
import { part } from './handlers.js';
import { openStream } from './stream.js';

/*
 * What a trusted curator answers, in parts.
 */

/** `draw`, `split` and `close`. */
export const batchAnswers = /* @__PURE__ */ part({
  handlers: { draw: answerDraw, split: answerSplit, close: answerClose },
});

/** `mean`, also of a sample that it draws itself. */
export const meanAnswers = /* @__PURE__ */ part({ handlers: { mean: answerMean } });

/** `mean` of whole gradients: chosen coordinates are refused. For pages whose script has to stay small. */
export const wholeMeanAnswers = /* @__PURE__ */ part({ handlers: { mean: answerWholeMean } });

/** `localUpdate`. */
export const localUpdateAnswers = /* @__PURE__ */ part({ handlers: { localUpdate: answerLocalUpdate } });

/** `open` and `push`. */
export const streamAnswers = /* @__PURE__ */ part({
  handlers: { open: answerOpen, push: answerPush },
  openStream,
});

/** `value`. */
export const valueAnswers = /* @__PURE__ */ part({ handlers: { value: answerValue } });

/** `value` of norms of gradients, none of losses and updates. For pages whose script has to stay small. */
export const gradientValueAnswers = /* @__PURE__ */ part({
  handlers: { value: answerGradientValue },
});

/** `minimiser`. */
export const minimiserAnswers = /* @__PURE__ */ part({ handlers: { minimiser: answerMinimiser } });

/** `descend`. */
export const descentAnswers = /* @__PURE__ */ part({ handlers: { descend: answerDescend } });

/** `choose`. */
export const choiceAnswers = /* @__PURE__ */ part({ handlers: { choose: answerChoose } });

/** `afford`. */
export const limitAnswers = /* @__PURE__ */ part({ handlers: { afford: answerAfford } });
