import { assertOptions, type Calibrated, type CalibrationRequest, InvalidParameter } from '@lethe/core';

/** Whether larger or smaller values of the free number are the private ones. */
export type Direction = CalibrationRequest['direction'];

/** What is calibrated, and how far to search. */
export interface CalibrationOptions extends Omit<CalibrationRequest, 'direction' | 'tolerance'> {
  /** Relative tolerance of a continuous value. @defaultValue 1e-10 */
  readonly tolerance?: number;
  /** @defaultValue found out by comparing values about `start` */
  readonly direction?: Direction;
  /** Compares ε at the target's δ, or δ at the target's ε. @defaultValue 'epsilon' */
  readonly by?: 'epsilon' | 'delta';
  /** Least and largest value to try; 0 stands for the least positive one. @defaultValue all whole numbers from 1, or all powers of 2 there are */
  readonly bracket?: readonly [number, number];
  /** Where to begin. @defaultValue 1, or the end of the bracket next to it */
  readonly start?: number;
  /** How many values are tried at most. @defaultValue 120 */
  readonly probeLimit?: number;
  /**
   * How far, as a share of the target, a continuous search may stay below it: a twentieth of the width of answers whose lower end
   * is not 0, but at most 5e-6, and at least this. Where an accountant is exact, the search goes on to `tolerance`. @defaultValue 1e-9
   */
  readonly gap?: number;
}

/** A calibrated value, with what was found out on the way. */
export interface Calibration extends Calibrated { readonly direction: Direction; readonly probes: number }

/** {@link CalibrationOptions} with nothing left open but the direction. */
export interface Settings extends Required<Omit<CalibrationOptions, 'direction' | 'bracket' | 'target'>> {
  readonly direction: Direction | undefined;
  readonly ends: readonly [number, number];
  /** Whether the ends were asked for. */
  readonly bounded: boolean;
  readonly epsilon: number;
  readonly delta: number;
}

/** Beyond this power of 2, and below its inverse, nothing is tried. */
const most = 2 ** 500;
const mostWhole = 2 ** 52;

/** @throws {InvalidParameter} naming what makes no sense. */
export function settingsOf(options: CalibrationOptions): Settings {
  assertOptions(options, 'the calibration');
  const { make, target, adjacency, integer = false, tolerance = 1e-10, gap = 1e-9, probeLimit = 120, by = 'epsilon', direction } = options;
  if (typeof make !== 'function') throw new InvalidParameter(`make is ${typeof make}; it must be a function from the free number to an event`, { make: typeof make });
  assertOptions(target, 'the target of a calibration');
  requireNumber('the target ε', target.epsilon, [0, Infinity]);
  requireNumber('the target δ', target.delta, [0, 1]);
  requireNumber('the tolerance', tolerance, [Number.EPSILON, 0.5]);
  requireNumber('the gap', gap, [0, 1]);
  requireNumber('the limit of probes', probeLimit, [2, 1e6]);
  requireOneOf('what is compared', by, ['epsilon', 'delta']);
  if (direction !== undefined) requireOneOf('the direction', direction, ['larger-is-private', 'smaller-is-private']);
  const ends = endsOf(options.bracket, integer);
  const start = options.start ?? 1;
  requireNumber('the start', start, [0, Infinity]);
  const clamped = Math.min(ends[1], Math.max(ends[0], integer ? Math.round(start) : start));
  return { make, ...target, adjacency, integer, tolerance, gap, probeLimit, by, direction, ends, bounded: options.bracket !== undefined, start: clamped };
}

function endsOf(bracket: CalibrationOptions['bracket'], integer: boolean): readonly [number, number] {
  if (bracket === undefined) return integer ? [1, mostWhole] : [1 / most, most];
  if (!Array.isArray(bracket) || bracket.length !== 2) throw new InvalidParameter('the bracket must be two numbers, the least and the largest value', { bracket });
  const [least, largest] = bracket as readonly [number, number];
  requireNumber('the least value', least, [0, Infinity]);
  requireNumber('the largest value', largest, [0, Infinity]);
  const ends: readonly [number, number] = integer ? [Math.ceil(least), Math.min(Math.floor(largest), mostWhole)] : [Math.max(least, 1 / most), Math.min(largest, most)];
  if (!(ends[0] <= ends[1])) throw new InvalidParameter(`no ${integer ? 'whole ' : ''}number lies between ${least} and ${largest}`, { bracket });
  return ends;
}

function requireNumber(what: string, value: number, [least, largest]: readonly [number, number]): void {
  if (typeof value === 'number' && value >= least && value <= largest) return;
  throw new InvalidParameter(`${what} is ${String(value)}; it must be a number from ${least} to ${largest}`, { value });
}

function requireOneOf(what: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new InvalidParameter(`${what} is '${String(value)}'; it must be one of ${choices.map((choice) => `'${choice}'`).join(', ')}`, { value });
}
