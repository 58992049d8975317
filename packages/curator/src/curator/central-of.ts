import { answersOf, type Answers } from './handlers.js';
import { openCurator, type CuratorOptions, type Model, type OpenCurator } from './open-curator.js';

/** A curator that is trusted with all the data. */
export const centralModel = (answers: Answers): Model =>
  Object.freeze({ ...answers, trust: Object.freeze({ model: 'central' as const }), assumptions: [] });

/**
 * `centralCurator` of chosen parts, such as `[meanAnswers, batchAnswers]`, for pages whose script has to stay
 * small. It checks and charges as `centralCurator` does; a query that no part answers is refused by name
 * before anything is charged, and so is a run on record with a stream, without `streamAnswers`.
 *
 * @throws {InvalidParameter} for a part that this package did not make.
 */
export function centralCuratorOf(parts: readonly Answers[]): (options: CuratorOptions) => OpenCurator {
  const model = centralModel(answersOf(parts));
  return (options) => openCurator('centralCurator', options, () => model);
}
