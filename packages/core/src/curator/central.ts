import { Unsupported } from '../errors.js';
import type { Answer, Query } from '../query/query.js';
import { answerClose, answerDraw, answerSplit } from './answers/batches.js';
import { answerChoose } from './answers/choose.js';
import { answerMean } from './answers/mean.js';
import { answerMinimiser } from './answers/minimiser.js';
import { answerOpen, answerPush } from './answers/prefix-sum.js';
import { answerValue } from './answers/value.js';
import type { CuratorContext, Prepared } from './context.js';
import { openCurator, type CuratorOptions, type Model, type OpenCurator } from './open-curator.js';

/** Data, plugins and coins of one run. */
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

const model: Model = Object.freeze({ trust: Object.freeze({ model: 'central' }), assumptions: [], prepare });

function prepare(context: CuratorContext, query: Query, id: string): Prepared<Answer> {
  switch (query.ask) {
    case 'draw': return answerDraw(context, query, id);
    case 'split': return answerSplit(context, query, id);
    case 'close': return answerClose(context, query, id);
    case 'mean': return answerMean(context, query, id);
    case 'open': return answerOpen(context, query, id);
    case 'push': return answerPush(context, query, id);
    case 'value': return answerValue(context, query, id);
    case 'minimiser': return answerMinimiser(context, query, id);
    case 'choose': return answerChoose(context, query, id);
    default: throw new Unsupported(`a central curator does not answer '${(query as Query).ask}' yet`, { ask: (query as Query).ask });
  }
}
