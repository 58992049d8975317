import { IncompatiblePlugins } from '../errors.js';
import type { Answer, Query } from '../query/query.js';

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
function isVector(value: unknown): boolean {
  if (!(value instanceof Float64Array)) return false;
  for (let i = 0; i < value.length; i++) if (!Number.isFinite(value[i])) return false;
  return true;
}
const isStream = (value: unknown): boolean => isFields(value) && typeof value['id'] === 'string';
const isBatch = (value: unknown): boolean => isFields(value) && typeof value['id'] === 'string' && isNumber(value['normaliser'])
  && (value['size'] === 'exact' || value['size'] === 'hidden') && (value['scope'] === null || typeof value['scope'] === 'string');

/** What an answer to `query` has to be, in words, and whether `answer` is that. */
function expected(query: Query, answer: unknown): readonly [string, boolean] {
  switch (query.ask) {
    case 'draw': return ['a batch', isBatch(answer)];
    case 'split': {
      // How many a sampler deals is known to who has the sampler.
      const length = query.parts.by === 'sampler' ? null : (query.parts.by === 'size' ? query.parts.sizes : query.parts.weights).length;
      return [`${length ?? 'a list of'} batches`, Array.isArray(answer) && answer.length === (length ?? answer.length) && answer.every(isBatch)];
    }
    case 'close': return ['null', answer === null];
    case 'open': return ['a stream', isStream(answer)];
    case 'afford': return ['true or false', typeof answer === 'boolean'];
    case 'value': return ['a finite number', isNumber(answer)];
    case 'select': return ['a point and its score', isFields(answer) && isVector(answer['point']) && isNumber(answer['score'])];
    default: return ['a Float64Array of finite numbers', isVector(answer)];
  }
}

const queries: ReadonlySet<unknown> = new Set<Query['ask']>(['draw', 'split', 'close', 'mean', 'open', 'push', 'value', 'minimiser', 'choose', 'select', 'afford']);

/** Refuses what is not a query at all before any data are touched. @throws {IncompatiblePlugins} */
export function assertQuery(asked: unknown): asserts asked is Query {
  const ask = isFields(asked) ? asked['ask'] : asked;
  if (!queries.has(ask)) throw new IncompatiblePlugins(`the optimizer asked for '${String(ask)}', which is no query; use the helpers of ask: ${[...queries].join(', ')}`, { ask: String(ask) });
}

/** The answer when it has the type its query demands; otherwise what is wrong with it. */
export function checkAnswer(query: Query, answer: unknown): { readonly answer: Answer; readonly wrong?: never } | { readonly wrong: string } {
  const [what, fits] = expected(query, answer);
  return fits ? { answer: answer as Answer } : { wrong: `a '${query.ask}' query is answered by ${what}, not by ${describe(answer)}` };
}

function describe(answer: unknown): string {
  if (answer === null || answer === undefined) return String(answer);
  if (answer instanceof Float64Array) return `a Float64Array of length ${answer.length}`;
  return Array.isArray(answer) ? `an array of ${answer.length}` : `a ${typeof answer}`;
}
