import type { Option, Parsed } from '../command.js';

/** A limit on all that is spent on some records. */
export interface LimitWords {
  readonly epsilon: number;
  /** Left out: as the command says. */
  readonly delta?: number;
}

/** @param delta - What the limit's delta is where the option says none. */
export const limitOption = (delta: string): Option => ({
  type: 'string',
  value: 'E[,D]',
  help:
    'the most that all runs on these records may cost, kept from now on: epsilon, or epsilon and delta ' +
    `such as 1,1e-6 (default delta: ${delta})`,
});

/** The limit of `--limit`; `undefined` without it, or where its value is none. */
export function limitGiven({ string }: Parsed): LimitWords | undefined {
  const text = string('limit');
  if (text === undefined || limitMistakes(text).length > 0) return undefined;
  const [epsilon, delta] = text.split(',').map(Number);
  return { epsilon, ...(delta === undefined ? {} : { delta }) };
}

/** What is wrong with the value of {@link limitOption}. */
export function limitMistakes(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const parts = text.split(',');
  const [epsilon, delta] = parts.map((part) => (plainNumber.test(part) ? Number(part) : Number.NaN));
  const isDelta = delta === undefined || (delta > 0 && delta < 1);
  return parts.length <= 2 && epsilon > 0 && epsilon < Infinity && isDelta
    ? []
    : [
        `--limit is '${text}'; it must be epsilon above 0, or epsilon and delta between 0 and 1 with a ` +
          'comma between them, such as 1 or 1,1e-6; the sign before decimals is a point',
      ];
}

const plainNumber = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/iu;
