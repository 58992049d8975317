import { InvalidParameter } from '@lethe/numerics';
import type { Effect } from './effect.js';

type Rule = (value: unknown) => boolean;
type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
const isRange: Rule = (value) =>
  isRecord(value) && typeof value['space'] === 'string' && isIndex(value['from']) && isIndex(value['to']);
const isIndex: Rule = (value) => Number.isSafeInteger(value);
const isCharge: Rule = (value) => isRecord(value) && isRange(value['on']) && isRecord(value['event']);
const isSpace: Rule = (value) =>
  isRecord(value) && typeof value['id'] === 'string' && isRange(value['within']);
const isBatch: Rule = (value) =>
  isRecord(value) && typeof value['id'] === 'string' && isRange(value['stretch']);
const listOf =
  (rule: Rule): Rule =>
  (value) =>
    Array.isArray(value) && value.every(rule);

const rules: readonly (readonly [keyof Effect, Rule])[] = [
  ['charge', isCharge],
  ['prepaid', isCharge],
  ['space', isSpace],
  ['batches', listOf(isBatch)],
  ['closes', listOf((id) => typeof id === 'string')],
];

/**
 * Checks the parts of an effect by which a ledger adds up and recognises steps.
 *
 * @throws {InvalidParameter} naming the part that has another form.
 */
export function assertEffect(effect: Effect): void {
  if (!isRecord(effect)) throw notOne('effect');
  for (const [name, rule] of rules) if (effect[name] !== undefined && !rule(effect[name])) throw notOne(name);
}

const notOne = (name: string): InvalidParameter =>
  new InvalidParameter(
    `an effect was to be recorded whose '${name}' has not the form of one; nothing was recorded. ` +
      'Effects are made by the curator from queries',
    { name },
  );
