/** Text helpers for writing WebAssembly as unrolled templates. Everything returns WAT source. */

/** `[0, 1, …, count - 1]` */
export const range = (count) => Array.from({ length: count }, (_, index) => index);

/** Writes `template(0)`, …, `template(count - 1)` below each other. */
export const repeat = (count, template) => range(count).map(template).join('\n');

/** Declares locals: `locals('i32', 'row', 'end')`. */
export const locals = (type, ...names) => names.map((name) => `(local $${name} ${type})`).join(' ');

/** Numbered locals: `numbered('v128', 'sum', 4)` declares `$sum0` to `$sum3`. */
export const numbered = (type, name, count) =>
  locals(type, ...range(count).map((index) => `${name}${index}`));

/** Runs `body` while local `$counter` (advanced by `step`, in place) is unsigned-below `end`; tests first. */
export const loopBelow = (counter, end, step, body, label = `next_${counter}`) => `
  (if (i32.lt_u (local.get $${counter}) ${end}) (then
    (loop $${label}
      ${body}
      (local.set $${counter} (i32.add (local.get $${counter}) (i32.const ${step})))
      (br_if $${label} (i32.lt_u (local.get $${counter}) ${end})))))`;

export const f64x2 = (low, high = low) => `(v128.const f64x2 ${literal(low)} ${literal(high)})`;
export const f64 = (value) => `(f64.const ${literal(value)})`;
export const zero = '(v128.const i64x2 0 0)';

/** Exact text of a double: its bits, written as a hexadecimal float. */
export function literal(value) {
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const exponent = (bits.getUint32(0) >>> 20) - 1023;
  if (exponent === -1023) throw new RangeError(`subnormal constant ${value}`);
  const mantissa = ((bits.getBigUint64(0) & 0xfffffffffffffn) | 0x10000000000000n).toString(16);
  return `${value < 0 ? '-' : ''}0x${mantissa}p${exponent - 52}`;
}
