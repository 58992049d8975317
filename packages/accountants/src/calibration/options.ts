import { assertOptions, type Calibrated, type CalibrationRequest, InvalidParameter } from '@lethe/core';

/** Whether larger or smaller values of the free number are more private. */
export type Direction = CalibrationRequest['direction'];

/** Calibration request and search options. */
export interface CalibrationOptions extends Omit<CalibrationRequest, 'direction' | 'tolerance'> {
  /** Relative tolerance of a continuous value. @defaultValue 1e-10 */
  readonly tolerance?: number;
  /** @defaultValue determined by comparing values near `start` */
  readonly direction?: Direction;
  /** Compares ε at the target's δ, or δ at the target's ε. @defaultValue 'epsilon' */
  readonly by?: 'epsilon' | 'delta';
  /**
   * Smallest and largest value to try; 0 means the smallest positive value. @defaultValue integers from 1 to
   * 2⁵², or reals from 2⁻⁵⁰⁰ to 2⁵⁰⁰
   */
  readonly bracket?: readonly [number, number];
  /** First value to try. @defaultValue 1, or the nearest end of the bracket */
  readonly start?: number;
  /** Maximum number of values to try. @defaultValue 120 */
  readonly probeLimit?: number;
  /**
   * Allowed gap below the target in a continuous search, relative to the target. If the lower end of the
   * answer is not 0, the gap is a part of the answer's width, at most 1e-3, but at least this value.
   * With an exact accountant the search continues to `tolerance`. @defaultValue 1e-9
   */
  readonly gap?: number;
}

/** A calibrated value, with its direction and the number of probes. */
export interface Calibration extends Calibrated {
  readonly direction: Direction;
  readonly probes: number;
}

/** {@link CalibrationOptions} with all defaults filled in, except the direction. */
export interface Settings extends Required<Omit<CalibrationOptions, 'direction' | 'bracket' | 'target'>> {
  readonly direction: Direction | undefined;
  readonly ends: readonly [number, number];
  /** Whether the caller gave a bracket. */
  readonly bounded: boolean;
  readonly epsilon: number;
  readonly delta: number;
}

/** Largest value to try; its inverse is the smallest. */
const most = 2 ** 500;
const mostWhole = 2 ** 52;

/** @throws {InvalidParameter} naming the invalid option. */
export function settingsOf(options: CalibrationOptions): Settings {
  assertOptions(options, 'the calibration');
  const {
    make,
    target,
    adjacency,
    integer = false,
    tolerance = 1e-10,
    gap = 1e-9,
    probeLimit = 120,
    by = 'epsilon',
    direction,
  } = options;
  if (typeof make !== 'function')
    throw new InvalidParameter(
      `make is ${typeof make}; it must be a function from the free number to an event`,
      { make: typeof make },
    );
  assertOptions(target, 'the target of a calibration');
  requireNumber('the target ε', target.epsilon, [0, Infinity]);
  requireNumber('the target δ', target.delta, [0, 1]);
  requireNumber('the tolerance', tolerance, [Number.EPSILON, 0.5]);
  requireNumber('the gap', gap, [0, 1]);
  requireNumber('the limit of probes', probeLimit, [2, 1e6]);
  requireOneOf('what is compared', by, ['epsilon', 'delta']);
  if (direction !== undefined)
    requireOneOf('the direction', direction, ['larger-is-private', 'smaller-is-private']);
  const ends = endsOf(options.bracket, integer);
  const start = options.start ?? 1;
  requireNumber('the start', start, [0, Infinity]);
  const clamped = Math.min(ends[1], Math.max(ends[0], integer ? Math.round(start) : start));
  return {
    make,
    ...target,
    adjacency,
    integer,
    tolerance,
    gap,
    probeLimit,
    by,
    direction,
    ends,
    bounded: options.bracket !== undefined,
    start: clamped,
  };
}

function endsOf(bracket: CalibrationOptions['bracket'], integer: boolean): readonly [number, number] {
  if (bracket === undefined) return integer ? [1, mostWhole] : [1 / most, most];
  if (!Array.isArray(bracket) || bracket.length !== 2)
    throw new InvalidParameter('the bracket must be two numbers, the least and the largest value', {
      bracket,
    });
  const [least, largest] = bracket as readonly [number, number];
  requireNumber('the least value', least, [0, Infinity]);
  requireNumber('the largest value', largest, [0, Infinity]);
  const ends: readonly [number, number] = integer
    ? [Math.ceil(least), Math.min(Math.floor(largest), mostWhole)]
    : [Math.max(least, 1 / most), Math.min(largest, most)];
  if (!(ends[0] <= ends[1]))
    throw new InvalidParameter(`no ${integer ? 'whole ' : ''}number lies between ${least} and ${largest}`, {
      bracket,
    });
  return ends;
}

function requireNumber(what: string, value: number, [least, largest]: readonly [number, number]): void {
  if (typeof value === 'number' && value >= least && value <= largest) return;
  throw new InvalidParameter(`${what} is ${String(value)}; it must be a number from ${least} to ${largest}`, {
    value,
  });
}

function requireOneOf(what: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value))
    throw new InvalidParameter(
      `${what} is '${String(value)}'; it must be one of ${choices.map((choice) => `'${choice}'`).join(', ')}`,
      { value },
    );
}
