const noBreak = '\u00a0';
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A whole number with separators: `1,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** A number to a few significant digits, as a person writes it: `0.0123`, `1.2 × 10⁻⁷`, `∞`. */
export const formatNumber = (value: number, digits = 3): string => pretty(value, value.toPrecision(digits));

/**
 * A bound to four significant digits, rounded outward: what is printed is never on the wrong side of `value`.
 *
 * @param side `upper` rounds up, `lower` rounds down.
 */
export const formatBound = (value: number, side: 'lower' | 'upper'): string =>
  pretty(value, roundOutward(value, side));

/** Decimal digits of `value` to four significant digits, on the given side of it. */
export function roundOutward(value: number, side: 'lower' | 'upper', digits = 4): string {
  if (!Number.isFinite(value) || value === 0) return String(value);
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  const place = Number(exponent) - digits + 1;
  const whole = Number(mantissa.replace('.', ''));
  const nearest = Number(`${whole}e${place}`);
  const step = side === 'upper' ? Number(nearest < value) : -Number(nearest > value);
  // A step toward zero from a power of ten is ten times finer: below 1.000 comes 0.9999.
  const finer = Math.abs(whole) === 10 ** (digits - 1) && step * whole < 0;
  return Number(finer ? `${10 * whole + step}e${place - 1}` : `${whole + step}e${place}`).toPrecision(digits);
}

/**
 * A number and its error, or two ends of a range, with one power of ten where either is small:
 * `0.0118 ± 0.0017`, `(9.52 ± 2.3) × 10⁻⁵`.
 */
export function formatPair(
  [first, second]: readonly [number, number],
  between: string,
  digits: readonly [number, number] = [3, 3],
): string {
  const largest = Math.max(Math.abs(first), Math.abs(second));
  const isSmall = [first, second].some((value) => value !== 0 && Math.abs(value) < 1e-4);
  if (!isSmall || !(largest < 1e-2))
    return `${formatNumber(first, digits[0])} ${between} ${formatNumber(second, digits[1])}`;
  const [, exponent] = largest.toExponential(digits[0] - 1).split('e');
  const scaled = (value: number, places: number): string =>
    formatNumber(value / 10 ** Number(exponent), places);
  const power = formatPower(10 ** Number(exponent));
  return `(${scaled(first, digits[0])} ${between} ${scaled(second, digits[1])})${noBreak}×${noBreak}${power}`;
}

/** A δ in plain letters: `1e-6`. */
export const deltaText = (delta: number): string =>
  delta > 0 && delta < 1e-3 ? delta.toExponential().replace('+', '') : String(delta);

/** A share in words: `12 %`, `0.4 %`, and `3.2 times` from ten times up. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return '–';
  if (Math.abs(share) >= 10) return `${plain(share.toPrecision(2))}${noBreak}times`;
  return `${plain((100 * share).toPrecision(2))}${noBreak}%`;
}

/**
 * The share of a gap that is closed where `left` of it is left, with two digits of what is left: `94 %`,
 * `99.79 %`; `none` where it became wider.
 */
export function closedShare(left: number): string {
  if (!Number.isFinite(left)) return '–';
  if (left >= 1) return 'none';
  const percent = Math.max(0, 100 * left);
  const digits = Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(percent))));
  return `${Number((100 - percent).toFixed(digits))}${noBreak}%`;
}

/** A noun for so many: `run`, `runs`. */
export const nounFor = (count: number, noun: string): string => (count === 1 ? noun : `${noun}s`);

/** A tick of a logarithmic axis: `10k`, `0.01`, `2 × 10⁻⁵`. */
export function formatTick(value: number): string {
  if (value === 0) return '0';
  if (value >= 1e3 && value < 1e12) {
    const unit = () => {
      if (value >= 1e9) return [1e9, 'G'] as const;
      if (value >= 1e6) return [1e6, 'M'] as const;
      return [1e3, 'k'] as const;
    };
    const [divisor, suffix] = unit();
    return `${Number((value / divisor).toPrecision(3))}${suffix}`;
  }
  return value >= 1e-4 && value < 1e3 ? String(Number(value.toPrecision(3))) : formatPower(value);
}

/** A number as a multiple of a power of ten: `10⁻⁴`, `2 × 10⁻⁵`. */
export const formatPower = (value: number): string => scientific(value.toExponential(2));

function pretty(value: number, digits: string): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(Number(digits));
  return size >= 1e-4 && size < 1e6 ? plain(digits) : scientific(Number(digits).toExponential());
}

/** Digits without an exponent; separators from 10,000 up. */
function plain(digits: string): string {
  const text = digits.includes('e') ? Number(digits).toFixed(0) : digits;
  const [whole, fraction] = text.replace('-', '').split('.');
  const grouped = whole.length > 4 ? whole.replaceAll(/\B(?=(?:\d{3})+$)/gu, ',') : whole;
  return `${text.startsWith('-') ? '−' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

function scientific(exponential: string): string {
  const [mantissa, exponent] = exponential.split('e');
  const shown = String(Number(mantissa)).replace('-', '−');
  const power =
    '10' +
    [...String(Number(exponent))]
      .map((character) => (character === '-' ? '⁻' : superscripts[Number(character)]))
      .join('');
  return shown === '1' ? power : `${shown}${noBreak}×${noBreak}${power}`;
}
