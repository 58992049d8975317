import { differences } from './differences.js';
import type { LawReport } from './run.js';

/** A number with seven digits. */
const short = (x: number): string => String(Number(x.toPrecision(7)));

/** Two numbers with seven digits each, or with as many as tell them apart. */
function apart(x: number, y: number): readonly [string, string] {
  for (let digits = 7; digits < 17; digits++) {
    const [a, b] = [x, y].map((value) => String(Number(value.toPrecision(digits)))) as [string, string];
    if (a !== b) return [a, b];
  }
  return [String(x), String(y)];
}

function measuredText(measured: number, allowed: number | undefined): string {
  if (allowed === undefined) return short(measured);
  const [a, b] = apart(measured, allowed);
  return `${a}, allowed ${b}`;
}

/** Where two named values differ, a line for each place. */
function comparedText(compare: Readonly<Record<string, unknown>>): readonly string[] {
  const [[here, a], [there, b]] = Object.entries(compare) as [[string, unknown], [string, unknown]];
  return differences(a, b).map(
    ({ path, here: left, there: right }) =>
      `${path === '' ? 'all' : path}: ${here} ${shown(left, 120)}, ${there} ${shown(right, 120)}`,
  );
}

/** Any plain value on one line, typed arrays as lists, truncated if long. */
export function shown(value: unknown, most = 600): string {
  const text =
    JSON.stringify(value, (_key, inner: unknown) => {
      if (ArrayBuffer.isView(inner)) return counted(Array.from(inner as Float64Array, plain), most);
      if (Array.isArray(inner)) return counted(inner as readonly unknown[], most);
      if (typeof inner === 'function') return '[function]';
      return inner instanceof Map || inner instanceof Set ? [...inner] : plain(inner);
    }) ?? String(value);
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;
}

/** Long runs of one number as `1 ×1000`, for readers; not for `most = Infinity`. */
function counted(values: readonly unknown[], most: number): readonly unknown[] {
  if (most === Infinity || values.length < 12) return values;
  const runs: unknown[] = [];
  for (let i = 0, j = 0; i < values.length; i = j) {
    while (j < values.length && Object.is(values[j], values[i])) j++;
    runs.push(
      ...(typeof values[i] === 'object' || j - i < 6
        ? values.slice(i, j)
        : [`${String(plain(values[i]))} ×${j - i}`]),
    );
  }
  return runs;
}

/** JSON has no NaN, infinities or negative zero, which may occur in counterexamples. */
const plain = (value: unknown): unknown => {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return Object.is(value, -0) ? '-0' : String(value);
  return value;
};

/**
 * A failure as text: law, combination, shrunk input, evidence and seeds.
 *
 * @param replay - A command that repeats the failure.
 */
export function failureText(report: LawReport, replay: string): string {
  const { finding, law, statement, subject, cell, seed, alpha } = report;
  if (finding.verdict !== 'fails') return '';
  const { what, measured, allowed, input, compare, witness, logE, fastCheck } = finding.violation;
  const line = (name: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : [`  ${name.padEnd(10)} ${text}`];
  return [
    `${law} is broken by ${subject}${cell === '' ? '' : ` (${cell})`}: ${what}`,
    ...line('law', statement),
    ...line('adjacency', report.adjacency),
    ...line('measured', measured === undefined ? undefined : measuredText(measured, allowed)),
    ...line('input', input === undefined ? undefined : shown(input)),
    ...(compare === undefined ? [] : comparedText(compare).flatMap((text) => line('differs', text))),
    ...line('witness', witness),
    ...line(
      'evidence',
      logE === undefined
        ? undefined
        : `e-value e^${logE.toFixed(1)}, rejects at ` +
            `e^${(-Math.log(alpha)).toFixed(1)} (false alarm ${alpha})`,
    ),
    ...line('samples', String(finding.samples)),
    ...line(
      'seed',
      `${seed}` +
        (fastCheck === undefined
          ? ''
          : '; fast-check seed ' +
            `${fastCheck.seed}${fastCheck.path.length > 60 ? '' : `, path ${fastCheck.path}`}`),
    ),
    ...line('replay', replay),
  ].join('\n');
}
