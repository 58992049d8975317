import { locals } from './wat.mjs';

const get = (name) => `(local.get $${name})`;
const set = (name, value) => `(local.set $${name} ${value})`;
const int = (value) => `(i32.const ${value})`;
const is = (name, byte) => `(i32.eq ${get(name)} ${int(byte)})`;

const [newline, carriageReturn, quote, plus, minus, point, zero, letterE] = Array.from('\n\r"+-.0e', (sign) =>
  sign.charCodeAt(0),
);

/** Digits of which every number is below 2^64. */
const MOST_DIGITS = 19;
/** Digits of an exponent that is read here. */
const MOST_EXPONENT_DIGITS = 4;
/** Kinds of fields: passed over, read as a number, and told where it stands. */
const [NUMBER, TOLD] = [1, 2];

/** Byte addresses in the memory of the reader of lines. Whatever depends on a table lies behind the text. */
export const linesLayout = {
  odd: 64, // u32: odd numbers found
  tens: 128, // f64[23]: powers of ten
  wholeTens: 320, // u64[8]: the same as whole numbers
  fives: 512, // u64[101][2]: 128 bits of 5^q for q from -60 to 40, the high word first
  text: 4096,
};
/** Powers q of 5^q in the table. */
export const fivesFrom = -60;
export const fivesTo = 40;
/** Powers of ten that are doubles. */
const MOST_TENS = 22;

/** The high word of a product of two words; the low one in $low. */
const multiply = `
  (global $low (mut i64) (i64.const 0))
  (func $multiply (param $a i64) (param $b i64) (result i64)
    ${locals('i64', 'ah', 'bh', 'lows', 'left', 'right', 'middle')}
    ${set('ah', `(i64.shr_u ${get('a')} (i64.const 32))`)}
    ${set('bh', `(i64.shr_u ${get('b')} (i64.const 32))`)}
    ${set('a', `(i64.and ${get('a')} (i64.const 0xffffffff))`)}
    ${set('b', `(i64.and ${get('b')} (i64.const 0xffffffff))`)}
    ${set('lows', `(i64.mul ${get('a')} ${get('b')})`)}
    ${set('left', `(i64.mul ${get('a')} ${get('bh')})`)}
    ${set('right', `(i64.mul ${get('ah')} ${get('b')})`)}
    ${set(
      'middle',
      `(i64.add (i64.shr_u ${get('lows')} (i64.const 32)) (i64.add
        (i64.and ${get('left')} (i64.const 0xffffffff)) (i64.and ${get('right')} (i64.const 0xffffffff))))`,
    )}
    (global.set $low (i64.or
      (i64.shl ${get('middle')} (i64.const 32)) (i64.and ${get('lows')} (i64.const 0xffffffff))))
    (i64.add (i64.mul ${get('ah')} ${get('bh')}) (i64.add (i64.shr_u ${get('middle')} (i64.const 32))
      (i64.add (i64.shr_u ${get('left')} (i64.const 32)) (i64.shr_u ${get('right')} (i64.const 32))))))`;

/**
 * whole · 10^q for 0 < whole < 2^64 and q of the table, rounded to the nearest double, ties to even; 0 where
 * that is no normal number. The algorithm of Eisel and Lemire (Lemire 2021, §5; that no case is left open:
 * Mushtak and Lemire 2023): 128 bits of the product decide, and tell a tie.
 */
const nearest = `
  (func $nearest (param $whole i64) (param $q i32) (result f64)
    ${locals('i32', 'zeros', 'five', 'top', 'exponent')} ${locals('i64', 'high', 'low', 'second', 'kept', 'shift')}
    ${set('zeros', `(i32.wrap_i64 (i64.clz ${get('whole')}))`)}
    ${set('whole', `(i64.shl ${get('whole')} (i64.extend_i32_u ${get('zeros')}))`)}
    ${set('five', `(i32.shl (i32.sub ${get('q')} ${int(fivesFrom)}) ${int(4)})`)}
    ${set('high', `(call $multiply ${get('whole')} (i64.load offset=${linesLayout.fives} ${get('five')}))`)}
    ${set('low', '(global.get $low)')}
    (if (i64.eq (i64.and ${get('high')} (i64.const 0x1ff)) (i64.const 0x1ff)) (then
      ${set('second', `(call $multiply ${get('whole')} (i64.load offset=${linesLayout.fives + 8} ${get('five')}))`)}
      ${set('low', `(i64.add ${get('low')} ${get('second')})`)}
      (if (i64.gt_u ${get('second')} ${get('low')}) (then
        ${set('high', `(i64.add ${get('high')} (i64.const 1))`)}))))
    ${set('top', `(i32.wrap_i64 (i64.shr_u ${get('high')} (i64.const 63)))`)}
    ${set('shift', `(i64.extend_i32_u (i32.add ${get('top')} ${int(9)}))`)}
    ${set('kept', `(i64.shr_u ${get('high')} ${get('shift')})`)}
    ${set(
      'exponent',
      // 217706 / 2^16 is close enough to the binary logarithm of ten for every q here.
      `(i32.add (i32.shr_s (i32.mul ${get('q')} ${int(217706)}) ${int(16)})
        (i32.add ${int(63 + 1023)} (i32.sub ${get('top')} ${get('zeros')})))`,
    )}
    (if (i32.gt_u (i32.sub ${get('exponent')} ${int(1)}) ${int(2044)}) (then (return (f64.const 0))))
    ;; a tie: the product is exact, and ends behind the bit that decides
    (if (i32.and (i64.le_u ${get('low')} (i64.const 1)) (i32.and
        (i32.le_u (i32.add ${get('q')} ${int(4)}) ${int(27)})
        (i32.and (i64.eq (i64.and ${get('kept')} (i64.const 3)) (i64.const 1))
          (i64.eq (i64.shl ${get('kept')} ${get('shift')}) ${get('high')}))))
      (then ${set('kept', `(i64.and ${get('kept')} (i64.const -2))`)}))
    ${set('kept', `(i64.shr_u (i64.add ${get('kept')} (i64.and ${get('kept')} (i64.const 1))) (i64.const 1))`)}
    (if (i64.eq ${get('kept')} (i64.const 0x20000000000000)) (then
      ${set('kept', '(i64.const 0x10000000000000)')}
      ${set('exponent', `(i32.add ${get('exponent')} ${int(1)})`)}))
    (f64.reinterpret_i64 (i64.or (i64.and ${get('kept')} (i64.const 0xfffffffffffff))
      (i64.shl (i64.extend_i32_u ${get('exponent')}) (i64.const 52)))))`;

const byte = `(i32.load8_u ${get('at')})`;
const nextByte = set('ch', `(i32.load8_u (local.tee $at (i32.add ${get('at')} ${int(1)})))`);
const isDigit = `(i32.lt_u (local.tee $digit (i32.sub ${get('ch')} ${int(zero)})) ${int(10)})`;

/** Digits from `at` on, the first in `ch`; $whole takes them in. */
const digits = (label, taken) => `
  (loop $${label} (if ${isDigit} (then ${taken} ${nextByte} (br $${label}))))`;
const intoWhole = set(
  'whole',
  `(i64.add (i64.mul ${get('whole')} (i64.const 10)) (i64.extend_i32_u ${get('digit')}))`,
);

/**
 * Bits of the bytes of $eight that are no digits. Bytes are below 128, and of these those from 0 to 9 alone
 * have the high half 3, also six higher.
 */
const noDigits = `(i64.xor (i64.const 0x3333333333333333) (i64.or
  (i64.and ${get('eight')} (i64.const 0xf0f0f0f0f0f0f0f0))
  (i64.shr_u (i64.and (i64.add ${get('eight')} (i64.const 0x0606060606060606)) (i64.const 0xf0f0f0f0f0f0f0f0))
    (i64.const 4))))`;
/** The number of the eight digits of $eight, by pairs of digits, then of pairs, then of these. */
const ofEightDigits = `
  ${set('eight', `(i64.sub ${get('eight')} (i64.const 0x3030303030303030))`)}
  ${set('eight', `(i64.add (i64.mul ${get('eight')} (i64.const 10)) (i64.shr_u ${get('eight')} (i64.const 8)))`)}
  ${set(
    'eight',
    `(i64.shr_u (i64.add
      (i64.mul (i64.and ${get('eight')} (i64.const 0x000000ff000000ff)) (i64.const 0x000f424000000064))
      (i64.mul (i64.and (i64.shr_u ${get('eight')} (i64.const 16)) (i64.const 0x000000ff000000ff))
        (i64.const 0x0000271000000001))) (i64.const 32))`,
  )}`;
/**
 * Takes in the digits among the eight bytes at $at, as many as there are before another byte: they are moved
 * to the end, behind digits 0. `more` follows where all eight are digits.
 */
const upToEightDigits = (more) => `
  ${set('eight', `(i64.load ${get('at')})`)}
  ${set('other', noDigits)}
  (if (i64.eqz ${get('other')}) (then
    ${ofEightDigits}
    ${set('whole', `(i64.add (i64.mul ${get('whole')} (i64.const 100000000)) ${get('eight')})`)}
    ${set('at', `(i32.add ${get('at')} ${int(8)})`)}
    ${more})
  (else
    ${set('other', `(i64.and (i64.ctz ${get('other')}) (i64.const 0x38))`)}
    ${set(
      'eight',
      `(i64.or (i64.shr_u (i64.const 0x3030303030303030) ${get('other')})
        (i64.shl (i64.shl ${get('eight')} (i64.const 8)) (i64.sub (i64.const 56) ${get('other')})))`,
    )}
    ${ofEightDigits}
    ${set('digit', `(i32.wrap_i64 (i64.shr_u ${get('other')} (i64.const 3)))`)}
    ${set(
      'whole',
      `(i64.add (i64.mul ${get('whole')} (i64.load offset=${linesLayout.wholeTens} (i32.shl ${get('digit')} ${int(3)})))
        ${get('eight')})`,
    )}
    ${set('at', `(i32.add ${get('at')} ${get('digit')})`)}))`;

/** A power of ten between two bounds, its least and its greatest. */
const isPower = (least, most) => `(i32.le_u (i32.sub ${get('power')} ${int(least)}) ${int(most - least)})`;
const ten = (power) => `(f64.load offset=${linesLayout.tens} (i32.shl ${power} ${int(3)}))`;

/**
 * The value of $whole · 10^$power where it is found here: 1 and the value in $value, or 0. Below 2^53 and
 * with a power of ten that is a double, one operation rounds once.
 */
const value = `
  (if (result i32) (i32.and (i64.le_u ${get('whole')} (i64.const 0x20000000000000)) ${isPower(-MOST_TENS, MOST_TENS)})
    (then
      ${set('value', `(f64.convert_i64_u ${get('whole')})`)}
      ${set(
        'value',
        `(if (result f64) (i32.lt_s ${get('power')} ${int(0)})
          (then (f64.div ${get('value')} ${ten(`(i32.sub ${int(0)} ${get('power')})`)}))
          (else (f64.mul ${get('value')} ${ten(get('power'))})))`,
      )}
      ${int(1)})
    (else (if (result i32) (i32.and (i64.ne ${get('whole')} (i64.const 0)) ${isPower(fivesFrom, fivesTo)})
      (then (f64.ne (local.tee $value (call $nearest ${get('whole')} ${get('power')})) (f64.const 0)))
      (else ${int(0)}))))`;

/** Reads a number at `at`, whose first byte is `ch`. Leaves to $bad what is none. */
const number = `
  ${set('negative', is('ch', minus))}
  ;; without a branch, which nobody can foretell
  ${set('ch', `(i32.load8_u (local.tee $at (i32.add ${get('at')} ${get('negative')})))`)}
  ${set('whole', '(i64.const 0)')}
  ${set('first', get('at'))}
  ${set('most', `(i32.add ${int(MOST_DIGITS)} ${is('ch', zero)})`)}
  ${digits('whole_part', intoWhole)}
  ${set('count', `(i32.sub ${get('at')} ${get('first')})`)}
  ${set('power', int(0))}
  (if ${is('ch', point)} (then
    ${set('first', `(local.tee $at (i32.add ${get('at')} ${int(1)}))`)}
    ${upToEightDigits(upToEightDigits(upToEightDigits('')))}
    ${set('ch', byte)}
    ${digits('fraction', intoWhole)}
    ${set('power', `(i32.sub ${get('first')} ${get('at')})`)}
    ${set('count', `(i32.sub ${get('count')} ${get('power')})`)}))
  (br_if $bad (i32.eqz ${get('count')}))
  (if (i32.eq (i32.or ${get('ch')} ${int(32)}) ${int(letterE)}) (then
    ${nextByte}
    ${set('down', is('ch', minus))}
    (if (i32.or ${get('down')} ${is('ch', plus)}) (then ${nextByte}))
    ${set('first', get('at'))}
    ${set('exponent', int(0))}
    ${digits('exponent', set('exponent', `(i32.add (i32.mul ${get('exponent')} ${int(10)}) ${get('digit')})`))}
    ${set('first', `(i32.sub ${get('at')} ${get('first')})`)}
    (br_if $bad (i32.eqz ${get('first')}))
    (if (i32.gt_u ${get('first')} ${int(MOST_EXPONENT_DIGITS)}) (then ${set('most', int(0))}))
    ${set(
      'power',
      `(i32.add ${get('power')} (select
        (i32.sub ${int(0)} ${get('exponent')}) ${get('exponent')} ${get('down')}))`,
    )}))
  (if (if (result i32) (i32.le_u ${get('count')} ${get('most')}) (then ${value}) (else ${int(0)}))
    (then (f64.store ${get('put')} (select (f64.neg ${get('value')}) ${get('value')} ${get('negative')})))
    (else
      (i32.store ${get('nextOdd')} ${get('start')})
      (i32.store offset=4 ${get('nextOdd')} ${get('at')})
      (i32.store offset=8 ${get('nextOdd')} (i32.shr_u (i32.sub ${get('put')} ${get('numbers')}) ${int(3)}))
      ${set('nextOdd', `(i32.add ${get('nextOdd')} ${int(12)})`)}
      ${set('odds', `(i32.add ${get('odds')} ${int(1)})`)}))
  ${set('put', `(i32.add ${get('put')} ${get('stride')})`)}`;

/** Passes over a field that is no number; where it stands is told where `kind` asks for it. */
const otherField = `
  (block $ends (loop $passed
    (br_if $ends (i32.or (i32.or (i32.eq ${get('ch')} ${get('delimiter')}) ${is('ch', newline)})
      (i32.or ${is('ch', carriageReturn)} ${is('ch', quote)})))
    ${nextByte}
    (br $passed)))
  (if (i32.eq ${get('kind')} ${int(TOLD)}) (then
    (i32.store ${get('tell')} ${get('start')})
    (i32.store offset=4 ${get('tell')} ${get('at')})
    ${set('tell', `(i32.add ${get('tell')} ${get('stride')})`)}))`;

/**
 * Reads whole lines of plain fields, from the beginning of one on; the byte at $end is a quote. Numbers, and
 * beginnings and ends of fields that are to be told, are written column by column, a place of 8 bytes a line;
 * the ends of lines in turn. Of a number that is odd (too long, too large or too small) begin, end and place
 * are written to $odd, and nothing to its place. Reads $most lines, until one is not plain, or until another
 * line might have more odd numbers than there is room for. Returns the number of lines.
 */
const lines = `
  (func (export "lines") (param $at i32) (param $end i32) (param $delimiter i32) (param $width i32)
    (param $kinds i32) (param $mostLines i32) (param $numbers i32) (param $stride i32) (param $fields i32)
    (param $ends i32) (param $odd i32) (param $mostOdd i32) (result i32)
    ${locals('i32', 'line', 'odds', 'oddsBefore', 'nextOdd', 'k', 'kind', 'put', 'tell', 'start', 'ch', 'digit')}
    ${locals('i32', 'negative', 'first', 'most', 'count', 'power', 'exponent', 'down')}
    ${locals('i64', 'whole', 'eight', 'other')} (local $value f64)
    ${set('nextOdd', get('odd'))}
    ${set('stride', `(i32.shl ${get('stride')} ${int(3)})`)}
    (block $done (block $bad (loop $nextLine
      (br_if $done (i32.ge_u ${get('line')} ${get('mostLines')}))
      (br_if $done (i32.ge_u ${get('at')} ${get('end')}))
      (br_if $done (i32.gt_u (i32.add ${get('odds')} ${get('width')}) ${get('mostOdd')}))
      ${set('ch', byte)}
      ;; whether a blank line is a record depends on what follows
      (br_if $done (i32.or ${is('ch', newline)} ${is('ch', carriageReturn)}))
      ${set('oddsBefore', get('odds'))}
      ${set('put', `(i32.add ${get('numbers')} (i32.shl ${get('line')} ${int(3)}))`)}
      ${set('tell', `(i32.add ${get('fields')} (i32.shl ${get('line')} ${int(3)}))`)}
      ${set('k', int(0))}
      (block $isWhole (loop $nextField
        ${set('start', get('at'))}
        ${set('kind', `(i32.load8_u (i32.add ${get('kinds')} ${get('k')}))`)}
        (if (i32.eq ${get('kind')} ${int(NUMBER)}) (then ${number}) (else ${otherField}))
        ${set('k', `(i32.add ${get('k')} ${int(1)})`)}
        (br_if $isWhole (i32.ge_u ${get('k')} ${get('width')}))
        (br_if $bad (i32.ne ${get('ch')} ${get('delimiter')}))
        ${nextByte}
        (br $nextField)))
      (if ${is('ch', carriageReturn)} (then ${nextByte}))
      (br_if $bad (i32.ne ${get('ch')} ${int(newline)}))
      ${set('at', `(i32.add ${get('at')} ${int(1)})`)}
      (i32.store (i32.add ${get('ends')} (i32.shl ${get('line')} ${int(2)})) ${get('at')})
      ${set('line', `(i32.add ${get('line')} ${int(1)})`)}
      (br $nextLine)))
      ${set('odds', get('oddsBefore'))})
    (i32.store offset=${linesLayout.odd} ${int(0)} ${get('odds')})
    ${get('line')})`;

/** The whole module, which has a memory of its own. */
export const linesSource = () =>
  `(module\n(memory (export "memory") 1 65536)\n${[multiply, nearest, lines].join('\n')})`;
