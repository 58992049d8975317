import type { Budget, Interval, PublicPlan } from '@lethe/core';
import { boundsText } from '../report/bounds-text.js';
import { deltaText, roundOutward } from '../report/format.js';

const mostShown = 16;
const longest = 200;
const digits = 6;

/**
 * A plan as text: a line per part, numbers to six digits, long parts cut, a note where the budget is
 * exceeded.
 */
export function planTable(
  plan: PublicPlan,
  {
    accounted,
    budget,
    params,
  }: { readonly accounted: Interval; readonly budget: Budget; readonly params?: unknown },
): string {
  const { uncovered = null, ...parts } = plan as PublicPlan & { readonly uncovered?: string | null };
  const lines = Object.entries(parts).flatMap((part) => linesOf(part, uncovered));
  if (params !== undefined) lines.unshift(['params', JSON.stringify(params)]);
  lines.push([
    'accounted',
    `${boundsText(accounted, digits)} at delta ${deltaText(budget.delta)} ` +
      `(${accounted.certificate}, ${accounted.method})`,
  ]);
  if (!isWithin(accounted, budget)) lines.push(['over the budget:', excess(accounted, budget)]);
  const width = Math.max(18, ...lines.map(([key]) => key.length));
  return [
    ...lines.map(([key, value]) => `${key.padEnd(width)} ${value}`),
    'Numbers are rounded; --json has all their digits, and every part in full.',
    '',
  ].join('\n');
}

/** Whether the plan costs no more than the budget. */
export const isWithin = (accounted: Interval, { epsilon }: Budget): boolean => accounted.upper <= epsilon;

const excess = ({ upper }: Interval, { epsilon, delta }: Budget): string =>
  upper === Infinity
    ? `no finite epsilon is known at delta ${deltaText(delta)}: it releases without noise, ` +
      `or with too little to tell; the budget is ${epsilon}`
    : `it costs up to epsilon ${roundOutward(upper, 'upper', digits)} at delta ${deltaText(delta)}, ` +
      `the budget is ${epsilon}; give more noise, or leave noiseMultiplier out to have it found`;

const isRecord = (one: unknown): one is Readonly<Record<string, unknown>> =>
  typeof one === 'object' && one !== null && !Array.isArray(one);

/** A part of a plan in a line, or in several where it holds alternatives, such as two calibrations. */
function linesOf(
  [key, value]: readonly [string, unknown],
  uncovered: string | null,
): (readonly [string, string])[] {
  if (key === 'utility')
    return [
      [
        key,
        isRecord(value)
          ? `${words(value['bound'])} (${String(value['source'])})`
          : `none${uncovered === null ? '' : `: ${uncovered}`}`,
      ],
    ];
  if (isRecord(value) && typeof value['kind'] === 'string' && typeof value['name'] === 'string')
    return [
      [
        key,
        `${value['name']}` +
          (Object.keys((value['params'] ?? {}) as object).length === 0 ? '' : ` ${json(value['params'])}`),
      ],
    ];
  if (
    isRecord(value) &&
    Object.values(value).some(isRecord) &&
    Object.values(value).every((inner) => inner === null || isRecord(inner))
  )
    return Object.entries(value).flatMap(([inner, of]) => linesOf([`${key}.${inner}`, of], null));
  if (isRecord(value) && !Object.values(value).some((inner) => typeof inner === 'object' && inner !== null))
    return [
      [
        key,
        Object.entries(value)
          .filter(([, inner]) => inner !== null)
          .map(
            ([name, inner]) =>
              `${key === 'schedule' && name === 'exact' ? 'steps before rounding' : name} ${words(inner)}`,
          )
          .join(', '),
      ],
    ];
  return [[key, words(value)]];
}

/** A value in words: `none`, a number to six digits, or JSON. */
function words(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'number') return String(rounded(value));
  if (Array.isArray(value) && value.length > mostShown)
    return `${json(value.slice(0, mostShown)).slice(0, -1)}, … ${value.length} in all]`;
  return typeof value === 'object' ? json(value) : String(value);
}

const rounded = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(digits));

function json(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'number' ? rounded(inner) : inner,
  );
  return text.length <= longest || Array.isArray(value) ? text : `${text.slice(0, longest)}…`;
}
