import type { TrainingSchema } from '@lethe/train';

type Columns = TrainingSchema['columns'];
/** What a column holds, as a schema file says it. */
export type ColumnInput = Columns[string];
/** What a schema says of its label. */
export type LabelInput = TrainingSchema['label'];

/** How a column is described in words, for messages and help. */
export const columnGrammar =
  '18..90 for a number with its public bounds (18..90 log for a column of few large values), ' +
  'Rome|Paris for a public list of values, time:hour or time:hour,weekday for a time, skip to leave it out';

const number = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const range = new RegExp(String.raw`^(${number})\.\.(${number})( log)?(?: fill (${number}))?$`, 'u');
const parts = ['hour', 'weekday', 'day-of-month', 'month', 'day-of-year'] as const;

/** A column that is left out. */
export const skipped = 'skip';

/**
 * What a column holds, from its words; the reason why they cannot be read otherwise.
 *
 * @param words - See {@link columnGrammar}.
 */
export function columnFrom(words: string): ColumnInput | typeof skipped | { readonly problem: string } {
  const text = words.trim();
  if (text === '' || text === skipped) return skipped;
  const bounds = range.exec(text);
  if (bounds !== null) {
    const [, lower, upper, log, fill] = bounds;
    if (!(Number(lower) < Number(upper)))
      return { problem: `the upper bound ${upper} is not greater than the lower bound ${lower}` };
    return {
      type: 'number',
      lower: Number(lower),
      upper: Number(upper),
      ...(log === undefined ? {} : { transform: 'log1p' as const }),
      ...(fill === undefined ? {} : { fill: Number(fill) }),
    };
  }
  const [, wanted] = /^time:(.*)$/u.exec(text) ?? [];
  if (wanted !== undefined) {
    const named = wanted.split(',').map((part) => part.trim());
    const known = parts.filter((part) => named.includes(part));
    const stray = named.filter((part) => !(parts as readonly string[]).includes(part));
    return stray.length > 0
      ? { problem: `'${stray.join(', ')}' is no part of a time; there are ${parts.join(', ')}` }
      : { type: 'time', parts: known };
  }
  if (text.includes('|')) return { type: 'category', levels: levelsIn(text) };
  return { problem: `'${text}' is not understood; write ${columnGrammar}` };
}

/** Values of a list; numbers where all are numbers. */
function levelsIn(text: string, separator = '|'): string[] | number[] {
  const all = text.split(separator).map((one) => one.trim());
  const whole = new RegExp(`^${number}$`, 'u');
  return all.every((one) => whole.test(one)) ? all.map(Number) : all;
}

/** How a label is described in words. */
export const labelGrammar =
  'no|yes for classes (of two, the second is the one that is predicted), above 15 for whether a number ' +
  'is greater, is yes for whether it is that value, ' +
  '0..500 for a number with its public bounds, count..20 for a count with its public upper bound';

/** What a label is, from its words; the reason why they cannot be read otherwise. */
export function labelFrom(column: string, words: string): LabelInput | { readonly problem: string } {
  const text = words.trim();
  const [, threshold] = new RegExp(`^above (${number})$`, 'u').exec(text) ?? [];
  if (threshold !== undefined) return { type: 'above', column, threshold: Number(threshold) };
  const [, wanted] = /^is (.+)$/u.exec(text) ?? [];
  if (wanted !== undefined) return { type: 'equals', column, value: levelsIn(wanted)[0] };
  const [, upper] = new RegExp(String.raw`^count\.\.(${number})$`, 'u').exec(text) ?? [];
  if (upper !== undefined) return { type: 'count', column, upper: Number(upper) };
  if (text.includes('|')) return { type: 'classes', column, classes: levelsIn(text) };
  const found = columnFrom(text);
  if (found !== skipped && !('problem' in found) && found.type === 'number' && text.match(/ /u) === null)
    return { type: 'number', column, lower: found.lower, upper: found.upper };
  return { problem: `'${text}' is not understood; write ${labelGrammar}` };
}
